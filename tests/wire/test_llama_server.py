"""A server of chat completions that we did not write: llama.cpp's, with a model of random weights made here.

What it says is nonsense; that the wire, the schema mode, usage, cut replies and errors hold is the point.
"""

import json

import pytest
from chattyshared.errors import ConfigError, ContextTooLong, ModelUnavailable
from chattyshared.model import Message, Request
from chattyshared.model.openai import OpenAIModel
from jsonschema import validate
from wire.llama_server import CONTEXT, LlamaServer, program

pytestmark = pytest.mark.skipif(program() is None, reason="not built: python -m wire.llama_server does it once")
KEY = "sk-llama-secret"


def closed(**properties):
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False
    }  # fmt: skip


SCHEMA = closed(
    kind={"enum": ["lock", "weir"]},
    name={"type": "string", "pattern": "^[a-z]{1,8}$"},
    gates={"type": "array", "items": {"type": "boolean"}, "maxItems": 3},
)
UNKNOWN_TO_IT = closed(at={"type": "date"})


@pytest.fixture(scope="module")
def server():
    with LlamaServer(key=KEY) as running:
        yield running


@pytest.fixture
def model_of(server):
    opened = []

    def make(name="noise", **options):
        opened.append(OpenAIModel(name, **{"api_key": KEY, "base_url": server.url, "timeout": 60, **options}))
        return opened[-1]

    yield make
    for model in opened:
        model.close()


def asked(text="Which gate is open?", schema=SCHEMA, agent="canal/gate"):
    return Request(agent, (Message("system", "Be brief."), Message("user", text)), schema)


def test_replies_keep_the_schema_and_usage_is_told(model_of):
    model = model_of(reply_tokens=300)
    for number in range(10):
        reply = model.complete(asked(f"Which gate is open at lock {number}?"))
        assert reply.finish == "stop"
        validate(json.loads(reply.text, strict=False), SCHEMA)
        assert not reply.usage.estimated and reply.usage.calls == 1
        assert 50 < reply.usage.prompt_tokens < 120 and reply.usage.completion_tokens > 20


def test_a_prompt_that_it_has_seen_is_told_as_cached(model_of):
    model = model_of(reply_tokens=300)
    model.complete(asked("Who keeps the weir?"))
    assert model.complete(asked("Who keeps the weir?")).usage.cached_tokens > 20


def test_a_schema_that_it_does_not_know_is_given_up_for_that_agent_alone(model_of):
    model = model_of(reply_tokens=300)
    other = asked("When?", UNKNOWN_TO_IT, "canal/date")
    assert isinstance(json.loads(model.complete(other).text, strict=False), dict)  # JSON mode
    validate(json.loads(model.complete(asked()).text, strict=False), SCHEMA)
    usages = [model.complete(other).usage.prompt_tokens for _ in range(2)]
    assert usages[0] == usages[1] > 100  # the schema goes in words: remembered, not found out again


def test_what_is_no_object_goes_in_words(model_of):
    reply = model_of(reply_tokens=20).complete(asked(schema={"type": "array", "items": {"type": "integer"}}))
    assert reply.usage.prompt_tokens > 150


def test_free_text_of_random_bytes_can_be_written_down(model_of):
    reply = model_of(reply_tokens=100).complete(asked(schema=None))
    assert reply.text.encode("utf-8") and reply.finish == "length"


@pytest.mark.parametrize("schema", [closed(told={"type": "string"}), closed(told={"type": "string", "minLength": 300})])
def test_a_reply_that_is_cut_says_so(model_of, schema):
    """In the middle of a text that is not long enough yet it says 500 in place of that."""
    reply = model_of(reply_tokens=9).complete(asked("Tell me all.", schema, "canal/tell"))
    assert (reply.finish, reply.usage.completion_tokens) == ("length", 9)
    with pytest.raises(ValueError):
        json.loads(reply.text, strict=False)


def test_a_prompt_that_is_too_long_says_by_how_much(model_of):
    with pytest.raises(ContextTooLong, match="exceeds the available context size") as caught:
        model_of().complete(asked("lock " * CONTEXT))
    assert caught.value.limit == CONTEXT and caught.value.requested > 5 * CONTEXT


def test_a_wrong_key_names_the_variable_and_not_the_key(model_of):
    with pytest.raises(ModelUnavailable, match="check OPENAI_API_KEY") as caught:
        model_of(api_key="sk-another-key").complete(asked())
    assert caught.value.reason == "closed" and "sk-" not in str(caught.value)


def test_it_takes_any_name_for_its_model_and_knows_no_other_address(server, model_of):
    assert model_of("nobody", reply_tokens=300).complete(asked()).finish == "stop"
    with pytest.raises(ConfigError, match="unknown model at .*or no such address"):
        model_of(base_url=server.url.replace("/v1", "/v7")).complete(asked())
