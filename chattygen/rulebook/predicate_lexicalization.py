"""A predicate's label as English: a noun (``director``), clauses (``X was directed by Y``, ``Y directed X``), unit."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from chattyshared.language.inflection import (
    add_indefinite_article,
    denote_persons,
    head_noun,
    is_participle,
    is_plural,
    lemmatize_verb,
    plain_label,
    pluralize,
    singularize,
)
from chattyshared.language.quantities import split_unit, unit_of

from chattygen.rulebook.lexicon import (
    ADVERBS,
    BARE_OBJECTS,
    MEASURE_ADJECTIVES,
    NOUNS_IN_EED,
    NOUNS_IN_ING,
    OBJECTS_BY_VERB,
    PAST_ADVERBS,
    PREPOSITIONS,
    STATIVE_VERBS,
    THIRD_PERSONS,
    VERBS,
    VERBS_ONLY,
)
from chattygen.rulebook.predicate_frames import ClauseFrame, PredicateFrame, lexicalize_noun

_NUMBER_OF = re.compile(r"^(?:total )?(?:number|num|no\.?|nr\.?|count) of (.+)$")


@lru_cache(maxsize=4096)
def lexicalize_predicate(label: str, comment: str = "", shape: str = "entity") -> PredicateFrame:
    """Read a predicate's label (its comment is a hint) as English; ``shape`` is that of its objects."""
    words, unit = split_unit(plain_label(label).split(), shape, frozenset(MEASURE_ADJECTIVES))
    unit = unit or unit_of(label, comment)
    gap, article = _gap(words, comment)
    if article:
        words = words[:-1]
    if words[0].lower() in ("has", "have") and len(words) > 1:
        words = words[1:]
    if words[0].lower() in ("is", "are", "was", "were") and len(words) > 1:
        found = _being(words[1:], "past" if words[0].lower() in ("was", "were") else "present", shape)
    else:
        found = _verbal(words, shape) or lexicalize_noun(" ".join(words), comment, shape)
    return replace(found, unit=unit, object_noun=gap or found.object_noun or _left_open(found), article=article)


def _left_open(found: PredicateFrame) -> str:
    """Return the noun for what a verb leaves open: *languages* are what one speaks."""
    clause = found.clauses[0] if len(found.clauses) == 1 else None
    if clause is None or clause.is_inverse:
        return ""
    verb = (
        lemmatize_verb(clause.complement)
        if clause.verb == "be" and is_participle(clause.complement)
        else clause.complement or clause.verb
    )
    return OBJECTS_BY_VERB.get(f"{verb} {clause.preposition}".strip(), "")


def _gap(words: list[str], comment: str) -> tuple[str, str]:
    """Return the noun and the article of what a label leaves open: ``lies on the river``, ``drives on the`` (side)."""
    lower = [word.lower() for word in words]
    if len(words) > 1 and lower[-1] in ("the", "a", "an"):
        said = re.match(r"(?:the|an?|which|what) ([a-z]+)\b", comment.lower())
        return said[1] if said else "", lower[-1]
    if len(words) > 3 and lower[1] in PREPOSITIONS and lower[2] in ("the", "a", "an"):
        return " ".join(words[3:]), ""
    return "", ""


def _being(words: list[str], tense: Literal["present", "past"], shape: str) -> PredicateFrame:
    """Read what follows ``is`` or ``was``: ``part of``, ``located in``, ``author of``, ``similar to``."""
    if words[0] in ("a", "an", "the"):
        words = words[1:]
    if len(words) > 1 and words[-1] in PREPOSITIONS:
        stem = words[:-1]
        if is_participle(stem[-1]):
            return _passive(stem, words[-1])
        return _adjectival(stem, words[-1])
    if is_participle(words[-1]):
        return PredicateFrame("", (ClauseFrame("be", " ".join(words), tense=tense),))
    flag = len(words) == 1 and shape in ("text", "number") and not denote_persons(words[-1:])
    return PredicateFrame(f'value for "is {words[0]}"' if flag else " ".join(words))


def _verbal(words: list[str], shape: str) -> PredicateFrame | None:
    """Read a label that begins or ends like a verb phrase; None if it is a noun phrase."""
    if len(words) == 1:
        return _one_word(words[0].lower(), shape)
    first, last = words[0].lower(), words[-1].lower()
    if first == "part" and words[1].lower() == "of" and len(words) > 2:
        return replace(_adjectival(words[:1], "of"), object_noun=" ".join(words[2:]))
    if last in ("until", "till", "since") and shape == "date":
        mark = f"{'start' if last == 'since' else 'end'} date"
        return PredicateFrame(" ".join([mark, *words[:-1]] if first in PREPOSITIONS else [*words[:-1], mark]))
    if first in ("in", "at", "on", "near") and last not in PREPOSITIONS and shape in ("entity", "text"):
        return PredicateFrame("", (ClauseFrame("be", preposition=first),), object_noun=" ".join(words[1:]))
    if last in PREPOSITIONS:
        if len(words) == 3 and is_participle(first) and words[1].lower() in PREPOSITIONS:
            return _passive(words[:-1], last)
        if is_participle(words[-2].lower()) and all(w.lower() in ADVERBS or w.endswith("ly") for w in words[:-2]):
            return _passive(words[:-1], last)
        verb = _finite(first) or _third_person(first, last)
        if verb:
            said = words[1] if verb == "take" and words[1] in BARE_OBJECTS else _object_noun(words[1:-1])
            return PredicateFrame("", (ClauseFrame(verb, said, preposition=last),))
        if is_participle(first) and words[1].lower() in ("a", "an", "the") and lemmatize_verb(first) != first:
            return PredicateFrame(
                "", (ClauseFrame(lemmatize_verb(first), " ".join(words[1:-1]), preposition=last, tense="past"),)
            )
        return _adjectival(words[:-1], last)
    if is_participle(last) and all(word.lower() in ADVERBS for word in words[:-1]):
        return _passive(words, "in" if shape == "date" else "")
    return _with_its_object(words, shape)


def _with_its_object(words: list[str], shape: str) -> PredicateFrame | None:
    """Read ``lies on the river``, ``lost in battle``, ``plays instrument``; None if it is a noun phrase."""
    first, second = words[0].lower(), words[1].lower()
    if len(words) > 2 and second in PREPOSITIONS:
        verb = _finite(first) or _third_person(first, second)
        if verb and (first.endswith("s") or verb in VERBS_ONLY) and (second != "of" or verb == "consist"):
            return PredicateFrame("", (ClauseFrame(verb, preposition=second),))
        if is_participle(first) and shape in ("entity", "text"):
            return _passive(words[:1], second)
    verb = _finite(first) if first.endswith("s") else ""
    if not verb or first in ("works", "parts", "needs", "offers", "uses"):
        return None
    return PredicateFrame(singularize(" ".join(words[1:])), (ClauseFrame(verb),), event_verb=verb)


def _one_word(word: str, shape: str) -> PredicateFrame | None:
    """Read ``near``, ``starring``, ``employs``, ``founded``; None if it is a noun."""
    if word in PREPOSITIONS:
        return PredicateFrame("", (ClauseFrame("be", preposition=word),))
    if word.endswith("ing") and word not in NOUNS_IN_ING:
        return _gerund(word)
    if shape == "entity" and word in THIRD_PERSONS:
        return PredicateFrame("", (ClauseFrame(lemmatize_verb(word)),))
    if word in VERBS_ONLY or (word.endswith("s") and lemmatize_verb(word) in VERBS_ONLY and shape == "entity"):
        return PredicateFrame("", (ClauseFrame(lemmatize_verb(word)),))
    if is_participle(word) and word not in NOUNS_IN_EED:
        if shape == "entity":
            return PredicateFrame("", (ClauseFrame(lemmatize_verb(word), tense="past"),))
        return PredicateFrame("", (ClauseFrame("be", word, tense="past"),))
    return None


def _finite(word: str) -> str:
    """Return the base form of a verb in the third person (or in its base form), or the empty string."""
    base = lemmatize_verb(word)
    return base if (base in VERBS or base in VERBS_ONLY) and (word.endswith("s") or word == base) else ""


def _third_person(word: str, prep: str) -> str:
    """Return the base form of what ends like a verb before a preposition (``stands near``), or the empty string."""
    base = lemmatize_verb(word)
    ends = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return base if prep != "of" and ends and base != word else ""


def _object_noun(words: list[str]) -> str:
    noun = " ".join(words)
    return add_indefinite_article(noun) if noun and not is_plural(noun) and words[0] not in ("a", "an", "the") else noun


def _gerund(word: str) -> PredicateFrame:
    verb = lemmatize_verb(word)
    if verb == "star":
        return PredicateFrame("", (ClauseFrame("star", preposition="in", is_inverse=True), ClauseFrame("star")))
    return PredicateFrame("", (ClauseFrame(verb),))


def _passive(words: list[str], prep: str) -> PredicateFrame:
    """Read a participle with a preposition: ``directed by``, ``located in``, ``based on``."""
    phrasal = words[-1].lower() in PREPOSITIONS  # looked after by
    done = words[-2 if phrasal else -1].lower()
    before = "" if phrasal else " ".join(words[:-1])
    said = " ".join(words).lower() if phrasal else f"{before} {done}".strip()
    is_past = done not in STATIVE_VERBS or before in PAST_ADVERBS or (prep == "by" and done in _MADE)
    tense: Literal["present", "past"] = "past" if is_past else "present"
    passive = ClauseFrame("be", said, preposition=prep, tense=tense)
    if prep == "by":
        active = ClauseFrame(lemmatize_verb(done), words[-1].lower() if phrasal else "", tense=tense, is_inverse=True)
        return PredicateFrame("", (active, passive) if not before else (passive,))
    return PredicateFrame("", (passive,))


_MADE = frozenset("composed adapted inspired compared displayed presented".split())
"""Participles that are states with other prepositions, but with *by* tell what somebody did once."""


def _adjectival(words: list[str], prep: str) -> PredicateFrame:
    """Read an adjective or noun with a preposition: ``responsible for``, ``member of``, ``successor to``."""
    noun = " ".join(words)
    last = words[-1].lower()
    if prep == "by":
        made = ClauseFrame("do", f"the {noun}", preposition="for", tense="past", is_inverse=True)
        return PredicateFrame("", (made, ClauseFrame("have", add_indefinite_article(noun), preposition="by")))
    if prep != "of" and not _is_noun(last):
        return PredicateFrame("", (ClauseFrame("be", noun, preposition=prep),))
    if last == "part":
        return PredicateFrame("", (ClauseFrame("be", noun, "parts", preposition=prep),))
    if last.endswith(("able", "ible", "ful", "ous")) or last in (
        "capable",
        "typical",
        "full",
        "north",
        "south",
        "aware",
    ):
        return PredicateFrame("", (ClauseFrame("be", noun, preposition=prep),))
    noun = singularize(noun)
    return PredicateFrame("", (ClauseFrame("be", f"{_article(noun)} {noun}", pluralize(noun), preposition=prep),))


def _article(noun: str) -> str:
    unique = head_noun(noun) in ("capital", "successor", "predecessor", "head", "headquarters", "king", "queen", "seat")
    return "the" if unique else add_indefinite_article(noun).split()[0]


def _is_noun(word: str) -> bool:
    return denote_persons([word]) or word in ("award", "prize", "reason", "gift", "answer", "key", "guide", "member")
