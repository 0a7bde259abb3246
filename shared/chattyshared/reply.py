"""The JSON in what a model said: bare, in a code fence, after its thoughts, or with prose around it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

_LONGEST = 1_000_000
"""Characters of a reply that are looked at; a model that says more has lost its way."""
_STARTS = 500
"""Brackets in prose that are tried as the beginning of a value."""
_FENCE = re.compile(r"```[\w+-]*[ \t]*\n?(.*?)```", re.DOTALL)
_HALF_PAIR = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")


def parse_json(text: str) -> Any:
    """Parse the JSON value of a reply.

    Raises:
        ValueError: there is no JSON value in it.
    """
    values = json_values(text)
    if not values:
        raise ValueError("there is no JSON value in it")
    return values[0]


def json_values(text: str) -> list[Any]:
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
        yield _load(text.strip())
    except ValueError:
        return


def _fenced(text: str) -> Iterator[Any]:
    for content in _FENCE.findall(text):
        yield from _whole(content)


def _within(text: str) -> Iterator[Any]:
    spans: list[str] = []
    place = 0
    for _ in range(_STARTS):
        start = re.compile(r"[{\[]").search(text, place)
        if start is None:
            break
        place = start.end()
        try:
            _, end = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        spans.append(text[start.start() : end])
        place = end
    for span in sorted(spans, key=len, reverse=True):
        yield from _whole(span)


def _load(text: str) -> Any:
    try:
        value = _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if _HALF_PAIR.search(text):
        # Half a surrogate pair cannot be written as UTF-8: it would break every file that it reaches.
        said = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
        return json.loads(said)
    return value


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=_refuse)
