"""Names that no entity of a KG bears: recombined from the parts of names of one class."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.label_ranking import content_words
from rapidfuzz import fuzz

MAX_TRIED = 12
"""Recombinations that are tried for one name; set by hand."""
MAX_SIMILAR = 10
"""Labels that are compared with one name; set by hand."""
MAX_SIMILARITY = 88.0
"""Percent: a name that is more similar than this to a label could be a misspelling of it; set by hand."""
MAX_WORDS = 3
"""Words: the most of a recombined name; set by hand."""
MIN_PART = 3
"""Letters: the fewest of each part of a recombined single word; set by hand."""
_VOWELS = "aeiouyäöüåæøéèáàóòíì"
_DIGITS = re.compile(r"\d+")


def invent_name(kg: KnowledgeGraph, names: Sequence[str], rng: Random) -> str:
    """Return a name that looks like ``names`` and that no label resembles; empty if there is none.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    plain_names = sorted({name for name in names if re.search(r"[^\W\d_]", name)})
    if len(plain_names) < 2:
        return ""
    pairs = (rng.sample(plain_names, 2) for _ in range(MAX_TRIED))
    candidates = list(dict.fromkeys(_recombine(one, other, rng) for one, other in pairs))
    for name in filter(None, candidates):
        if any(_resembles(name, label) for label in names):
            continue
        hits = kg.search([name], limit=MAX_SIMILAR)[name]
        if not any(_resembles(name, label) for hit in hits for label in (hit.label, hit.matched_label)):
            return name
    return ""


def _recombine(one: str, other: str, rng: Random) -> str:
    """Return the beginning of one name with the end of another; of names with numbers, one name with another number;
    empty if the parts do not go together."""
    if _DIGITS.search(one):
        return _DIGITS.sub(lambda match: _other_number(match[0], rng), one)
    words, other_words = one.split(), other.split()
    all_words = [*words, *other_words]
    is_title = len(content_words(" ".join(all_words))) < len(all_words) or not all(w[0].isupper() for w in all_words)
    if len(words) != len(other_words) or is_title:
        return ""  # a title of several words means something: its parts do not go together
    if 1 < len(words) <= MAX_WORDS:
        return " ".join([*words[:-1], other_words[-1]])
    return _blend(one, other) if len(words) == 1 else ""


def _other_number(digits: str, rng: Random) -> str:
    return "".join(rng.choice("123456789") if index == 0 else rng.choice("0123456789") for index in range(len(digits)))


def _blend(one: str, other: str) -> str:
    """Return a word with the first syllables of one word and the last ones of another; empty if one is too short."""
    cuts = [index for index in _syllable_ends(one) if index >= MIN_PART]
    other_cuts = [index for index in _syllable_ends(other) if len(other) - index >= MIN_PART]
    return one[: cuts[0]] + other[other_cuts[-1] :].casefold() if cuts and other_cuts else ""


def _syllable_ends(word: str) -> Iterator[int]:
    """Yield the places in a word between a vowel and the consonant that begins the next syllable."""
    for index in range(1, len(word) - 1):
        if word[index].casefold() not in _VOWELS and word[index + 1].casefold() in _VOWELS:
            yield index


def _resembles(name: str, label: str) -> bool:
    """Tell whether a name is a label, a part of one or contains one, or is spelled almost like one."""
    folded, folded_label = name.casefold(), label.casefold()
    is_part = f" {folded} " in f" {folded_label} " or f" {folded_label} " in f" {folded} "
    is_code = bool(_DIGITS.search(name))
    same_words = set(folded.split()) == set(folded_label.split())
    return is_part or same_words or (not is_code and fuzz.ratio(folded, folded_label) > MAX_SIMILARITY)
