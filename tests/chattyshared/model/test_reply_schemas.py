from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace as Made

import pytest
from chattyshared.model import Message, Request, ToolSpec, count_characters
from chattyshared.model.cache import explain_miss
from chattyshared.model.openai import OpenAIModel
from chattyshared.model.reply_schemas import clean_schema, is_strict, render_call, schema_name
from chattyshared.model.reply_store import StoredReply, cached_request, request_key

REQUEST = Request("a", (Message("user", "x"),), {"type": "object"}, {"v": 1}, 1)
RUN = ToolSpec(
    "run",
    "Run a query.",
    {"type": "object", "title": "T", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
SCHEMA = {
    "type": "object",
    "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["tool", "arguments"],
}
PLAIN = Request("answer/agent", (Message("system", "Look."), Message("user", "How many?")), SCHEMA)
ASKED = replace(PLAIN, tools=(RUN,))
ACTION = '{"tool": "run", "arguments": {"query": "ASK {}"}}'


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


def call(name="run", arguments='{"query": "ASK {}"}', **more):
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"id": "c1", "type": "function", "function": function}], **more}


def model_of(server):
    return OpenAIModel("m", base_url=server.url, api_key="sk-very-secret-key", timeout=5)


def test_a_native_call_becomes_the_text_that_a_model_without_them_writes(serve, reply):
    server = serve(lambda _: reply(None, "tool_calls", message=call()))
    model = model_of(server)
    assert [model.complete(ASKED).text for _ in range(2)] == [ACTION, ACTION]
    parameters = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    function = {"name": "run", "description": "Run a query.", "parameters": parameters}
    assert server.asked[1]["tools"] == [{"type": "function", "function": function}]
    assert server.asked[1]["tool_choice"] == "required" and "response_format" not in server.asked[1]
    model.complete(PLAIN)
    assert "tools" not in server.asked[2] and "response_format" in server.asked[2]


def test_words_beside_a_call_are_its_thought(serve, reply):
    server = serve(lambda _: reply("First I look.", message=call()))
    assert json.loads(model_of(server).complete(ASKED).text)["thought"] == "First I look."


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (call(arguments='{"query": "ASK {'), '{"tool": "run", "arguments": "{\\"query\\": \\"ASK {"}'),
        (call(arguments=""), '{"tool": "run", "arguments": {}}'),
        (call(arguments={"query": "ASK {}"}), ACTION),
        (call(arguments=None), '{"tool": "run", "arguments": null}'),
        ({"tool_calls": []}, "words"),
        ({"tool_calls": [7]}, "words"),
        ({"tool_calls": {"function": {}}}, "words"),
        (call(name=""), "words"),
    ],
)
def test_a_broken_call_reaches_the_checks_as_text(serve, reply, message, text):
    said = "words" if text == "words" else None
    assert model_of(serve(lambda _: reply(said, message=message))).complete(ASKED).text == text


def test_a_server_that_ignores_tools_gets_the_schema_of_the_text_from_then_on(serve, reply):
    server = serve(lambda _: reply(ACTION))
    model = model_of(server)
    assert [model.complete(ASKED).text for _ in range(2)] == [ACTION, ACTION]
    assert "tools" in server.asked[0] and "tools" not in server.asked[1]
    assert server.asked[1]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize("said", ["", "   "])
def test_an_empty_reply_shows_nothing_of_the_server(serve, reply, said):
    server = serve(lambda _: reply(said))
    model = model_of(server)
    model.complete(ASKED)
    model.complete(ASKED)
    assert "tools" in server.asked[1]


@pytest.mark.parametrize(
    ("status", "refused"),
    [
        (400, "registry.ollama.ai/library/phi does not support tools"),
        (500, "tools param requires --jinja flag"),
        (404, "No endpoints found that support tool use."),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (422, "Unrecognized request argument supplied: functions"),
    ],
)
def test_a_server_that_refuses_tools_is_asked_without(serve, reply, refusal, status, refused):
    server = serve(lambda asked: refusal(status, refused) if "tools" in asked else reply(ACTION))
    assert model_of(server).complete(ASKED).text == ACTION
    assert ["tools" in asked for asked in server.asked] == [True, False]


def test_a_server_that_refuses_the_choice_alone_keeps_the_tools(serve, reply, refusal):
    def script(asked):
        if asked["tool_choice"] == "required":
            return refusal(400, "tool_choice: only 'auto' is supported", param="tool_choice")
        return reply(None, message=call())

    server = serve(script)
    assert model_of(server).complete(ASKED).text == ACTION
    assert [asked["tool_choice"] for asked in server.asked] == ["required", "auto"]


def test_tools_are_part_of_what_a_reply_depends_on_only_where_there_are_some():
    assert PLAIN.digest() == "d01fdfe0cba226c4c299dc86"
    assert len({PLAIN.digest(), ASKED.digest(), replace(ASKED, tools=(RUN, RUN)).digest()}) == 3
    plain, asked = (cached_request("m", request, {}) for request in (PLAIN, ASKED))
    assert "tools" not in plain and request_key(plain) != request_key(asked)
    stored = StoredReply("k", "m", "answer/agent", plain, Made(), 0, 0, 0)
    assert explain_miss(asked, [stored]).endswith("the tools differ")
    assert count_characters(ASKED) > count_characters(PLAIN)


def test_a_call_is_read_as_far_as_it_is_json():
    assert render_call("run", '{"query": "ASK {}"}') == ACTION
    assert json.loads(render_call("run", "[" * 200_000))["arguments"] == "[" * 100_000
