"""Reply schemas and tools as model servers take them, and the one text by which a tool call is known here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattyshared.jsonlines import parse_untrusted_json
from chattyshared.model import ToolSpec

_DROPPED_KEYWORDS = frozenset({"$schema", "$id", "$comment", "title", "examples", "default"})
_STRICT_KEYWORDS = frozenset(
    "type properties required additionalProperties items enum const anyOf $ref $defs description "
    "pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems".split()
)
"""The keywords that strict servers accept (OpenAI's guide to structured outputs)."""
_NAME_MAPS = ("properties", "$defs", "patternProperties", "dependentSchemas")
"""Keywords whose value maps names to schemas; these names are not keywords."""
MAX_ARGUMENT_CHARACTERS = 100_000
"""Characters of a call's arguments that are read."""


def clean_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without titles, identifiers and examples, which some servers refuse."""
    cleaned: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DROPPED_KEYWORDS:
            continue
        if key in _NAME_MAPS and isinstance(value, Mapping):
            cleaned[key] = {name: _clean_value(part) for name, part in value.items()}
        else:
            cleaned[key] = value if key in ("enum", "const", "required") else _clean_value(value)
    return cleaned


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Tell whether strict mode accepts a schema: closed objects, all properties required, known keywords only."""
    return schema.get("type") == "object" and all(map(_is_strict_node, _subschemas(schema)))


def is_object(schema: Mapping[str, Any]) -> bool:
    """Tell whether a schema is of a JSON object: many servers refuse structured replies of other types."""
    return schema.get("type") == "object"


def schema_name(agent: str) -> str:
    """Return an agent's name as a valid schema name: letters, digits, ``_`` and ``-``, at most 64."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", agent)[:64] or "reply"


def schema_instruction(schema: Mapping[str, Any]) -> str:
    """Return the instruction for a model whose server accepts no schema."""
    text = json.dumps(clean_schema(schema), ensure_ascii=False)
    return f"Reply with one JSON value that keeps this JSON Schema, and with nothing else:\n{text}"


def _clean_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return clean_schema(value)
    return [_clean_value(part) for part in value] if isinstance(value, list) else value


def _subschemas(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and all its subschemas."""
    if not isinstance(schema, Mapping):
        return
    yield schema
    for key, value in schema.items():
        if key in _NAME_MAPS and isinstance(value, Mapping):
            parts: Any = value.values()
        elif key in ("items", "additionalProperties", "not", "if", "then", "else", "contains"):
            parts = [value]
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            parts = value
        else:
            continue
        for part in parts:
            yield from _subschemas(part)


def _is_strict_node(node: Mapping[str, Any]) -> bool:
    if not node.keys() <= _STRICT_KEYWORDS:
        return False
    if node.get("type") != "object" and "properties" not in node:
        return True
    names = set(node.get("properties", ()))
    return node.get("additionalProperties") is False and names == set(node.get("required", ()))


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
