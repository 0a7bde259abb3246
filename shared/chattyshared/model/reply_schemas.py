"""Reply schemas as model servers take them: cleaned, judged for strict mode, or said in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_NOISE = frozenset({"$schema", "$id", "$comment", "title", "examples", "default"})
_STRICT = frozenset(
    "type properties required additionalProperties items enum const anyOf $ref $defs description "
    "pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems".split()
)
"""The keywords that strict servers take (OpenAI's guide to structured outputs); others are refused there."""
_NAMED = ("properties", "$defs", "patternProperties", "dependentSchemas")
"""Keywords whose value maps free names to schemas: the names are no keywords."""


def clean_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without what says nothing to a server and upsets some: titles, identifiers, examples."""
    cleaned: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NOISE:
            continue
        if key in _NAMED and isinstance(value, Mapping):
            cleaned[key] = {name: _clean(part) for name, part in value.items()}
        else:
            cleaned[key] = value if key in ("enum", "const", "required") else _clean(value)
    return cleaned


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Tell whether strict mode takes a schema: closed objects, all properties required, known keywords only."""
    return schema.get("type") == "object" and all(map(_is_strict_node, _nodes(schema)))


def is_object(schema: Mapping[str, Any]) -> bool:
    """Tell whether a schema asks for a JSON object: structured replies of any other kind are widely refused."""
    return schema.get("type") == "object"


def schema_name(agent: str) -> str:
    """Return an agent's name as a schema's name may be: letters, digits, ``_`` and ``-``, at most 64."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", agent)[:64] or "reply"


def schema_instruction(schema: Mapping[str, Any]) -> str:
    """Return what to say to a model whose server takes no schema."""
    said = json.dumps(clean_schema(schema), ensure_ascii=False)
    return f"Reply with one JSON value that keeps this JSON Schema, and with nothing else:\n{said}"


def _clean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return clean_schema(value)
    return [_clean(part) for part in value] if isinstance(value, list) else value


def _nodes(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Walk a schema's subschemas, itself first."""
    if not isinstance(schema, Mapping):
        return
    yield schema
    for key, value in schema.items():
        if key in _NAMED and isinstance(value, Mapping):
            parts: Any = value.values()
        elif key in ("items", "additionalProperties", "not", "if", "then", "else", "contains"):
            parts = [value]
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            parts = value
        else:
            continue
        for part in parts:
            yield from _nodes(part)


def _is_strict_node(node: Mapping[str, Any]) -> bool:
    if not node.keys() <= _STRICT:
        return False
    if node.get("type") != "object" and "properties" not in node:
        return True
    names = set(node.get("properties", ()))
    return node.get("additionalProperties") is False and names == set(node.get("required", ()))
