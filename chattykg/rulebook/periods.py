"""Decades and centuries, which are ranges of years: "the 1980s", "the early 90s", "the nineteenth century"."""

from __future__ import annotations

import re

from chattykg.rulebook.reader import Reader

_TENS = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
         "nineties": 90}  # fmt: skip
_HUNDREDS = {"sixteen": 1600, "seventeen": 1700, "eighteen": 1800, "nineteen": 1900, "twenty": 2000}
_PARTS = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}
"""Years of a decade, counted from 0."""
_DIGITS = re.compile(r"(\d\d)?(\d0)s?$")
_CENTURIES = {"sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
              "twenty-first": 21}  # fmt: skip
_WORDS = 6
"""Atoms of the longest period: early, the mark, nineteen, the mark, nineties, and one to spare."""


def period(reader: Reader, *, ahead: int = 0) -> tuple[tuple[str, str] | None, int]:
    """Return the first and last year of the period that stands at the cursor, and how many atoms it takes.

    A decade of two digits is of the twentieth century; "the 00s" are those from 2000. The nineteenth century goes from
    1801 to 1900.
    """
    first = ahead + reader.at("the", ahead=ahead)
    for last in range(first + 1, first + _WORDS):
        text = " ".join(reader.peek(place).lower for place in range(first, last))
        plural = reader.peek(last).kind == "possessive"
        years = _decade(text, plural=plural) or _century(text)
        if years:
            return (str(years[0]), str(years[1])), last + plural - ahead
    return None, 0


def _decade(text: str, *, plural: bool) -> tuple[int, int] | None:
    """Read a decade; ``plural``: an 's stands behind it, as in "1980's"."""
    words = re.sub(r"['’-]", " ", text).split()
    low, high = _PARTS[words.pop(0)] if words and words[0] in _PARTS else (0, 9)
    if len(words) == 2 and words[0] in _HUNDREDS and words[1] in _TENS:
        start = _HUNDREDS[words[0]] + _TENS[words[1]]
    elif len(words) == 1 and words[0] in _TENS:
        start = 1900 + _TENS[words[0]]
    elif len(words) == 1 and (digits := _DIGITS.match(words[0])) and (words[0].endswith("s") or plural):
        start = int(digits[1] or ("20" if digits[2] == "00" else "19")) * 100 + int(digits[2])
    else:
        return None
    return start + low, start + high


def _century(text: str) -> tuple[int, int] | None:
    ordinal, _, noun = text.partition(" ")
    if noun != "century":
        return None
    digits = re.match(r"(\d{1,2})(?:st|nd|rd|th)$", ordinal)
    number = int(digits[1]) if digits else _CENTURIES.get(ordinal, 0)
    return (100 * number - 99, 100 * number) if number >= 11 else None
