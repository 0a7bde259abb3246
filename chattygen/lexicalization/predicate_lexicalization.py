"""A predicate's label as English: a noun (``director``), clauses (``X was directed by Y``, ``Y directed X``), unit."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from chattyshared.language.inflection import plain_label

from chattygen.lexicalization.amounts import split_unit, unit_of
from chattygen.lexicalization.lexicon import MEASURE_ADJECTIVES, OBJECTS_BY_VERB, PREPOSITIONS
from chattygen.lexicalization.predicate_frames import PredicateFrame, frame_of_row, lexicalize_noun
from chattygen.lexicalization.word_forms import is_participle, lemmatize_verb


@lru_cache(maxsize=4096)
def lexicalize_predicate(label: str, comment: str = "", shape: str = "entity") -> PredicateFrame:
    """Return the frame of a predicate's label; the comment is a hint, ``shape`` is that of its objects."""
    words, unit = split_unit(plain_label(label).split(), shape, frozenset(MEASURE_ADJECTIVES))
    unit = unit or unit_of(label, comment)
    object_noun, article = _object_in_label(words, comment)
    if article:
        words = words[:-1]
    if words[0].lower() in ("has", "have") and len(words) > 1:
        words = words[2 if len(words) > 2 and words[1].lower() in ("a", "an", "the") else 1 :]
    first, *inner = words[:-1] or [""]
    inner = [word.lower() if word.lower() in PREPOSITIONS else word for word in inner]
    lower = " ".join([first.lower(), *inner, words[-1].lower()]).strip()
    be = _BE.fullmatch(lower)
    traits = {
        "label": be[2] if be else lower,
        "be": "" if be is None else "past" if be[1].startswith("w") else "present",
        "shape": shape,
        "ends_in_preposition": words[-1].lower() in PREPOSITIONS,
    }
    if shape == "boolean" and (flag := frame_of_row("flag", traits)) is not None:
        return flag
    frame = frame_of_row("label", traits) or lexicalize_noun(" ".join(words), comment, shape)
    if shape == "number" and frame.clauses and not frame.noun and words[-1] == "in" and _YEAR.match(comment.lower()):
        object_noun, frame = "year", replace(frame, clauses=(replace(frame.clauses[0], tense="past"),))
    object_noun = object_noun or frame.object_noun or _default_object_noun(frame)
    article = article or ("the" if object_noun == "side" else "")  # drives on the right
    return replace(frame, unit=unit, object_noun=object_noun, article=article)


_BE = re.compile(r"(is|are|was|were) (?:(?:an?|the) )?(.+)")
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
