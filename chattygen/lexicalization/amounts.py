"""Amounts in questions: the unit of a predicate's values, and how numbers and dates are written."""

from __future__ import annotations

import re
from functools import cache

from chattyshared.language.inflection import head_noun
from chattyshared.language.lexicon import word_map, word_set
from chattyshared.language.quantities import unit_forms, unit_names

_SCALES = word_map("units", "scales")
_CODES = word_set("units", "code_nouns")
_MEASURES = word_set("units", "measure_nouns")


@cache
def _label_names() -> frozenset[str]:
    return frozenset(unit_names()[form] for form in unit_forms("label"))


def unit_of(label: str, comment: str) -> str:
    """Return the unit that a label has in brackets or a comment names (``in minutes``, ``Grams, cleaned``), or ""."""
    match = re.search(r"[(\[](?:in )?([^)\]]{1,24})[)\]]\s*$", label)
    if match:
        return _unit_name(match[1])
    first = _FIRST_WORDS.match(comment.lower())
    if first and (unit := _unit_name(first[1])):
        return unit
    is_unit = _label_names() | unit_forms("noun") | {"pence", "cents"}
    for power, word, rate in _UNIT_IN_COMMENT.findall(comment.lower()):
        if word in is_unit:
            per, _, each = rate.rpartition(" ")
            each = unit_names().get(each, each).removesuffix("s") if len(each) < _MIN_UNIT_WORD else each
            return f"{power}{unit_names().get(word, word)}{per}{' ' * bool(each)}{each}"
    return ""


_UNIT_IN_COMMENT = re.compile(
    r"\bin ((?:(?:millions|thousands) of )?(?:(?:square|cubic) )?)([a-z]+)\b( per (?:(?:square|cubic) )?[a-z]+)?"
)
_MIN_UNIT_WORD = 4
"""Letters of a unit's full name, at least."""
_FIRST_WORDS = re.compile(
    r"((?:(?:square|cubic) )?[a-z]{3,}s)(?=$|[.,;:(]| (?:above|below|after|before|without|with)\b)"
)
"""The unit in the plural that a comment begins with."""


def split_unit(words: list[str], value_shape: str, measures: frozenset[str]) -> tuple[list[str], str]:
    """Take a unit off the end of a label without brackets: ``length km``, ``weight_in_grams``.

    Args:
        words: The words of the label.
        value_shape: The shape of the predicate's values; only ``number`` has units.
        measures: Nouns of measures (``length``): behind them a unit may be one letter or a noun of its own.

    Returns:
        The words without the unit, and the unit's plural name or "".
    """
    if value_shape != "number" or len(words) < 2:
        return words, ""
    lower = [word.lower() for word in words]
    for index in (len(words) - 2, len(words) - 3):
        if index > 0 and lower[index] == "in" and (name := _unit_name(" ".join(lower[index + 1 :]))):
            return words[:index], name
    last, before, pair = lower[-1], " ".join(lower[:-1]), _unit_name(" ".join(lower[-2:])) if len(words) > 2 else ""
    if pair and lower[-2] in ("square", "cubic"):
        return words[:-2], pair
    is_measure = before in measures or lower[-2] in measures | _MEASURES
    if last not in unit_forms("label") or not (is_measure or (len(last) > 1 and last not in unit_forms("noun"))):
        return words, ""
    return (words[:-2], pair) if pair else (words[:-1], unit_names()[last])


def _unit_name(text: str) -> str:
    """Return the unit that a text names, in the plural: ``cm``, ``square metre``, ``million EUR``; else ""."""
    folded = text.strip().lower()
    name = unit_names().get(folded, "")
    if name or " " not in folded:
        return name
    first, rest = folded.split(" ", 1)
    inner = _unit_name(rest)
    if inner and first in _SCALES:
        return f"{_SCALES[first]}s of {inner}"
    return f"{first} {inner}" if inner and first in ("square", "cubic") else ""


def render_amount(value: str, unit: str) -> str:
    """Write a number with its unit: ``120 minutes``, ``1 minute``, ``40 million euros``, ``7 percent``."""
    scale = re.match(r"(million|billion|thousand)s(?: of (.+))?$", unit)
    if scale:
        return " ".join(part for part in (value, scale[1], scale[2] or "") if part)
    return f"{value} {unit}" if unit else value


def group_digits(value: str, noun: str = "") -> str:
    """Write a number as English does: ``331,449,281``; a code or a year (by its noun) stays as it is."""
    if head_noun(noun) in _CODES or _CODES & set(noun.lower().split()):
        return value
    match = re.fullmatch(r"([+-]?)(\d{5,})(\.\d+)?", value)
    return f"{match[1]}{int(match[2]):,}{match[3] or ''}" if match and match[2][0] != "0" else value


def render_year(year: int) -> str:
    """Return a year in words: ``1850``, ``700 BC``."""
    return f"{-year} BC" if year < 0 else str(year)
