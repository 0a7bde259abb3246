"""The average as a standard of comparison: "heavier than average", "above the average price"."""

from __future__ import annotations

from chattykg.qir import MEAN
from chattykg.rulebook.legacy.reader import Reader

_WORDS = frozenset("average mean".split())
_GRADED = frozenset("above-average below-average".split())
_OF_ALL = frozenset("of for among all the any every other".split())


def mean(reader: Reader) -> tuple[str, int]:
    """Return the mean and how many atoms say it at the cursor ("" and 0 where it is not said).

    A class behind it belongs to it ("the average film", "the average of all films"), and so does a measure
    at the end ("than the average price").
    """
    if reader.peek().lower in _GRADED:
        return MEAN, 1
    size = int(reader.at("the", "an"))
    if reader.peek(size).lower not in _WORDS or (reader.peek(size).predicate and not size):
        return "", 0
    size += 1
    measure = reader.peek(size)
    if measure.is_content and not measure.is_name and (measure.group or _ends(reader, size + 1)):
        size += 1
    behind = size
    while reader.peek(behind).lower in _OF_ALL:
        behind += 1
    if behind > size and reader.peek(behind).group:
        size = behind + 1
    return MEAN, size


def _ends(reader: Reader, ahead: int) -> bool:
    following = reader.peek(ahead)
    return following.kind in ("end", "mark") or following.lower in _OF_ALL
