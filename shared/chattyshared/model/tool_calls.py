"""Tool calls: the form of a tool in a request to a server, and the one text by which a call is known here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from chattyshared.jsonlines import parse_untrusted_json
from chattyshared.model import ToolSpec
from chattyshared.model.reply_schemas import clean_schema

MAX_ARGUMENT_CHARACTERS = 100_000
"""Characters of a call's arguments that are read."""


def to_function_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Return tools in the form of OpenAI's API."""
    return [
        {
            "type": "function",
            "function": {"name": t.name, "description": t.description, "parameters": clean_schema(t.parameters)},
        }
        for t in tools
    ]


def render_call(name: str, arguments: object, thought: str = "") -> str:
    """Return a call as JSON, the form in which a model writes it where there are no native calls.

    ``arguments`` are an object, or its JSON text; a text that is not JSON stays a text, which no tool accepts.
    """
    if isinstance(arguments, str):
        text = arguments[:MAX_ARGUMENT_CHARACTERS]
        try:
            arguments = parse_untrusted_json(text) if text.strip() else {}
        except ValueError:
            arguments = text
    call = {"thought": thought} if thought else {}
    return json.dumps({**call, "tool": name, "arguments": arguments}, ensure_ascii=False)


def read_function_call(message: Mapping[str, Any], thought: str) -> str:
    """Return the first call in a message of OpenAI's API as JSON; "" without one."""
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and calls else None
    function = call.get("function") if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(name, str) or not name:
        return ""
    assert isinstance(function, dict)
    return render_call(name[:200], function.get("arguments"), thought)
