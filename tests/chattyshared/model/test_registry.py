from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from chattyshared.errors import BudgetSpent, ConfigError, ModelRefused
from chattyshared.model import Message, Request, Usage
from chattyshared.model.providers import PROVIDERS, provider_keys
from chattyshared.model.registry import model_session, open_model
from chattyshared.model.target import ModelOptions, ModelTarget
from click.testing import CliRunner

import chattygen.cli
import chattykg.cli

SPECS = (
    "there are rules, openai:MODEL (with a base URL for any server of its kind), gemini:MODEL, "
    "vllm:MODEL (started here, or running at a base URL), replay:TRACE"
)
RULEBOOK = {"answer/echo": lambda request: {"said": request.variables["text"]}}
ROOT = Path(__file__).resolve().parents[3]
ASKED = Request("a/b", (Message("user", "x"),), {"type": "object"})
RULES = {"a/b": lambda request: {}}


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


def test_keys_come_from_their_variables():
    assert provider_keys({"OPENAI_API_KEY": "o", "GOOGLE_API_KEY": "g", "OTHER": "x"}) == {
        "openai": "o", "gemini": "g", "vllm": "o",
    }  # fmt: skip
    keys = {"GEMINI_API_KEY": "first", "GOOGLE_API_KEY": "g", "OPENAI_API_KEY": ""}
    assert provider_keys(keys) == {"gemini": "first"}


def test_each_row_of_the_table_names_a_module_and_an_extra_that_exist():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for provider in PROVIDERS:
        assert callable(import_module(provider.module).open_provider)
        assert not provider.extra or provider.extra in extras


def test_the_help_of_the_commands_names_every_provider_and_key():
    for command in (chattygen.cli.main, chattykg.cli.main):
        name = "generate" if command is chattygen.cli.main else "answer"
        text = " ".join(CliRunner().invoke(command, [name, "--help"]).output.split())
        for provider in PROVIDERS:
            assert provider.option_help in text
            assert all(variable in text for variable in provider.key_variables[:1])


def test_what_is_paid_is_kept_and_counted_beside_the_output(serve, reply, tmp_path):
    server = serve(lambda _: reply("{}"))
    given = {"cache_dir": tmp_path / "cache", "price": ("m=1,2",), "max_calls": 2, "reply_tokens": 7}
    output = tmp_path / "out.jsonl"
    for run in range(2):
        with model_session(given, output=output) as access:
            model = open_model("openai:m", rulebook={}, base_url=server.url, model_options=access)
            first = model.complete(ASKED)
            assert first.usage.usd == pytest.approx((11 * 1 + 3 * 2) / 1e6)
            assert access.meter.spent.usage.calls == 1, run
    assert len(server.asked) == 1
    assert server.asked[0]["max_tokens"] == 7
    with model_session(given | {"no_reply_cache": True}, output=output) as access:
        model = open_model("openai:m", rulebook={}, base_url=server.url, model_options=access)
        model.complete(ASKED)
        with pytest.raises(BudgetSpent, match=r"2 calls of the model is reached \(2 calls, .* counted in .*\.spent"):
            model.complete(ASKED)
    with model_session(given | {"overwrite": True}, output=output) as access:
        assert access.meter.spent.usage.calls == 0
    assert {path.name for path in tmp_path.iterdir()} == {"cache", "out.jsonl.spent.jsonl"}


def test_the_rules_cost_nothing_and_count_only_where_there_is_a_limit(tmp_path):
    with model_session({}, output=tmp_path / "o.jsonl") as access:
        open_model("rules", rulebook=RULES, model_options=access).complete(ASKED)
    assert list(tmp_path.iterdir()) == []
    with model_session({"max_calls": 1}, output=tmp_path / "o.jsonl") as access:
        model = open_model("rules", rulebook=RULES, model_options=access)
        assert model.complete(ASKED).usage.usd is None
        with pytest.raises(BudgetSpent):
            model.complete(ASKED)


def test_a_busy_server_is_asked_again(serve, reply, refusal):
    server = serve(lambda _: refusal(429, "busy") if len(server.asked) == 1 else reply("{}"))
    assert open_model("openai:m", rulebook={}, base_url=server.url).complete(ASKED).text == "{}"
    assert len(server.asked) == 2


def test_keys_are_not_shown():
    target = ModelTarget("gemini:m", "m", None, 1, "AIza-secret", {}, ModelOptions())
    assert "secret" not in repr(target)


def test_a_mistyped_price_is_said_at_the_start():
    with pytest.raises(ConfigError, match="price="), model_session({"price": ("m",)}):
        pass
