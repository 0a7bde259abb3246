"""Amounts and dates as people write them: "45 mm", "1,06 EUR", "$1,200", "May 1998"."""

from __future__ import annotations

import re

MONTHS = ("january february march april may june july august september october november december").split()
_CURRENCY = r"[$€£¥]"
_UNITS = frozenset(
    "mm cm dm m km in ft yd mi g kg mg t lb lbs oz ml cl l ms s sec secs min mins h hr hrs hz khz mhz ghz "
    "w kw mw gw v kv a ma c f k pct percent % ° °c °f eur euro euros usd dollar dollars gbp pound pounds "
    "yen jpy chf kb mb gb tb hp millimeter millimeters centimeter centimeters meter meters metre metres "
    "kilometer kilometers kilometre kilometres mile miles foot feet inch inches gram grams kilogram "
    "kilograms kilo kilos ton tons tonne tonnes liter liters litre litres second seconds minute minutes "
    "hour hours day days week weeks month months year years degree degrees watt watts volt volts people "
    "persons inhabitants pieces units times points".split()
)
_AMOUNT = re.compile(rf"(?P<sign>-?)\s*{_CURRENCY}?\s*(?P<number>\d+(?:[.,]\d+)*)\s*{_CURRENCY}?\s*(?P<unit>\S*)")
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"\d+,\d+")
_PLAIN = re.compile(r"\d+(\.\d+)?")
_ISO = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")
_DAY_FIRST = re.compile(r"(?:(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?([a-z]+)\.?,?\s+(\d{4})")
_MONTH_FIRST = re.compile(r"([a-z]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")

_TENS = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
         "nineties": 90}  # fmt: skip
_NOUGHTS = frozenset(("noughties", "naughties", "aughts"))
"""Words for the years from 2000 to 2009."""
_HUNDREDS = {"sixteen": 1600, "seventeen": 1700, "eighteen": 1800, "nineteen": 1900, "twenty": 2000}
_PARTS = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}
"""Years of a decade, counted from 0."""
_DECADE = re.compile(r"(\d\d)?(\d0)s?$")
_CENTURIES = {"sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
              "twenty-first": 21}  # fmt: skip


def normalize_quantity(text: str) -> str:
    """Return the number (``1.06``) or the date (``1998-05-01``, ``1998-05``, ``1998``) that a text is, or ""."""
    said = text.strip().casefold()
    return said if _ISO.fullmatch(said) else _date(said) or _number(said)


def _number(said: str) -> str:
    found = _AMOUNT.fullmatch(said)
    if not found or (found["unit"] and found["unit"].rstrip(".") not in _UNITS):
        return ""
    number = found["number"]
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    elif _DECIMAL_COMMA.fullmatch(number):
        number = number.replace(",", ".")
    return found["sign"] + number if _PLAIN.fullmatch(number) else ""


def _date(said: str) -> str:
    if found := _MONTH_FIRST.fullmatch(said):
        month, day, year = found.groups()
    elif found := _DAY_FIRST.fullmatch(said):
        day, month, year = found.groups()
    else:
        return ""
    number = next((place for place, name in enumerate(MONTHS, 1) if _is_month(month, name)), 0)
    if not number or int(day or 1) > 31:
        return ""
    return f"{year}-{number:02}" + (f"-{int(day):02}" if day else "")


def _is_month(said: str, name: str) -> bool:
    return said == name or (len(said) >= 3 and name.startswith(said))


def parse_decade(text: str, *, is_plural: bool = False) -> tuple[int, int] | None:
    """Return the first and last year of a decade, None for any other text.

    ``plural``: an 's stands behind it, as in "1980's". A decade of two digits is of the twentieth century; "the 00s"
    and "the noughties" are those from 2000.
    """
    words = re.sub(r"['’-]", " ", text).split()
    low, high = _PARTS[words.pop(0)] if words and words[0] in _PARTS else (0, 9)
    if len(words) == 2 and words[0] in _HUNDREDS and words[1] in _TENS:
        start = _HUNDREDS[words[0]] + _TENS[words[1]]
    elif len(words) == 1 and words[0] in _NOUGHTS:
        start = 2000
    elif len(words) == 1 and words[0] in _TENS:
        start = 1900 + _TENS[words[0]]
    elif len(words) == 1 and (digits := _DECADE.match(words[0])) and (words[0].endswith("s") or is_plural):
        start = int(digits[1] or ("20" if digits[2] == "00" else "19")) * 100 + int(digits[2])
    else:
        return None
    return start + low, start + high


def parse_century(text: str) -> tuple[int, int] | None:
    """Return the first and last year of a century, None for any other text: the nineteenth goes from 1801 to 1900."""
    ordinal, _, noun = text.partition(" ")
    if noun != "century":
        return None
    digits = re.match(r"(\d{1,2})(?:st|nd|rd|th)$", ordinal)
    number = int(digits[1]) if digits else _CENTURIES.get(ordinal, 0)
    return (100 * number - 99, 100 * number) if number >= 11 else None
