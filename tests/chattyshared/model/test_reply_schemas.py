from __future__ import annotations

from dataclasses import replace

import pytest
from chattyshared.model import Message, Request, Usage
from chattyshared.model.reply_schemas import clean_schema, is_strict, schema_instruction, schema_name

REQUEST = Request("a", (Message("user", "x"),), {"type": "object"}, {"v": 1}, 1)


def test_usages_add():
    assert Usage(1, 2, 3, 4, 0.5) + Usage(1, 1, 1, 1, None, True) == Usage(2, 3, 4, 5, 0.5, True)
    assert (Usage() + Usage()).usd is None


def test_the_digest_knows_what_a_model_sees_and_nothing_else():
    others = [
        replace(REQUEST, agent="b"), replace(REQUEST, messages=()), replace(REQUEST, schema=None),
        replace(REQUEST, attempt=2), replace(REQUEST, messages=(Message("user", "\ud800"),)),
    ]  # fmt: skip
    assert len({request.digest() for request in (REQUEST, *others)}) == 6
    assert replace(REQUEST, variables={"v": 2}).digest() == REQUEST.digest()


def test_a_schema_is_sent_without_noise_but_with_properties_of_such_names():
    schema = {
        "$schema": "x", "title": "T", "type": "object",
        "properties": {"title": {"title": "Title", "type": "string", "default": ""}, "n": {"enum": [{"title": 1}]}},
        "items": [{"$id": "y"}],
    }  # fmt: skip
    assert clean_schema(schema) == {
        "type": "object",
        "properties": {"title": {"type": "string"}, "n": {"enum": [{"title": 1}]}},
        "items": [{}],
    }


CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        ({**CLOSED, "properties": {"a": {"type": "array", "items": CLOSED}}}, True),
        ({**CLOSED, "properties": {"a": {"anyOf": [CLOSED, {"type": "null"}]}}}, True),
        ({**CLOSED, "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": CLOSED}}, True),
        ({**CLOSED, "required": []}, False),
        ({**CLOSED, "additionalProperties": True}, False),
        ({"type": "array", "items": CLOSED}, False),
        ({**CLOSED, "properties": {"a": {"type": "string", "minLength": 1}}}, False),
        ({**CLOSED, "properties": {"a": {"type": "array", "items": {"type": "object"}}}}, False),
        ({**CLOSED, "$defs": {"x": {"type": "object"}}}, False),
        ({**CLOSED, "oneOf": [CLOSED]}, False),
    ],
)
def test_which_schemas_strict_servers_take(schema, strict):
    assert is_strict(schema) is strict


def test_names_of_schemas():
    assert schema_name("answer/qir") == "answer_qir"
    assert schema_name("é" * 80) == "_" * 64
    assert schema_name("") == "reply"


def test_a_schema_in_words_says_json():
    assert schema_instruction({"type": "object", "title": "T"}) == (
        'Reply with one JSON value that keeps this JSON Schema, and with nothing else:\n{"type": "object"}'
    )
