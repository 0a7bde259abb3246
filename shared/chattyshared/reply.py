"""The JSON in what a model said: bare, in a code fence, after its thoughts, or with prose around it; and JSON that any
other server sends."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

_LONGEST = 1_000_000
"""Characters of a reply that are looked at; a model that says more has lost its way."""
_DEEPEST = 100
"""Levels of nesting that are taken: what walks a value has a stack to keep."""
_MOST_PARTS = 1_000_000
"""Objects, arrays and commas that are taken: a few bytes of each become a hundred in memory."""
_DIGITS = 300
"""Digits of a whole number that are taken: every float holds so many."""
_STARTS = 500
"""Brackets in prose, and code fences, that are tried as the beginning of a value."""
_WORK = 2_000_000
"""Characters that are parsed in vain after brackets in prose, all together: about a second."""
_FENCE_NAME = re.compile(r"[\w+-]*[ \t]*\n?")
_BRACKET = re.compile(r"[{\[]")
_HALF_PAIR = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")


def parse_reply_json(text: str) -> Any:
    """Parse the JSON value of a reply.

    Raises:
        ValueError: there is no JSON value in it.
    """
    values = find_json_values(text)
    if not values:
        raise ValueError("there is no JSON value in it")
    return values[0]


def find_json_values(text: str) -> list[Any]:
    """Return the JSON values of a reply, the likeliest first.

    The whole reply if it is JSON; else the contents of code fences; else the objects and arrays within the prose,
    longest first. Thoughts (``<think>...</think>``) are not looked at. Control characters in strings pass; numbers
    that JSON does not know (NaN, Infinity) do not.
    """
    text = text[:_LONGEST].lstrip("\ufeff")
    for candidates in (_whole(text), _whole(said := text.rpartition("</think>")[2]), _fenced(said), _within(said)):
        if found := list(candidates):
            return found
    return []


def _whole(text: str) -> Iterator[Any]:
    try:
        yield parse_untrusted_json(text.strip())
    except ValueError:
        return


def _fenced(text: str) -> Iterator[Any]:
    # Split, not matched: a pattern with a lazy middle takes time by the square of a fence that never ends.
    for content in text.split("```")[1:-1:2][:_STARTS]:
        yield from _whole(_FENCE_NAME.sub("", content, count=1))


def _within(text: str) -> Iterator[Any]:
    spans: list[str] = []
    place = work = 0
    for _ in range(_STARTS):
        start = _BRACKET.search(text, place)
        if start is None or work > _WORK:
            break
        place = start.end()
        try:
            _, end = _DECODER.raw_decode(text, start.start())
        except RecursionError:
            work += 100 * _DEEPEST
            continue
        except ValueError as error:
            work += getattr(error, "pos", len(text)) - start.start()
            continue
        spans.append(text[start.start() : end])
        place = end
    for span in sorted(spans, key=len, reverse=True):
        yield from _whole(span)


def parse_untrusted_json(text: str | bytes, *, nonfinite_as_null: bool = False) -> Any:
    """Parse JSON from a stranger; half a surrogate pair in it becomes a question mark.

    With ``odd_numbers``, those that JSON or a float does not know (NaN, 1e999) become null instead of being refused.

    Raises:
        ValueError: it is not JSON, or nests too deeply, has too many parts, or numbers that no float holds.
    """
    text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
    if sum(map(text.count, "[{,")) > _MOST_PARTS:
        raise ValueError("too many parts")
    try:
        value = (_LENIENT if nonfinite_as_null else _DECODER).decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    _check_depth(value)
    if _HALF_PAIR.search(text):
        # Half a surrogate pair cannot be written as UTF-8: it would break every file that it reaches.
        said = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
        return json.loads(said)
    return value


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(_DEEPEST):
        holders = [part for part in level if isinstance(part, dict | list)]
        if not holders:
            return
        level = [part for holder in holders for part in (holder.values() if isinstance(holder, dict) else holder)]
    raise ValueError("nested too deeply")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is too large")
    return number


def _whole_number(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError(f"a number of {len(text)} digits is too large")
    return int(text)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(strict=False, parse_float=_finite, parse_int=_whole_number, parse_constant=_refuse)


def _or_null(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def tried(text: str) -> Any:
        try:
            return read(text)
        except ValueError:
            return None

    return tried


_LENIENT = json.JSONDecoder(
    strict=False, parse_float=_or_null(_finite), parse_int=_or_null(_whole_number), parse_constant=_or_null(_refuse)
)
