from __future__ import annotations

import json

import pytest
from chattyshared.errors import ConfigError, ModelRefused
from chattyshared.model import Message, Request, Usage
from chattyshared.model.registry import open_model

SPECS = (
    "there are rules, openai:MODEL (with a base URL for any server of its kind), gemini:MODEL, "
    "vllm:MODEL (started here, or running at a base URL), replay:TRACE"
)
RULEBOOK = {"answer/echo": lambda request: {"said": request.variables["text"]}}


def test_the_rules_reply_as_a_model_does():
    model = open_model("rules", rulebook=RULEBOOK)
    request = Request("answer/echo", (Message("user", "12345678"),), variables={"text": "é"})
    completion = model.complete(request)
    assert (completion.text, completion.finish) == ('{"said": "é"}', "stop")
    assert completion.usage == Usage(1, 2, len('{"said": "é"}') // 4, estimated=True)
    assert model.name == "rules"


def test_the_rules_decline_what_they_have_no_rule_for():
    with pytest.raises(ModelRefused, match="^rules: no rule for answer/other$"):
        open_model("rules", rulebook=RULEBOOK).complete(Request("answer/other", ()))


def test_a_server_of_one_s_own_needs_no_key(serve, reply):
    server = serve(lambda _: reply("ok"))
    model = open_model("openai:org/model:latest", rulebook={}, base_url=server.url)
    assert model.name == "openai:org/model:latest"
    assert model.complete(Request("a", (Message("user", "x"),))).text == "ok"
    assert server.asked[0]["model"] == "org/model:latest"


def test_the_key_is_sent(serve, reply):
    server = serve(lambda _: reply("ok"))
    open_model("openai:m", rulebook={}, base_url=server.url, api_key="sk-12345678").complete(
        Request("a", (Message("user", "x"),))
    )
    assert server.keys == ["Bearer sk-12345678"]


def test_a_trace_is_replayed(tmp_path):
    request = Request("a", (Message("user", "x"),))
    said = {"agent": "a", "digest": request.digest(), "messages": [{"role": "user", "content": "x"}], "text": "y",
            "finish": "stop", "usage": {"calls": 1}}  # fmt: skip
    (tmp_path / "t:1.jsonl").write_text(json.dumps({"kind": "model", "data": said}) + "\n")
    assert open_model(f"replay:{tmp_path}/t:1.jsonl", rulebook={}).complete(request).text == "y"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("gpt-4o", f"unknown model 'gpt-4o': {SPECS}"),
        ("", f"unknown model '': {SPECS}"),
        ("rules:x", f"unknown model 'rules:x': {SPECS}"),
        ("openai:", f"the model 'openai:' lacks its second half: {SPECS}"),
        ("replay", f"the model 'replay' lacks its second half: {SPECS}"),
        ("gemini:pro", "gemini:pro needs a key in GEMINI_API_KEY (or GOOGLE_API_KEY)"),
        ("vllm", f"the model 'vllm' lacks its second half: {SPECS}"),
        ("openai:m", "openai:m needs a key in OPENAI_API_KEY, or the base URL of a server without keys"),
    ],
)
def test_what_cannot_be_opened(spec, said):
    with pytest.raises(ConfigError) as caught:
        open_model(spec, rulebook={})
    assert str(caught.value) == said
