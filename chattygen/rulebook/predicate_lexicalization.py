"""A predicate's label as English: a noun (``director``), clauses (``X was directed by Y``, ``Y directed X``), unit."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from chattygen.rulebook.amounts import unit_of, without_unit
from chattygen.rulebook.lexicon import (
    ADVERBS,
    BARE_OBJECTS,
    BYGONE,
    NEVER_NOUNS,
    NOUNS_IN_ING,
    OBJECTS,
    PAST_AS_NOUN,
    PREPOSITIONS,
    STATIVE,
    THIRD_PERSONS,
    VERBS,
)
from chattygen.rulebook.predicate_frames import Clause, Relation, nominal
from chattygen.rulebook.words import (
    head,
    indefinite,
    is_participle,
    is_plural,
    lemma,
    mean_person,
    plain,
    plural,
    singular,
)

_NUMBER_OF = re.compile(r"^(?:total )?(?:number|num|no\.?|nr\.?|count) of (.+)$")


@lru_cache(maxsize=4096)
def relation(label: str, comment: str = "", shape: str = "entity") -> Relation:
    """Read a predicate's label (its comment is a hint) as English; ``shape`` is that of its objects."""
    words, unit = without_unit(plain(label).split(), shape)
    unit = unit or unit_of(label, comment)
    gap, article = _gap(words, comment)
    if article:
        words = words[:-1]
    if words[0].lower() in ("has", "have") and len(words) > 1:
        words = words[1:]
    if words[0].lower() in ("is", "are", "was", "were") and len(words) > 1:
        found = _being(words[1:], "past" if words[0].lower() in ("was", "were") else "present", shape)
    else:
        found = _verbal(words, shape) or nominal(" ".join(words), comment, shape)
    return replace(found, unit=unit, gap=gap or found.gap or _left_open(found), article=article)


def _left_open(found: Relation) -> str:
    """Return the noun for what a verb leaves open: *languages* are what one speaks."""
    clause = found.clauses[0] if len(found.clauses) == 1 else None
    if clause is None or clause.flipped:
        return ""
    verb = lemma(clause.said) if clause.verb == "be" and is_participle(clause.said) else clause.said or clause.verb
    return OBJECTS.get(f"{verb} {clause.prep}".strip(), "")


def _gap(words: list[str], comment: str) -> tuple[str, str]:
    """Return the noun and the article of what a label leaves open: ``lies on the river``, ``drives on the`` (side)."""
    lower = [word.lower() for word in words]
    if len(words) > 1 and lower[-1] in ("the", "a", "an"):
        said = re.match(r"(?:the|an?|which|what) ([a-z]+)\b", comment.lower())
        return said[1] if said else "", lower[-1]
    if len(words) > 3 and lower[1] in PREPOSITIONS and lower[2] in ("the", "a", "an"):
        return " ".join(words[3:]), ""
    return "", ""


def _being(words: list[str], tense: Literal["present", "past"], shape: str) -> Relation:
    """Read what follows ``is`` or ``was``: ``part of``, ``located in``, ``author of``, ``similar to``."""
    if words[0] in ("a", "an", "the"):
        words = words[1:]
    if len(words) > 1 and words[-1] in PREPOSITIONS:
        stem = words[:-1]
        if is_participle(stem[-1]):
            return _passive(stem, words[-1])
        return _adjectival(stem, words[-1])
    if is_participle(words[-1]):
        return Relation("", (Clause("be", " ".join(words), tense=tense),))
    flag = len(words) == 1 and shape in ("text", "number") and not mean_person(words[-1:])
    return Relation(f'value for "is {words[0]}"' if flag else " ".join(words))


def _verbal(words: list[str], shape: str) -> Relation | None:
    """Read a label that begins or ends like a verb phrase; None if it is a noun phrase."""
    if len(words) == 1:
        return _one_word(words[0].lower(), shape)
    first, last = words[0].lower(), words[-1].lower()
    if first == "part" and words[1].lower() == "of" and len(words) > 2:
        return replace(_adjectival(words[:1], "of"), gap=" ".join(words[2:]))
    if last in ("until", "till", "since") and shape == "date":
        mark = f"{'start' if last == 'since' else 'end'} date"
        return Relation(" ".join([mark, *words[:-1]] if first in PREPOSITIONS else [*words[:-1], mark]))
    if first in ("in", "at", "on", "near") and last not in PREPOSITIONS and shape in ("entity", "text"):
        return Relation("", (Clause("be", prep=first),), gap=" ".join(words[1:]))
    if last in PREPOSITIONS:
        if len(words) == 3 and is_participle(first) and words[1].lower() in PREPOSITIONS:
            return _passive(words[:-1], last)
        if is_participle(words[-2].lower()) and all(w.lower() in ADVERBS or w.endswith("ly") for w in words[:-2]):
            return _passive(words[:-1], last)
        verb = _finite(first) or _third_person(first, last)
        if verb:
            said = words[1] if verb == "take" and words[1] in BARE_OBJECTS else _object_noun(words[1:-1])
            return Relation("", (Clause(verb, said, prep=last),))
        if is_participle(first) and words[1].lower() in ("a", "an", "the") and lemma(first) != first:
            return Relation("", (Clause(lemma(first), " ".join(words[1:-1]), prep=last, tense="past"),))
        return _adjectival(words[:-1], last)
    if is_participle(last) and all(word.lower() in ADVERBS for word in words[:-1]):
        return _passive(words, "in" if shape == "date" else "")
    return _with_its_object(words, shape)


def _with_its_object(words: list[str], shape: str) -> Relation | None:
    """Read ``lies on the river``, ``lost in battle``, ``plays instrument``; None if it is a noun phrase."""
    first, second = words[0].lower(), words[1].lower()
    if len(words) > 2 and second in PREPOSITIONS:
        verb = _finite(first) or _third_person(first, second)
        if verb and (first.endswith("s") or verb in NEVER_NOUNS) and (second != "of" or verb == "consist"):
            return Relation("", (Clause(verb, prep=second),))
        if is_participle(first) and shape in ("entity", "text"):
            return _passive(words[:1], second)
    verb = _finite(first) if first.endswith("s") else ""
    if not verb or first in ("works", "parts", "needs", "offers", "uses"):
        return None
    return Relation(singular(" ".join(words[1:])), (Clause(verb),), done=verb)


def _one_word(word: str, shape: str) -> Relation | None:
    """Read ``near``, ``starring``, ``employs``, ``founded``; None if it is a noun."""
    if word in PREPOSITIONS:
        return Relation("", (Clause("be", prep=word),))
    if word.endswith("ing") and word not in NOUNS_IN_ING:
        return _gerund(word)
    if shape == "entity" and word in THIRD_PERSONS:
        return Relation("", (Clause(lemma(word)),))
    if word in NEVER_NOUNS or (word.endswith("s") and lemma(word) in NEVER_NOUNS and shape == "entity"):
        return Relation("", (Clause(lemma(word)),))
    if is_participle(word) and word not in PAST_AS_NOUN:
        if shape == "entity":
            return Relation("", (Clause(lemma(word), tense="past"),))
        return Relation("", (Clause("be", word, tense="past"),))
    return None


def _finite(word: str) -> str:
    """Return the base form of a verb in the third person (or in its base form), or the empty string."""
    base = lemma(word)
    return base if (base in VERBS or base in NEVER_NOUNS) and (word.endswith("s") or word == base) else ""


def _third_person(word: str, prep: str) -> str:
    """Return the base form of what ends like a verb before a preposition (``stands near``), or the empty string."""
    base = lemma(word)
    ends = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return base if prep != "of" and ends and base != word else ""


def _object_noun(words: list[str]) -> str:
    noun = " ".join(words)
    return indefinite(noun) if noun and not is_plural(noun) and words[0] not in ("a", "an", "the") else noun


def _gerund(word: str) -> Relation:
    verb = lemma(word)
    if verb == "star":
        return Relation("", (Clause("star", prep="in", flipped=True), Clause("star")))
    return Relation("", (Clause(verb),))


def _passive(words: list[str], prep: str) -> Relation:
    """Read a participle with a preposition: ``directed by``, ``located in``, ``based on``."""
    phrasal = words[-1].lower() in PREPOSITIONS  # looked after by
    done = words[-2 if phrasal else -1].lower()
    before = "" if phrasal else " ".join(words[:-1])
    said = " ".join(words).lower() if phrasal else f"{before} {done}".strip()
    is_past = done not in STATIVE or before in BYGONE or (prep == "by" and done in _MADE)
    tense: Literal["present", "past"] = "past" if is_past else "present"
    passive = Clause("be", said, prep=prep, tense=tense)
    if prep == "by":
        active = Clause(lemma(done), words[-1].lower() if phrasal else "", tense=tense, flipped=True)
        return Relation("", (active, passive) if not before else (passive,))
    return Relation("", (passive,))


_MADE = frozenset("composed adapted inspired compared displayed presented".split())
"""Participles that are states with other prepositions, but with *by* tell what somebody did once."""


def _adjectival(words: list[str], prep: str) -> Relation:
    """Read an adjective or noun with a preposition: ``responsible for``, ``member of``, ``successor to``."""
    noun = " ".join(words)
    last = words[-1].lower()
    if prep == "by":
        made = Clause("do", f"the {noun}", prep="for", tense="past", flipped=True)
        return Relation("", (made, Clause("have", indefinite(noun), prep="by")))
    if prep != "of" and not _is_noun(last):
        return Relation("", (Clause("be", noun, prep=prep),))
    if last == "part":
        return Relation("", (Clause("be", noun, "parts", prep=prep),))
    if last.endswith(("able", "ible", "ful", "ous")) or last in (
        "capable",
        "typical",
        "full",
        "north",
        "south",
        "aware",
    ):
        return Relation("", (Clause("be", noun, prep=prep),))
    noun = singular(noun)
    return Relation("", (Clause("be", f"{_article(noun)} {noun}", plural(noun), prep=prep),))


def _article(noun: str) -> str:
    unique = head(noun) in ("capital", "successor", "predecessor", "head", "headquarters", "king", "queen", "seat")
    return "the" if unique else indefinite(noun).split()[0]


def _is_noun(word: str) -> bool:
    return mean_person([word]) or word in ("award", "prize", "reason", "gift", "answer", "key", "guide", "member")
