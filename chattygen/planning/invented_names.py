"""Names that no person of a KG bears: the given name of one with the family name of another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.label_ranking import SAME_SINGULAR, content_words
from rapidfuzz import fuzz

MAX_TRIED = 12
"""Recombinations that are tried for one name; set by hand."""
MAX_SIMILAR = 10
"""Labels that are compared with one name; set by hand."""
MAX_SIMILARITY = 88.0
"""Percent: a name that is more similar than this to a label could be a misspelling of it; set by hand."""
MAX_WORDS = 3
"""Words: the most of a recombined name; set by hand."""


def invent_name(kg: KnowledgeGraph, names: Sequence[str], rng: Random) -> str:
    """Return a name that is made of the names of persons and that no label resembles; empty if there is none.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    plain_names = sorted({name for name in names if re.search(r"[^\W\d_]", name)})
    if len(plain_names) < 2:
        return ""
    pairs = (rng.sample(plain_names, 2) for _ in range(MAX_TRIED))
    candidates = list(dict.fromkeys(_recombine(one, other) for one, other in pairs))
    for name in filter(None, candidates):
        if any(_resembles(name, label) for label in names):
            continue
        hits = kg.search([name], limit=MAX_SIMILAR)[name]
        if not any(_resembles(name, label) for hit in hits for label in (hit.label, hit.matched_label)):
            return name
    return ""


def borne_names(kg: KnowledgeGraph, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of some names that an entity of the KG bears.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    hits = kg.search(names, limit=1, whole_only=names) if names else {}
    return tuple(name for name in names if any(hit.score >= SAME_SINGULAR for hit in hits[name]))


def _recombine(one: str, other: str) -> str:
    """Return the given names of one person with the family name of another; empty if one of them is no such name."""
    words, other_words = one.split(), other.split()
    all_words = [*words, *other_words]
    are_names = len(content_words(" ".join(all_words))) == len(all_words) and all(map(_is_name_part, all_words))
    is_short = 1 < len(words) == len(other_words) <= MAX_WORDS
    return " ".join([*words[:-1], other_words[-1]]) if are_names and is_short else ""


def _is_name_part(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and word.replace("-", "").replace("'", "").isalpha()


def _resembles(name: str, label: str) -> bool:
    """Tell whether a name is a label, a part of one or contains one, or is spelled almost like one."""
    folded, folded_label = name.casefold(), label.casefold()
    is_part = f" {folded} " in f" {folded_label} " or f" {folded_label} " in f" {folded} "
    same_words = set(folded.split()) == set(folded_label.split())
    return is_part or same_words or fuzz.ratio(folded, folded_label) > MAX_SIMILARITY
