"""What a model's reply holds: the part after its thoughts, and the JSON values in it, broken ones repaired."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import json_repair

from chattyshared.jsonlines import STRICT_HOOKS, parse_untrusted_json

_MAX_REPLY_LENGTH = 1_000_000
"""Characters of a reply that are searched for JSON."""
_MAX_STARTS = 500
"""Brackets in prose, and code fences, that are tried as the start of a value."""
_MAX_WASTED = 2_000_000
"""Characters after brackets in prose that are parsed in vain, in all: about a second."""
_RECURSION_COST = 10_000
"""Characters that a value nested too deeply for the parser counts as."""
_MAX_REPAIRED_LENGTH, _MAX_REPAIRED_BRACKETS = 20_000, 200
"""Characters and opening brackets of a text that is repaired: the library takes cubic time in the brackets."""
_FENCE_NAME = re.compile(r"[\w+-]*[ \t]*\n?")
_BRACKET = re.compile(r"[{\[]")
_TAGS = "think|thinking|thoughts?|reasoning|reflection|scratchpad"
_THOUGHT_MARK = re.compile(
    rf"(?P<opens><(?:{_TAGS})>|\[THINK\]|◁think▷|<\|channel\|>(?:analysis|commentary)\b[^<]*<\|message\|>)"
    rf"|</(?:{_TAGS})>|\[/THINK\]|◁/think▷|<\|end\|>|<\|channel\|>final\b[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>",
    re.IGNORECASE,
)
"""Where thoughts open and close: tags of DeepSeek, Qwen, Gemini and others, Mistral's, Kimi's, OpenAI's harmony."""


def after_thoughts(text: str) -> str:
    """Return the final part of a reply: without thoughts, closed or not.

    What stands before a closing mark that nothing opened is thought, too: some servers put the opening into the prompt.
    """
    parts: list[str] = []
    start, is_thought = 0, False
    for mark in _THOUGHT_MARK.finditer(text):
        if not mark["opens"]:
            if not is_thought:
                parts.clear()
            start, is_thought = mark.end(), False
        elif not is_thought:
            parts.append(text[start : mark.start()])
            is_thought = True
    return "".join(parts if is_thought else [*parts, text[start:]])


def find_json_values(text: str) -> list[Any]:
    """Return the JSON values of a reply, the most likely first.

    The whole reply if it is JSON; else what follows the thoughts: the contents of code fences; else the objects and
    arrays within the prose, the longest first. Control characters in strings pass; numbers that JSON does not know
    (NaN, Infinity) do not.
    """
    text = text[:_MAX_REPLY_LENGTH].lstrip("\ufeff")
    answer = after_thoughts(text)
    for candidates in (_parse_whole(text), _parse_whole(answer), _parse_fenced(answer), _parse_embedded(answer)):
        if values := list(candidates):
            return values
    return []


def repair_json_value(text: str) -> Any:
    """Return the value of a reply that is almost JSON (a trailing comma, single quotes, a bracket that is missing);
    None if it has none, is long, or has many brackets.
    """
    answer = after_thoughts(text[:_MAX_REPLY_LENGTH])
    start = _BRACKET.search(answer)
    if start is None:
        return None
    broken = answer[start.start() :]
    if len(broken) > _MAX_REPAIRED_LENGTH or len(_BRACKET.findall(broken)) > _MAX_REPAIRED_BRACKETS:
        return None
    try:
        return parse_untrusted_json(json.dumps(json_repair.loads(broken)))
    except (ValueError, RecursionError):
        return None


def adapt_to_schema(value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield what a value may have been meant as: JSON within a string, the only element of an array, an object without
    the properties that its schema does not know.
    """
    while isinstance(value, str) and (parsed := next(_parse_whole(value), None)) is not None:
        value = parsed
        yield value
    if isinstance(value, list) and len(value) == 1 and schema.get("type") == "object":
        value = value[0]
        yield value
    if isinstance(value, dict) and schema.get("additionalProperties") is False:
        yield {name: part for name, part in value.items() if name in schema["properties"]}


def _parse_whole(text: str) -> Iterator[Any]:
    try:
        yield parse_untrusted_json(text.strip())
    except ValueError:
        return


def _parse_fenced(text: str) -> Iterator[Any]:
    # A pattern with a lazy middle would take quadratic time on a fence that never ends.
    for content in text.split("```")[1:-1:2][:_MAX_STARTS]:
        yield from _parse_whole(_FENCE_NAME.sub("", content, count=1))


def _parse_embedded(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(**STRICT_HOOKS)
    spans: list[str] = []
    position = wasted = 0
    for _ in range(_MAX_STARTS):
        start = _BRACKET.search(text, position)
        if start is None or wasted > _MAX_WASTED:
            break
        position = start.end()
        try:
            _, end = decoder.raw_decode(text, start.start())
        except RecursionError:
            wasted += _RECURSION_COST
            continue
        except ValueError as error:
            wasted += getattr(error, "pos", len(text)) - start.start()
            continue
        spans.append(text[start.start() : end])
        position = end
    for span in sorted(spans, key=len, reverse=True):
        yield from _parse_whole(span)
