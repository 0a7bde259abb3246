"""Verbs that say nothing beside their noun: "did the music for X", "the films that X did the music for"."""

from __future__ import annotations

from chattyshared.language.morphology import lemma_of

from chattykg.rulebook.legacy.closed_words import DO
from chattykg.rulebook.legacy.nouns import noun
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.runs import take_run

_LIGHT = frozenset("work be collaborate participate involve engage do help take".split())
_CAPACITY = frozenset("responsible act serve work function employ".split())
_OF = ("for", "of", "to", "on", "in")
_ARTICLES = ("the", "its", "their")


def did_noun(p: Parse, target: Noun) -> bool:
    """Read "did the music for X": the target is the music of X, and the verb says nothing."""
    reader = p.reader
    began = reader.place
    rest = [atom for atom in reader.atoms[began:] if not atom.is_mark]
    if not rest or rest[-1].is_verb and not rest[-1].is_name or rest[-1].is_function:
        return False
    words = _noun_done(p)
    if not words or not reader.skip(*_OF):
        reader.place = began
        return False
    base = noun(p)
    if base is None:
        reader.place = began
        return False
    p.draft.relate(base.end, words, target.end)
    return True


def done_for(p: Parse, subject: Noun, found: Noun) -> bool:
    """Read "did the music for" behind "that X": X is the music of the noun."""
    reader = p.reader
    began = reader.place
    words = _noun_done(p)
    following = reader.peek(1)
    if not words or not reader.at(*_OF) or following.is_content and not following.is_verb or following.lower == "the":
        reader.place = began
        return False
    reader.take()
    p.draft.relate(found.end, words, subject.end)
    return True


def _noun_done(p: Parse) -> str:
    """Take "did the NOUN" and return the noun ("" where it is anything else)."""
    reader = p.reader
    if reader.peek().lower not in DO:
        return ""
    reader.take()
    if not reader.skip(*_ARTICLES):
        return ""
    run = take_run(p)
    return "" if not run or run[-1].is_name else " ".join(atom.text for atom in run)


def in_capacity(p: Parse, target: Noun) -> bool:
    """Read "responsible as product manager for X", "acts as the director of X": the target is that of X."""
    reader = p.reader
    began = reader.place
    capacity = lemma_of(reader.peek().lower) in _CAPACITY and reader.at("as", ahead=1)
    reader.place += 2 * capacity
    reader.skip("the", "a", "an")
    run = take_run(p) if capacity else []
    if not run or run[-1].predicate is None or run[-1].is_name or not reader.skip("for", "of", "at"):
        reader.place = began
        return False
    base = noun(p)
    if base is None:
        reader.place = began
        return False
    p.draft.relate(base.end, " ".join(atom.text for atom in run), target.end)
    return True


def in_own_role(p: Parse, subject: Noun, verb: str, thing: Noun) -> bool:
    """Say "which producer worked on the most albums", "which country has the most suppliers" by the subject's noun.

    The noun names a relation of such things, and the verb ("" for "has") says nothing more.
    """
    entry = p.named_by.get(subject.end)
    if entry is None or not thing.is_class or verb and lemma_of(verb.split()[0].lower()) not in _LIGHT:
        return False
    groups = p.card.expand_classes(p.groups.get(thing.end, ()))
    if not groups.intersection(entry.domains):
        return False
    if not verb and _has_itself(p, subject, thing):
        return False
    p.draft.pending.pop(subject.end, "")
    p.draft.pending.pop(thing.end, "")
    p.draft.relate(thing.end, entry.label, subject.end)
    return True


def _has_itself(p: Parse, subject: Noun, thing: Noun) -> bool:
    """Tell whether things of the subject's class have a predicate called like the thing."""
    groups = p.card.expand_classes(p.groups.get(subject.end, ()))
    head = lemma_of(thing.head.split()[-1].lower())
    own = (entry for entry in p.card.predicates if groups.intersection(entry.domains))
    return any(head in map(lemma_of, entry.label.lower().split()) for entry in own)
