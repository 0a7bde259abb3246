"""Quantities and dates: amounts as texts write them, units of measure, decades and centuries, and how to write them."""

from __future__ import annotations

import re
from functools import cache

from chattyshared.language.inflection import head_noun
from chattyshared.language.lexicon import load_lexicon, word_list, word_map, word_set
from chattyshared.literals import format_year, parse_moment

MONTHS = tuple(month.lower() for month in word_list("dates", "months"))
"""The months, in lower case."""
_CURRENCY = r"[$€£¥]"
_AMOUNT = re.compile(rf"(?P<sign>-?)\s*{_CURRENCY}?\s*(?P<number>\d+(?:[.,]\d+)*)\s*{_CURRENCY}?\s*(?P<unit>\S*)")
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"\d+,\d+")
_PLAIN = re.compile(r"\d+(\.\d+)?")
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
_SCALES = word_map("units", "scales")
_CODES = word_set("units", "code_nouns")


@cache
def unit_forms(use: str) -> frozenset[str]:
    """Return the written forms of the units with one use; ``units.toml`` lists and explains the uses."""
    return frozenset(form for form, unit in load_lexicon("units")["forms"].items() if use in unit.get("uses", ()))


@cache
def unit_names() -> dict[str, str]:
    """Return the plural name of each written form of a unit: ``km`` is ``kilometers``."""
    return {form: unit["plural"] for form, unit in load_lexicon("units")["forms"].items() if "plural" in unit}


@cache
def _label_names() -> frozenset[str]:
    return frozenset(unit_names()[form] for form in unit_forms("label"))


def normalize_quantity(text: str) -> str:
    """Return the number (``1.06``) or the date (``1998-05-01``, ``1998-05``, ``1998``) that a text is, or ""."""
    folded = text.strip().casefold()
    return folded if _ISO.fullmatch(folded) else _parse_date(folded) or _parse_number(folded)


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
    number = next((number for number, name in enumerate(MONTHS, 1) if _is_month(month, name)), 0)
    if not number or int(day or 1) > 31:
        return ""
    return f"{year}-{number:02}" + (f"-{int(day):02}" if day else "")


def _is_month(word: str, name: str) -> bool:
    return word == name or (len(word) >= 3 and name.startswith(word))


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
    """Return the first and last year of a century, None for any other text: the nineteenth goes from 1801 to 1900."""
    ordinal, _, noun = text.partition(" ")
    if noun != "century":
        return None
    digits = re.match(r"(\d{1,2})(?:st|nd|rd|th)$", ordinal)
    number = int(digits[1]) if digits else _CENTURIES.get(ordinal, 0)
    return (100 * number - 99, 100 * number) if number >= 11 else None


def unit_of(label: str, comment: str) -> str:
    """Return the unit that a label has in brackets, or that a comment names (``in minutes``); "" if there is none."""
    match = re.search(r"[(\[](?:in )?([^)\]]{1,24})[)\]]\s*$", label)
    if match:
        return _unit_name(match[1])
    words = re.findall(r"\bin ((?:square )?[a-z]+)\b", comment.lower())
    is_unit = _label_names() | unit_forms("noun")
    return next((unit_names().get(word, word) for word in words if word in is_unit), "")


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
        if index > 0 and lower[index] == "in" and _unit_name(" ".join(lower[index + 1 :])):
            return words[:index], _unit_name(" ".join(lower[index + 1 :]))
    if len(words) > 2 and lower[-2] in ("square", "cubic") and _unit_name(" ".join(lower[-2:])):
        return words[:-2], _unit_name(" ".join(lower[-2:]))
    last, before = lower[-1], " ".join(lower[:-1])
    if (
        last in unit_forms("label")
        and (len(last) > 1 or before in measures)
        and not (last in unit_forms("noun") and before not in measures)
    ):
        if len(words) > 2 and _unit_name(" ".join(lower[-2:])):
            return words[:-2], _unit_name(" ".join(lower[-2:]))
        return words[:-1], unit_names()[last]
    return words, ""


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


def render_date(lexical: str) -> str:
    """Return a date literal in words: ``16 July 2010``, ``July 2010``, ``2010``."""
    moment = parse_moment(lexical)
    if moment is None:
        return lexical
    day = f"{moment.day} " if moment.day else ""
    month = f"{word_list('dates', 'months')[moment.month - 1]} " if moment.month else ""
    return f"{day}{month}{format_year(moment.year)}"
