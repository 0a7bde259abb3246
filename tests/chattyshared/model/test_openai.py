from __future__ import annotations

import time
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor

import pytest
from chattyshared.errors import ConfigError, ModelError, ModelRefused
from chattyshared.model import Completion, Message, Request, Usage
from chattyshared.model.openai import OpenAIModel
from wire.model_server import Fault

KEY = "sk-very-secret-key"
CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
OPEN = {"type": "object", "properties": {"a": {"type": "string"}}}
MESSAGES = (Message("system", "Be brief."), Message("user", "Hello?"))


def ask(schema=None, agent="answer/qir", messages=MESSAGES):
    return Request(agent, messages, schema)


def model_of(server, **options):
    return OpenAIModel("m", base_url=server.url, api_key=KEY, **({"timeout": 5} | options))


def test_a_plain_completion_with_its_usage(serve, reply):
    server = serve(lambda _: reply("hi", usage={"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11,
                                                "prompt_tokens_details": {"cached_tokens": 4}}))  # fmt: skip
    model = model_of(server)
    assert model.complete(ask()) == Completion("hi", Usage(1, 9, 2, 4), "stop")
    assert model.name == "openai:m"
    assert server.keys == [f"Bearer {KEY}"]
    assert server.asked == [{
        "model": "m", "temperature": 0,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}],
    }]  # fmt: skip


@pytest.mark.parametrize("status", [307, 308])
def test_neither_key_nor_prompt_follows_a_redirect_to_another_port(serve, reply, status):
    other = serve(lambda _: reply("hi"))
    server = serve(lambda _: Fault(status, "", {"Location": f"{other.url}/chat/completions"}))
    inside = server.url.replace("//", "//me:s3cret@")
    for model in (model_of(server), OpenAIModel("m", base_url=inside, api_key=KEY, timeout=5)):
        with pytest.raises(ModelError, match=f"status {status}"):
            model.complete(ask())
    assert len(server.keys) == 2 and server.keys[0] == f"Bearer {KEY}"
    assert other.keys == []


def test_a_closed_schema_is_sent_strict_and_an_open_one_not(serve, reply):
    server = serve(lambda _: reply('{"a": "b"}'))
    model = model_of(server)
    model.complete(ask({**CLOSED, "title": "T", "$schema": "s"}))
    model.complete(ask(OPEN))
    assert [asked["response_format"] for asked in server.asked] == [
        {"type": "json_schema", "json_schema": {"name": "answer_qir", "schema": CLOSED, "strict": True}},
        {"type": "json_schema", "json_schema": {"name": "answer_qir", "schema": OPEN, "strict": False}},
    ]


def formats(server):
    return [asked.get("response_format", {}).get("type") for asked in server.asked]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
        (422, "extra inputs: response_format"),
        (500, "1 validation error: response_format.type Input should be 'text' or 'json_object'"),
    ],
)
def test_a_server_without_schemas_is_asked_in_json_mode_from_then_on(serve, reply, refusal, status, message):
    def script(asked):
        refused = asked["response_format"]["type"] == "json_schema"
        return refusal(status, message) if refused else reply('{"a": "b"}')

    server = serve(script)
    model = model_of(server)
    assert model.complete(ask(CLOSED)).text == '{"a": "b"}'
    assert model.complete(ask(CLOSED)).text == '{"a": "b"}'
    assert formats(server) == ["json_schema", "json_object", "json_object"]
    assert server.asked[1]["messages"][0]["content"] == (
        "Be brief.\n\nReply with one JSON value that keeps this JSON Schema, and with nothing else:\n"
        '{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false}'
    )


def test_a_server_without_json_mode_is_asked_plainly_from_then_on(serve, reply, refusal):
    server = serve(lambda asked: refusal(400, "response_format: no") if "response_format" in asked else reply("{}"))
    model = model_of(server)
    model.complete(ask(CLOSED))
    model.complete(ask(OPEN))
    assert formats(server) == ["json_schema", "json_object", None, None]
    assert "keeps this JSON Schema" in server.asked[3]["messages"][0]["content"]


def test_a_schema_refused_as_strict_is_sent_loosely_for_its_agent_alone(serve, reply, refusal):
    def script(asked):
        strict = asked["response_format"]["json_schema"]["strict"]
        name = asked["response_format"]["json_schema"]["name"]
        if strict and name == "one":
            return refusal(400, "Invalid schema for response_format 'one'", param="response_format")
        return reply("{}")

    server = serve(script)
    model = model_of(server)
    for agent in ("one", "one", "two"):
        model.complete(ask(CLOSED, agent))
    sent = [asked["response_format"]["json_schema"] for asked in server.asked]
    assert [(s["name"], s["strict"]) for s in sent] == [("one", True), ("one", False), ("one", False), ("two", True)]


def test_a_schema_that_a_server_does_not_understand_is_spared_for_its_agent_alone(serve, reply, refusal):
    def script(asked):
        form = asked["response_format"]
        if form["type"] == "json_schema" and form["json_schema"]["name"] == "one":
            return refusal(400, "The provided JSON schema contains features not supported by the grammar")
        return reply("{}")

    server = serve(script)
    model = model_of(server)
    for agent in ("one", "one", "two"):
        model.complete(ask(OPEN, agent))
    assert formats(server) == ["json_schema", "json_object", "json_object", "json_schema"]


def test_a_reply_that_is_no_object_is_asked_for_in_words(serve, reply):
    server = serve(lambda _: reply("[]"))
    model_of(server).complete(ask({"type": "array"}, messages=(Message("user", "List."),)))
    assert server.asked[0]["messages"][0] == {
        "role": "system",
        "content": 'Reply with one JSON value that keeps this JSON Schema, and with nothing else:\n{"type": "array"}',
    }
    assert "response_format" not in server.asked[0]


@pytest.mark.parametrize(
    "said",
    [
        {"message": "Unsupported value: 'temperature' does not support 0 with this model.", "param": "temperature"},
        {"message": "Unsupported parameter: temperature"},
        {"message": "invalid temperature: only 1 is allowed for this model"},
    ],
)
def test_a_model_that_takes_no_temperature_gets_none_from_then_on(serve, reply, refusal, said):
    server = serve(lambda asked: refusal(400, **said) if "temperature" in asked else reply("ok"))
    model = model_of(server)
    assert [model.complete(ask()).text for _ in range(2)] == ["ok", "ok"]
    assert ["temperature" in asked for asked in server.asked] == [True, False, False]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "System role not supported"),
        (400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
        (400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
        (400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (500, "Only user, assistant and tool roles are supported, got system."),
    ],
)
def test_a_model_that_takes_no_system_message_gets_it_with_the_question(serve, reply, refusal, status, message):
    def script(asked):
        if asked["messages"][0]["role"] == "system":
            return refusal(status, message)
        return reply("ok")

    server = serve(script)
    assert model_of(server).complete(ask()).text == "ok"
    assert server.asked[1]["messages"] == [{"role": "user", "content": "Be brief.\n\nHello?"}]


def test_several_threads_learn_once(serve, reply, refusal):
    def script(asked):
        time.sleep(0.01)
        return refusal(400, "response_format: no") if "response_format" in asked else reply("{}")

    server = serve(script)
    model = model_of(server)
    with ThreadPoolExecutor(4) as pool:
        assert [done.text for done in pool.map(lambda _: model.complete(ask(CLOSED)), range(12))] == ["{}"] * 12
    before = len(server.asked)
    model.complete(ask(CLOSED))
    assert formats(server)[before:] == [None]


def test_a_reply_in_parts_is_one_text(serve, reply):
    parts = [{"type": "text", "text": '{"a"'}, {"type": "image", "url": "x"}, {"type": "text", "text": ": 1}"}]
    assert model_of(serve(lambda _: reply(parts))).complete(ask()).text == '{"a": 1}'


def test_no_text_is_empty_text(serve, reply):
    assert model_of(serve(lambda _: reply(None))).complete(ask()).text == ""


def test_half_a_surrogate_pair_becomes_a_question_mark(serve, reply):
    assert model_of(serve(lambda _: reply("a\ud800b"))).complete(ask()).text == "a?b"


def test_the_provider_s_filter_is_a_refusal(serve, reply, refusal):
    with pytest.raises(ModelRefused, match="content filter"):
        model_of(serve(lambda _: reply("x", "content_filter"))).complete(ask())
    with pytest.raises(ModelRefused, match="content management policy"):
        model_of(serve(lambda _: refusal(400, "triggering Azure's content management policy"))).complete(ask())


def test_an_address_that_is_none():
    with pytest.raises(ConfigError, match="not the address of a model server: 'localhost:8000'"):
        OpenAIModel("m", base_url="localhost:8000", api_key=KEY)


def test_credentials_in_the_address_are_sent_and_not_logged(serve, reply, caplog):
    server = serve(lambda _: reply("{}"))
    model = OpenAIModel("m", base_url=server.url.replace("//", "//me:hid%20den@"), api_key=KEY)
    with caplog.at_level("DEBUG"):
        model.complete(ask())
    assert server.keys == [f"Basic {b64encode(b'me:hid den').decode()}"]
    assert "hid%20den" not in caplog.text and KEY not in caplog.text
