"""Units of measure: amounts in the unit in which a graph keeps them ("20 metres" as 2000 cm)."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from functools import lru_cache

from chattyshared.language.lexicon import load_lexicon, word_lists
from chattyshared.language.morphology import PREPOSITIONS
from chattyshared.literals import parse_number

_MAX_ABBREVIATION = 2
"""Letters of the longest abbreviated unit: in a sentence "in" and "m" are seldom units."""
_FACTORS: dict[str, tuple[str, float]] = {
    name: (dimension, factor)
    for dimension, units in load_lexicon("units")["dimensions"].items()
    for name, factor in units.items()
}
_ADJECTIVES = {unit: adjective for adjective, units in word_lists("units", "adjectives").items() for unit in units}
_TEN_DIGITS = Context(prec=10)


def measured_adjective(unit: str) -> str:
    """Return the adjective whose degree a unit measures ("minutes": lasting), or ""."""
    return _ADJECTIVES.get(_singular(unit), "")


def text_with_unit(label: str, comment: str) -> str:
    """Return the text that tells in which unit values are kept: the label, or the comment where that tells none."""
    if any(map(_factor_of, _words_of(label))):
        return label
    words = (word.strip(".,;:()[]") for word in comment.lower().split())
    return next((f"{label} {word}" for word in words if len(word) > _MAX_ABBREVIATION and _factor_of(word)), label)


@lru_cache(maxsize=20_000)
def drop_unit(label: str) -> str:
    """Return a label without the unit at its end ("elevation (m)": elevation), but not without a time."""
    *words, last = _words_of(label) or [""]
    factor = _factor_of(last)
    is_unit = factor is not None and factor[0] != "time" and last not in PREPOSITIONS
    words = words[:-1] if words[-1:] and words[-1] in PREPOSITIONS else words
    return " ".join(words) if words and is_unit else label


def convert_unit(value: str, unit: str, label: str) -> str:
    """Return a number in the unit that a predicate's label names last; as it is where none fits.

    ``convert_unit("20", "metres", "depth in centimetres")`` is "2000".
    """
    given = _factor_of(unit)
    kept = next((found for found in map(_factor_of, reversed(_words_of(label))) if found), None)
    number = parse_number(value)
    if given is None or kept is None or given[0] != kept[0] or given == kept or number is None:
        return value
    ratio = Decimal(repr(given[1])) / Decimal(repr(kept[1]))
    return f"{_TEN_DIGITS.multiply(number, ratio).normalize():f}"


def _words_of(label: str) -> list[str]:
    """Return the words of a label, without the brackets of "height (cm)"."""
    return re.sub(r"[()\[\],;]", " ", label.lower()).split()


def _factor_of(word: str) -> tuple[str, float] | None:
    return _FACTORS.get(word) or _FACTORS.get(_singular(word))


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word
