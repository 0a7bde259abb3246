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
    is_plural,
    plain_label,
    pluralize,
    singularize,
)
from chattyshared.language.wordnet import has_sense, is_verb, noun_kinds

from chattygen.lexicalization.amounts import split_unit, unit_of
from chattygen.lexicalization.lexicon import (
    ADVERBS,
    BARE_OBJECTS,
    MEASURE_ADJECTIVES,
    NOUNS_IN_EED,
    NOUNS_IN_ING,
    OBJECTS_BY_VERB,
    PARTICLES,
    PAST_ADVERBS,
    PREPOSITIONS,
    STATIVE_VERBS,
    THIRD_PERSONS,
    VERBS,
    VERBS_ONLY,
)
from chattygen.lexicalization.predicate_frames import ClauseFrame, PredicateFrame, clause_from, lexicalize_noun
from chattygen.lexicalization.rows import fill_slots, fitting_rows
from chattygen.lexicalization.word_forms import (
    IRREGULAR_VERBS,
    base_of_participle,
    is_participle,
    lemmatize_verb,
    third_person,
)


@lru_cache(maxsize=4096)
def lexicalize_predicate(label: str, comment: str = "", shape: str = "entity") -> PredicateFrame:
    """Return the frame of a predicate's label; the comment is a hint, ``shape`` is that of its objects."""
    words, unit = split_unit(plain_label(label).split(), shape, frozenset(MEASURE_ADJECTIVES))
    unit = unit or unit_of(label, comment)
    object_noun, article = _object_in_label(words, comment)
    if article:
        words = words[:-1]
    if words[0].lower() in ("has", "have") and len(words) > 1:
        words = words[1:]
    if (frame_of_row := _frame_of_row(words, shape)) is not None:
        frame = frame_of_row
    elif words[0].lower() in ("is", "are", "was", "were") and len(words) > 1:
        frame = _be_frame(words[1:], "past" if words[0].lower() in ("was", "were") else "present")
    else:
        frame = _verb_frame(words, shape) or lexicalize_noun(" ".join(words), comment, shape)
    if shape == "number" and frame.clauses and not frame.noun and words[-1] == "in" and _YEAR.match(comment.lower()):
        object_noun, frame = "year", replace(frame, clauses=(replace(frame.clauses[0], tense="past"),))
    return replace(
        frame, unit=unit, object_noun=object_noun or frame.object_noun or _default_object_noun(frame), article=article
    )


_YEAR = re.compile(r"(?:the |an? )?(?:\w+ )?year\b")
"""The beginning of a comment that says that a number is a year."""


def _default_object_noun(frame: PredicateFrame) -> str:
    """Return the noun for the object of a verb: a person speaks a *language*."""
    clause = frame.clauses[0] if len(frame.clauses) == 1 else None
    if clause is None or clause.is_inverse:
        return ""
    verb = (
        lemmatize_verb(clause.complement)
        if clause.verb == "be" and is_participle(clause.complement)
        else clause.complement or clause.verb
    )
    return OBJECTS_BY_VERB.get(f"{verb} {clause.preposition}".strip(), "")


def _object_in_label(words: list[str], comment: str) -> tuple[str, str]:
    """Return the noun and the article of the object that a label names: ``lies on the river``, ``drives on the``."""
    lower = [word.lower() for word in words]
    if len(words) > 1 and lower[-1] in ("the", "a", "an"):
        match = re.match(r"(?:the|an?|which|what) ([a-z]+)\b", comment.lower())
        return match[1] if match else "", lower[-1]
    if len(words) > 3 and lower[1] in PREPOSITIONS and lower[2] in ("the", "a", "an"):
        return " ".join(words[3:]), ""
    return "", ""


def _be_frame(words: list[str], tense: Literal["present", "past"]) -> PredicateFrame:
    """Return the frame of the words behind ``is`` or ``was``: ``part of``, ``located in``, ``author of``."""
    if words[0] in ("a", "an", "the"):
        words = words[1:]
    if len(words) > 1 and words[-1] in PREPOSITIONS:
        stem = words[:-1]
        if is_participle(stem[-1]):
            return _passive_frame(stem, words[-1])
        return _adjective_frame(stem, words[-1])
    if is_participle(words[-1]):
        return PredicateFrame("", (ClauseFrame("be", " ".join(words), tense=tense),))
    return PredicateFrame(" ".join(words))


def _frame_of_row(words: list[str], shape: str) -> PredicateFrame | None:
    """Return the frame of the first row ``label`` of ``frames.toml`` that fits; None for one word and if none fits."""
    if len(words) == 1:
        return None
    first, last = words[0].lower(), words[-1].lower()
    traits = {
        "label": " ".join([first, *words[1:-1], last]),
        "shape": shape,
        "first": first,
        "a_first": add_indefinite_article(first),
        "first_is_person": denote_persons([first]),
        "before_is_participle": is_participle(words[-2].lower()),
        "ends_in_preposition": last in PREPOSITIONS,
    }
    for row, groups in fitting_rows("frames", "label", traits):
        clauses = (clause_from(row, traits, groups),) if "verb" in row else ()
        noun, object_noun = (fill_slots(row.get(name, ""), traits, groups) for name in ("noun", "object_noun"))
        return PredicateFrame(noun, clauses, object_noun=object_noun)
    return None


def _verb_frame(words: list[str], shape: str) -> PredicateFrame | None:
    """Return the frame of a verb phrase; None for a noun phrase."""
    if len(words) == 1:
        return _single_word_frame(words[0].lower(), shape)
    last = words[-1].lower()
    if last in PREPOSITIONS:
        return _frame_before_preposition(words, shape)
    if is_participle(last) and all(word.lower() in ADVERBS for word in words[:-1]):
        return _passive_frame(words, "in" if shape == "date" else "")
    return _verb_with_object_frame(words, shape)


def _frame_before_preposition(words: list[str], shape: str) -> PredicateFrame:
    """Return the frame of words with a preposition last: ``designed by``, ``carried out by``, ``date cast on``."""
    first, last = words[0].lower(), words[-1].lower()
    if len(words) > 2 and is_participle(words[-3].lower()) and words[-2].lower() in PARTICLES:
        return _passive_frame(words[-3:-1], last)  # carried out by, work carried out by
    if is_participle(words[-2].lower()) and all(w.lower() in ADVERBS or w.endswith("ly") for w in words[:-2]):
        return _passive_frame(words[:-1], last)
    past = _base_of_past(first)
    verb = past or _base_form(first) or _base_form_before_preposition(first, last)
    if verb:
        complement = words[1] if verb == "take" and words[1] in BARE_OBJECTS else _object_noun(words[1:-1])
        clause = ClauseFrame(verb, complement, preposition=last, tense="past" if past else "present")
        return PredicateFrame("", (clause,))
    if is_participle(first) and words[1].lower() in ("a", "an", "the") and lemmatize_verb(first) != first:
        return PredicateFrame(
            "", (ClauseFrame(lemmatize_verb(first), " ".join(words[1:-1]), preposition=last, tense="past"),)
        )
    return _adjective_frame(words[:-1], last)


def _verb_with_object_frame(words: list[str], shape: str) -> PredicateFrame | None:
    """Return the frame of ``lies on the river``, ``lost in battle``, ``plays instrument``, ``directly overlies``; None
    for a noun phrase."""
    if shape == "number":  # packs in stock
        return None
    first, second = words[0].lower(), words[1].lower()
    base = lemmatize_verb(second)
    if shape == "entity" and len(words) == 2 and first.endswith("ly") and second == third_person(base) != base:
        return None if noun_kinds(base) else PredicateFrame("", (ClauseFrame(f"{first} {base}"),))
    if len(words) > 2 and second in PREPOSITIONS:
        verb = _base_form(first) or _base_form_before_preposition(first, second)
        if verb and (first.endswith("s") or verb in VERBS_ONLY) and (second != "of" or verb == "consist"):
            return PredicateFrame("", (ClauseFrame(verb, preposition=second),))
        if is_participle(first) and shape in ("entity", "text"):
            return _passive_frame(words[:1], second)
    verb = _base_form(first) if first.endswith("s") else ""
    if not verb or first in ("works", "parts", "needs"):
        return None
    return PredicateFrame(singularize(" ".join(words[1:])), (ClauseFrame(verb),), event_verb=verb)


def _single_word_frame(word: str, shape: str) -> PredicateFrame | None:
    """Return the frame of ``near``, ``starring``, ``employs``, ``founded``; None for a noun."""
    if word in PREPOSITIONS:
        return PredicateFrame("", (ClauseFrame("be", preposition=word),))
    is_noun = shape != "entity" and bool(noun_kinds(word))  # a bearing
    if word.endswith("ing") and word not in NOUNS_IN_ING and lemmatize_verb(word) != word and not is_noun:
        return _gerund_frame(word)
    base = lemmatize_verb(word)
    is_verb_only = word == third_person(base) != base and is_verb(base) and not noun_kinds(base)  # assesses
    if shape == "entity" and (word in THIRD_PERSONS or is_verb_only):
        return PredicateFrame("", (ClauseFrame(lemmatize_verb(word)),))
    if word in VERBS_ONLY or (word.endswith("s") and lemmatize_verb(word) in VERBS_ONLY and shape != "number"):
        return PredicateFrame("", (ClauseFrame(lemmatize_verb(word)),))
    if is_participle(word) and word not in NOUNS_IN_EED:
        if shape == "entity":
            return PredicateFrame("", (ClauseFrame(lemmatize_verb(word), tense="past"),))
        return PredicateFrame("", (ClauseFrame("be", word, tense="past"),))
    return None


def _base_form(word: str) -> str:
    """Return the base form of a verb in the third person (or in its base form), or the empty string."""
    base = lemmatize_verb(word)
    return base if (base in VERBS or base in VERBS_ONLY) and (word.endswith("s") or word == base) else ""


def _base_of_past(word: str) -> str:
    """Return the base form of an irregular past tense that is no participle (``took``), or the empty string."""
    return next((base for base, (past, participle) in IRREGULAR_VERBS.items() if word == past != participle), "")


def _base_form_before_preposition(word: str, preposition: str) -> str:
    """Return the base form of a word that ends like a verb before a preposition (``stands near``), or ""."""
    base = lemmatize_verb(word)
    ends_like_verb = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return base if preposition != "of" and ends_like_verb and base != word else ""


def _object_noun(words: list[str]) -> str:
    noun = " ".join(words)
    return add_indefinite_article(noun) if noun and not is_plural(noun) and words[0] not in ("a", "an", "the") else noun


def _gerund_frame(word: str) -> PredicateFrame:
    verb = lemmatize_verb(word)
    if verb == "star":
        return PredicateFrame("", (ClauseFrame("star", preposition="in", is_inverse=True), ClauseFrame("star")))
    return PredicateFrame("", (ClauseFrame(verb),))


def _passive_frame(words: list[str], preposition: str) -> PredicateFrame:
    """Return the frame of a participle with a preposition: ``directed by``, ``located in``, ``based on``."""
    is_phrasal = words[-1].lower() in PARTICLES  # looked after by
    participle = words[-2 if is_phrasal else -1].lower()
    adverbs = "" if is_phrasal else " ".join(words[:-1])
    complement = " ".join(words).lower() if is_phrasal else f"{adverbs} {participle}".strip()
    is_past = (
        participle not in STATIVE_VERBS
        or adverbs in PAST_ADVERBS
        or (preposition == "by" and participle in _EVENTS_BEHIND_BY)
    )
    tense: Literal["present", "past"] = "past" if is_past else "present"
    passive = ClauseFrame("be", complement, preposition=preposition, tense=tense)
    if preposition == "by":
        active = ClauseFrame(
            base_of_participle(participle), words[-1].lower() if is_phrasal else "", tense=tense, is_inverse=True
        )
        return PredicateFrame("", (active, passive) if not adverbs else (passive,))
    return PredicateFrame("", (passive,))


_EVENTS_BEHIND_BY = frozenset("composed adapted inspired compared displayed presented".split())
"""Participles that tell an event behind *by*, and a state behind other prepositions."""


def _adjective_frame(words: list[str], preposition: str) -> PredicateFrame:
    """Return the frame of an adjective or noun with a preposition: ``responsible for``, ``member of``."""
    noun = " ".join(words)
    last = words[-1].lower()
    if preposition == "by":
        active = ClauseFrame("do", f"the {noun}", preposition="for", tense="past", is_inverse=True)
        return PredicateFrame("", (active, ClauseFrame("have", add_indefinite_article(noun), preposition="by")))
    if preposition != "of" and not _is_noun(last):
        is_thing = noun_kinds(last)[:1] in (("communication",), ("artifact",)) and not has_sense(last, "a")
        complement = add_indefinite_article(noun) if is_thing and not is_plural(noun) else noun  # a claim for
        return PredicateFrame("", (ClauseFrame("be", complement, preposition=preposition),))
    if last == "part":
        return PredicateFrame("", (ClauseFrame("be", noun, "parts", preposition=preposition),))
    if last.endswith(("able", "ible", "ful", "ous")) or last in (
        "capable",
        "typical",
        "full",
        "north",
        "south",
        "aware",
    ):
        return PredicateFrame("", (ClauseFrame("be", noun, preposition=preposition),))
    noun = singularize(noun)
    return PredicateFrame(
        "", (ClauseFrame("be", f"{_article(noun)} {noun}", pluralize(noun), preposition=preposition),)
    )


def _article(noun: str) -> str:
    unique = head_noun(noun) in ("capital", "successor", "predecessor", "head", "headquarters", "king", "queen", "seat")
    return "the" if unique else add_indefinite_article(noun).split()[0]


def _is_noun(word: str) -> bool:
    return denote_persons([word]) or word in ("award", "prize", "reason", "gift", "answer", "key", "guide", "member")
