"""Reply schemas for model servers: cleaned, checked for strict mode, or as an instruction in the prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_DROPPED_KEYWORDS = frozenset({"$schema", "$id", "$comment", "title", "examples", "default"})
_STRICT_KEYWORDS = frozenset(
    "type properties required additionalProperties items enum const anyOf $ref $defs description "
    "pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems".split()
)
"""The keywords that strict servers accept (OpenAI's guide to structured outputs)."""
_NAME_MAPS = ("properties", "$defs", "patternProperties", "dependentSchemas")
"""Keywords whose value maps names to schemas; these names are not keywords."""


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
