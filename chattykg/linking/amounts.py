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


def value_of(text: str) -> str:
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
