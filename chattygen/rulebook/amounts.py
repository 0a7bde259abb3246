"""Numbers and units: which unit a predicate's label or comment names, and how an amount is said."""

from __future__ import annotations

import re

from chattygen.rulebook.lexicon import MEASURE_ADJECTIVES, UNITS
from chattygen.rulebook.words import head_noun

_SPELLED = frozenset(
    "millions million thousands years days minutes hours seconds months weeks metres kilometres".split()
)
_FULL = {
    **{f"{before}{said}{end}": f"{before}{unit}s" for before in ("", "milli", "centi", "kilo") for end in ("", "s")
       for said, unit in (("meter", "meter"), ("metre", "meter"), ("gram", "gram"), ("liter", "liter"),
                          ("litre", "liter"))},
    **{f"{unit}{end}": f"{unit}s" for end in ("", "s") for unit in
       """minute second hour day week month year mile yard acre hectare ton pound euro dollar watt kilowatt megawatt
       volt ampere knot degree""".split()},
    "foot": "feet", "feet": "feet", "inch": "inches", "inches": "inches", "tonne": "tons", "tonnes": "tons",
    "percent": "percent", "kelvin": "kelvins", "degrees celsius": "degrees Celsius",
    "degree celsius": "degrees Celsius", "degrees fahrenheit": "degrees Fahrenheit", "million": "millions",
    "millions": "millions", "thousand": "thousands",
    "thousands": "thousands", "billion": "billions", "billions": "billions",
}  # fmt: skip
_SCALES = {"million": "million", "millions": "million", "mio": "million", "mn": "million", "billion": "billion",
           "billions": "billion", "bn": "billion", "thousand": "thousand", "thousands": "thousand"}  # fmt: skip
_CODES = frozenset("code number no id identifier year years postcode zip isbn phone telephone fax index key".split())
"""Heads of nouns whose numbers are names or years: their digits are not parted."""


def unit_of(label: str, comment: str) -> str:
    """Return the unit that a label has in brackets, or that a comment names: ``in minutes``; empty if there is none."""
    match = re.search(r"[(\[](?:in )?([^)\]]{1,24})[)\]]\s*$", label)
    if match:
        return _named(match[1])
    said = re.findall(r"\bin ((?:square )?[a-z]+)\b", comment.lower())
    return next((UNITS.get(word, word) for word in said if word in UNITS.values() or word in _SPELLED), "")


def split_unit(words: list[str], shape: str) -> tuple[list[str], str]:
    """Take a unit off the end of a label without brackets: ``length km``, ``weight_in_grams``."""
    if shape != "number" or len(words) < 2:
        return words, ""
    lower = [word.lower() for word in words]
    for place in (len(words) - 2, len(words) - 3):
        if place > 0 and lower[place] == "in" and _named(" ".join(lower[place + 1 :])):
            return words[:place], _named(" ".join(lower[place + 1 :]))
    if len(words) > 2 and lower[-2] in ("square", "cubic") and _named(" ".join(lower[-2:])):
        return words[:-2], _named(" ".join(lower[-2:]))
    last, before = lower[-1], " ".join(lower[:-1])
    if (
        last in UNITS
        and (len(last) > 1 or before in MEASURE_ADJECTIVES)
        and not (last in _SPELLED and before not in MEASURE_ADJECTIVES)
    ):
        if len(words) > 2 and _named(" ".join(lower[-2:])):
            return words[:-2], _named(" ".join(lower[-2:]))
        return words[:-1], UNITS[last]
    return words, ""


def _named(text: str) -> str:
    """Return the unit that a text names, in the plural: ``cm``, ``square metre``, ``million EUR``; else nothing."""
    said = text.strip().lower()
    known = UNITS.get(said) or _FULL.get(said, "")
    if known or " " not in said:
        return known
    first, rest = said.split(" ", 1)
    inner = _named(rest)
    if inner and first in _SCALES:
        return f"{_SCALES[first]}s of {inner}"
    return f"{first} {inner}" if inner and first in ("square", "cubic") else ""


def render_amount(value: str, unit: str) -> str:
    """Say a number with its unit: ``120 minutes``, ``1 minute``, ``40 million euros``, ``7 percent``."""
    scale = re.match(r"(million|billion|thousand)s(?: of (.+))?$", unit)
    if scale:
        return " ".join(part for part in (value, scale[1], scale[2] or "") if part)
    return f"{value} {unit}" if unit else value


def group_digits(value: str, noun: str = "") -> str:
    """Say a number as English writes it: ``331,449,281``; what is a code or a year (by its noun) stays as it is."""
    if head_noun(noun) in _CODES or _CODES & set(noun.lower().split()):
        return value
    match = re.fullmatch(r"([+-]?)(\d{5,})(\.\d+)?", value)
    return f"{match[1]}{int(match[2]):,}{match[3] or ''}" if match and match[2][0] != "0" else value
