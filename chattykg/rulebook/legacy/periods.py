"""Decades and centuries, which are ranges of years: "the 1980s", "the early 90s", "the nineteenth century"."""

from __future__ import annotations

from chattyshared.language.quantities import parse_century, parse_decade

from chattykg.rulebook.legacy.reader import Reader

_WORDS = 6
"""Atoms of the longest period: early, the mark, nineteen, the mark, nineties, and one to spare."""


def period(reader: Reader, *, ahead: int = 0) -> tuple[tuple[str, str] | None, int]:
    """Return the first and last year of the period that stands at the cursor, and how many atoms it takes."""
    first = ahead + reader.at("the", ahead=ahead)
    for last in range(first + 1, first + _WORDS):
        text = " ".join(reader.peek(place).lower for place in range(first, last))
        plural = reader.peek(last).kind == "possessive"
        years = parse_decade(text, is_plural=plural) or parse_century(text)
        if years:
            return (str(years[0]), str(years[1])), last + plural - ahead
    return None, 0
