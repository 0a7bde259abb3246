"""Quantities and dates: amounts as texts write them and as graphs keep them, units, decades and centuries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal
from functools import cache, lru_cache
from itertools import pairwise

from chattyshared.language.lexicon import load_lexicon, word_list, word_lists, word_set
from chattyshared.language.morphology import PREPOSITIONS
from chattyshared.literals import parse_number

MONTHS = tuple(month.lower() for month in word_list("dates", "months"))
"""The months, in lower case."""
_CURRENCY = r"[$€£¥]"
_AMOUNT = re.compile(
    rf"(?P<sign>-?)\s*+{_CURRENCY}?\s*+(?P<number>\d++(?:[.,]\d++)*+)\s*+{_CURRENCY}?\s*+(?P<unit>\S*)"
)
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"\d+,\d+")
_PLAIN = re.compile(r"\d+(\.\d+)?")
_WRITTEN = re.compile(r"\d+(?:(?:[.,'’\u00a0\u202f]| (?=\d{3}(?!\d)))\d+)*")
"""A number with the separators of any language: "1,234.5", "1.234,5", "1 234,5"."""
_SEPARATOR = re.compile(r"\D")
_ISO = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")
_DAY_FIRST = re.compile(r"(?:(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?([a-z]+)\.?,?\s+(\d{4})")
_MONTH_FIRST = re.compile(r"([a-z]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")

_TENS = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
         "nineties": 90}  # fmt: skip
_FROM_2000 = frozenset(("noughties", "naughties", "aughts"))
"""Words for the years from 2000 to 2009."""
_HUNDREDS = {"sixteen": 1600, "seventeen": 1700, "eighteen": 1800, "nineteen": 1900, "twenty": 2000}
_DECADE_PARTS = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}
"""First and last year of a part of a decade, counted from 0."""
_DECADE = re.compile(r"(\d\d)?(\d0)s?$")
_CENTURIES = {"sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
              "twenty-first": 21}  # fmt: skip
BEFORE_CHRIST = word_set("dates", "before_christ")
"""Words behind a year or a century before Christ."""
_MAX_ABBREVIATION = 2
"""Letters of the longest abbreviated unit: in a sentence "in" and "m" are seldom units."""
_DIMENSIONS: dict[str, dict[str, float]] = load_lexicon("units")["dimensions"]
_ADJECTIVES = {unit: adjective for adjective, units in word_lists("units", "adjectives").items() for unit in units}
_TEN_DIGITS = Context(prec=10)


@cache
def unit_forms(use: str) -> frozenset[str]:
    """Return the written forms of the units with one use; ``units.toml`` lists and explains the uses."""
    return frozenset(form for form, unit in load_lexicon("units")["forms"].items() if use in unit.get("uses", ()))


@cache
def unit_names() -> dict[str, str]:
    """Return the plural name of each written form of a unit: ``km`` is ``kilometers``."""
    return {form: unit["plural"] for form, unit in load_lexicon("units")["forms"].items() if "plural" in unit}


def written_number_at(text: str, position: int) -> str:
    """Return the number with its separators that holds a position of a text, "" if none does."""
    return next((match[0] for match in _WRITTEN.finditer(text) if match.start() <= position < match.end()), "")


def number_readings(text: str) -> frozenset[Decimal]:
    """Return the numbers in a text, in any digits; "1.234" is read with a thousands separator and as a decimal."""
    return frozenset(number for match in _WRITTEN.finditer(text) for number in _readings(match[0]))


def _readings(written: str) -> Iterator[Decimal]:
    first, *groups = _SEPARATOR.split(written)
    if all(len(group) == 3 for group in groups):
        yield Decimal("".join((first, *groups)))
    if groups and all(len(group) == 3 for group in groups[:-1]) and written[-len(groups[-1]) - 1] in ".,":
        yield Decimal(f"{''.join((first, *groups[:-1]))}.{groups[-1]}")


@lru_cache(maxsize=20_000)
def normalize_quantity(text: str) -> str:
    """Return the number (``1.06``) or the date (``1998-05-01``, ``1998-05``, ``1998``) that a text is, or ""."""
    folded = text.strip().casefold()
    return folded if _ISO.fullmatch(folded) else _parse_date(folded) or _parse_number(folded)


def parse_year_before_christ(text: str) -> str:
    """Return the form of XML Schema 1.0 of a year before Christ ("63 bc": -0063), "" for any other text."""
    digits, _, era = text.partition(" ")
    return f"-{int(digits):04d}" if era in BEFORE_CHRIST and digits.isdecimal() and len(digits) <= 4 else ""


def _parse_number(text: str) -> str:
    match = _AMOUNT.fullmatch(text)
    if not match or (match["unit"] and match["unit"].rstrip(".") not in unit_forms("amount")):
        return ""
    number = match["number"]
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    elif _DECIMAL_COMMA.fullmatch(number):
        number = number.replace(",", ".")
    return match["sign"] + number if _PLAIN.fullmatch(number) else ""


def _parse_date(text: str) -> str:
    if match := _MONTH_FIRST.fullmatch(text):
        month, day, year = match.groups()
    elif match := _DAY_FIRST.fullmatch(text):
        day, month, year = match.groups()
    else:
        return ""
    numbers = (number for number, name in enumerate(MONTHS, 1) if len(month) >= 3 and name.startswith(month))
    number = next(numbers, 0)
    if not number or int(day or 1) > 31:
        return ""
    return f"{year}-{number:02}" + (f"-{int(day):02}" if day else "")


@lru_cache(maxsize=20_000)
def parse_decade(text: str, *, is_plural: bool = False) -> tuple[int, int] | None:
    """Return the first and last year of a decade, None for any other text.

    ``is_plural``: an 's stands behind the text, as in "1980's". A decade of two digits is of the twentieth century;
    "the 00s" and "the noughties" are those from 2000.
    """
    words = re.sub(r"['’-]", " ", text).split()
    first, last = _DECADE_PARTS[words.pop(0)] if words and words[0] in _DECADE_PARTS else (0, 9)
    if len(words) == 2 and words[0] in _HUNDREDS and words[1] in _TENS:
        start = _HUNDREDS[words[0]] + _TENS[words[1]]
    elif len(words) == 1 and words[0] in _FROM_2000:
        start = 2000
    elif len(words) == 1 and words[0] in _TENS:
        start = 1900 + _TENS[words[0]]
    elif len(words) == 1 and (digits := _DECADE.match(words[0])) and (words[0].endswith("s") or is_plural):
        start = int(digits[1] or ("20" if digits[2] == "00" else "19")) * 100 + int(digits[2])
    else:
        return None
    return start + first, start + last


def parse_century(text: str) -> tuple[int, int] | None:
    """Return the first and last year of a century, None for any other text: the nineteenth goes from 1801 to 1900, and
    the first before Christ from -100 to -1."""
    ordinal, _, noun = text.partition(" ")
    noun, _, era = noun.partition(" ")
    if noun != "century" or (era and era not in BEFORE_CHRIST):
        return None
    digits = re.match(r"(\d{1,2})(?:st|nd|rd|th)$", ordinal)
    number = int(digits[1]) if digits else _CENTURIES.get(ordinal, 0)
    if era and number:
        return -100 * number, 99 - 100 * number
    return (100 * number - 99, 100 * number) if number else None


def measured_adjective(unit: str) -> str:
    """Return the adjective whose degree a unit measures ("minutes": lasting), or ""."""
    return _ADJECTIVES.get(_singular(unit), "")


def stated_unit(label: str, comment: str = "") -> str:
    """Return the unit in which values are kept: what a label names last, or else a comment first; "" without one."""
    words = ["", *(word.strip(".,;:()[]") for word in comment.lower().split())]
    told = (word for before, word in pairwise(words) if len(word) > _MAX_ABBREVIATION or before == "in")
    return next((word for word in (*reversed(_words_of(label)), *told) if _factors_of(word)), "")


def split_amount(text: str) -> tuple[str, str]:
    """Return the number and the unit of an amount ("70 kg"); any other text as it is, and ""."""
    number, _, unit = text.strip().partition(" ")
    is_amount = parse_number(number) is not None and bool(_factors_of(unit.lower().strip()))
    return (number, unit.lower().strip()) if is_amount else (text, "")


@lru_cache(maxsize=20_000)
def drop_unit(label: str) -> str:
    """Return a label without the unit at its end ("elevation (m)": elevation), but not without a time."""
    *words, last = _words_of(label) or [""]
    dimensions = _factors_of(last).keys()
    is_unit = bool(dimensions) and "time" not in dimensions and last not in PREPOSITIONS
    words = words[:-1] if words[-1:] and words[-1] in PREPOSITIONS else words
    return " ".join(words) if words and is_unit else label


def convert_unit(value: str, unit: str, kept: str) -> str:
    """Return a number in another unit; as it is where they do not compare.

    ``convert_unit("20", "metres", "centimetres")`` is "2000".
    """
    ratio, number = unit_ratio(unit, kept), parse_number(value)
    if ratio in (None, 1) or number is None:
        return value
    return f"{_TEN_DIGITS.multiply(number, ratio).normalize():f}"


def unit_ratio(unit: str, other: str) -> Decimal | None:
    """Return how many of another unit, or scale ("million"; "" is 1), one unit is; None where they do not compare."""
    if unit == other:
        return Decimal(1)
    given, kept = (_factors_of(each.lower()) or _scales_of(each.lower()) for each in (unit, other))
    shared = next((dimension for dimension in given if dimension in kept), None)
    return None if shared is None else Decimal(repr(given[shared])) / Decimal(repr(kept[shared]))


def _words_of(label: str) -> list[str]:
    """Return the words of a label, without the brackets of "height (cm)"."""
    return re.sub(r"[()\[\],;]", " ", label.lower()).split()


@lru_cache(maxsize=20_000)
def _factors_of(word: str) -> Mapping[str, float]:
    """Return the factor of a unit by dimension: a pound is a mass and money."""
    names = (word, _singular(word))
    return {
        dimension: next(units[name] for name in names if name in units)
        for dimension, units in _DIMENSIONS.items()
        if not units.keys().isdisjoint(names)
    }


def _scales_of(word: str) -> Mapping[str, float]:
    scale = 1 if not word else load_lexicon("closed_classes")["scales"].get(word)
    return {} if scale is None else {"": float(scale)}


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word
