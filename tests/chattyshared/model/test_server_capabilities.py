"""What single servers of OpenAI's kind do differently."""

from __future__ import annotations

import logging

import pytest
from chattyshared.errors import ContextTooLong
from chattyshared.model import Message, Request
from chattyshared.model.error_mapping import ModelServerError
from chattyshared.model.openai import OpenAIModel

CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
ASKED = Request("answer/qir", (Message("system", "Be brief."), Message("user", "Hello?")), CLOSED)


def model_of(server, **options):
    return OpenAIModel("m", base_url=server.url, api_key="sk-very-secret-key", timeout=5, **options)


def usage(**more):
    return {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11, **more}


def test_gemini_s_compatible_way_refuses_keywords_of_a_schema(serve, reply, refusal):
    said = (
        'Invalid JSON payload received. Unknown name "additionalProperties" at '
        "'generation_config.response_schema': Cannot find field."
    )
    server = serve(
        lambda asked: refusal(400, said) if asked["response_format"]["type"] == "json_schema" else reply("{}")
    )
    model_of(server).complete(ASKED)
    assert [asked["response_format"]["type"] for asked in server.asked] == ["json_schema", "json_object"]


def test_lm_studio_takes_schemas_and_no_json_mode(serve, reply, refusal):
    def script(asked):
        kind = asked.get("response_format", {}).get("type")
        if kind == "json_object":
            return refusal(400, "'response_format.type' must be 'json_schema' or 'text'")
        if kind == "json_schema" and "oneOf" in asked["response_format"]["json_schema"]["schema"]:
            return refusal(400, "Invalid JSON schema: oneOf is not supported")
        return reply("{}")

    server = serve(script)
    model = model_of(server)
    odd = Request("other", ASKED.messages, {"type": "object", "oneOf": [CLOSED]})
    for request in (ASKED, odd, odd):
        model.complete(request)
    kinds = [asked.get("response_format", {}).get("type") for asked in server.asked]
    assert kinds == ["json_schema", "json_schema", "json_object", None, None]


@pytest.mark.parametrize(("told", "warned"), [(2048, True), (9000, False)])
def test_a_server_that_cuts_prompts_is_told_of_once(serve, reply, caplog, told, warned):
    server = serve(lambda _: reply("{}", usage={"prompt_tokens": told, "completion_tokens": 2}))
    model = model_of(server)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            model.complete(Request("a", (Message("user", "word " * 7_000),)))
    assert len(caplog.records) == warned
    assert not warned or "read 2048 tokens of a prompt of 35000 characters" in caplog.text


def test_the_name_of_the_limit_is_found_out(serve, reply, refusal):
    said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."

    def script(asked):
        return refusal(400, said, param="max_tokens") if "max_tokens" in asked else reply("{}")

    server = serve(script)
    model = model_of(server, reply_tokens=50)
    for _ in range(2):
        model.complete(ASKED)
    sent = [(asked.get("max_tokens"), asked.get("max_completion_tokens")) for asked in server.asked]
    assert sent == [(50, None), (None, 50), (None, 50)]


def test_a_server_that_takes_no_limit_goes_without(serve, reply, refusal):
    server = serve(
        lambda asked: refusal(422, "unknown field: max_tokens max_completion_tokens") if "max" in str(asked.keys())
        else reply("{}")
    )  # fmt: skip
    model_of(server, reply_tokens=50).complete(ASKED)
    assert "max_tokens" not in server.asked[-1] and "max_completion_tokens" not in server.asked[-1]


@pytest.mark.parametrize(
    ("said", "limit", "asked"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9001 tokens (8001 in the "
         "messages, 1000 in the completion).", 8192, 9001),
        ("This model's maximum context length is 2048 tokens. However, your request has 5000 input tokens.",
         2048, 5000),
        ("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096, 5000),
        ("Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context "
         "length of only 4096 tokens", 4096, None),
        ("the prompt is too long", None, None),
    ],
)  # fmt: skip
def test_how_servers_tell_that_a_prompt_does_not_fit(said, limit, asked):
    error = ModelServerError(400, said).to_exception("m", "http://x", "KEY")
    assert isinstance(error, ContextTooLong)
    assert (error.limit, error.requested) == (limit, asked)


@pytest.mark.parametrize(
    ("headers", "said", "seconds"),
    [
        ({"retry-after": "2.5"}, "", 2.5),
        ({"retry-after": "-1"}, "", 0),
        ({"retry-after-ms": "x", "retry-after": "4"}, "", 4),
        ({}, "Rate limit reached. Please try again in 200ms.", 0.2),
        ({}, "Please try again in 1m2s", 62),
        ({}, "slow down", None),
    ],
)
def test_how_servers_tell_how_long_to_wait(headers, said, seconds):
    assert ModelServerError(429, said, headers=headers).retry_after() == seconds


def test_a_server_on_this_machine_is_asked_past_the_proxy(serve, reply, monkeypatch):
    server = serve(lambda _: reply("{}"))
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert model_of(server).complete(ASKED).text == "{}"
