"""A prompt that is longer than the model takes: cut once, best first kept, and then a clear error."""

from __future__ import annotations

import json
import re

import pytest
from chattyshared.agent import Agent, TruncatableVariable
from chattyshared.errors import ContextTooLong
from chattyshared.model.openai import OpenAIModel
from chattyshared.model.replay import ReplayModel
from chattyshared.prompt import Prompt
from chattyshared.trace import Trace, TracedModel
from wire.model_server import Fault, ModelServer, completion, error

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
PROMPT = Prompt("answer/qir", "Read the question as JSON. " * 10, "Known:\n$card\n\nQuestion: $question", SCHEMA, "d")
CARD = tuple(f"{number}. looms of kind {number} " + "x" * 20 for number in range(200))
VARIABLES = {"card": CARD, "question": "Who wove the grey carpet?"}


def size(asked):
    return sum(len(message["content"]) for message in asked["messages"])


class Narrow(ModelServer):
    """Takes so many characters, four a token; tells its limit as OpenAI does, as llama.cpp does, or not at all."""

    def __init__(self, takes: int, way: str) -> None:
        super().__init__()
        self.takes, self.way = takes, way
        self.says = self._judged

    def _judged(self, asked):
        if size(asked) <= self.takes:
            return Fault(body=completion('{"a": "b"}'))
        said = {
            "both": f"This model's maximum context length is {self.takes // 4} tokens. However, your messages resulted "
            f"in {size(asked) // 4} tokens.",
            "limit": f"the request exceeds the available context size ({self.takes // 4} tokens), try increasing it",
            "none": "prompt is too long",
        }
        return Fault(400, error(said[self.way]))


@pytest.fixture
def narrow():
    started = []

    def start(takes, way):
        server = Narrow(takes, way)
        server.start()
        model = OpenAIModel("m", base_url=server.url, api_key="none")
        started.append((server, model))
        return server, model

    yield start
    for server, model in started:
        model.close()
        server.stop()


def texts(asked):
    return {message["role"]: message["content"] for message in asked["messages"]}


@pytest.mark.parametrize(("way", "takes"), [("both", 4_000), ("limit", 4_000), ("none", 6_000)])
def test_the_list_is_cut_best_first_and_the_question_stays(narrow, way, takes):
    server, model = narrow(takes, way)
    reply = Agent(PROMPT, truncatable=(TruncatableVariable("card"),))(model, VARIABLES)
    assert (reply.value, reply.attempts) == ({"a": "b"}, 1)
    first, second = map(texts, server.asked)
    assert second["system"] == first["system"]
    assert second["user"].endswith("Question: Who wove the grey carpet?")
    shown = [int(number) for number in re.findall(r"^(\d+)\. ", second["user"], re.MULTILINE)]
    assert shown == list(range(len(shown)))
    assert 20 < len(shown) < 200
    assert f"({200 - len(shown)} more left out)" in second["user"]


@pytest.mark.parametrize(("takes", "asked"), [(100, 1), (600, 2)])
def test_what_cannot_be_made_to_fit_is_told(narrow, takes, asked):
    server, model = narrow(takes, "both" if asked == 1 else "none")
    with pytest.raises(ContextTooLong, match="does not fit: .*; a model with a longer context is needed"):
        Agent(PROMPT, truncatable=(TruncatableVariable("card"),))(model, VARIABLES)
    assert len(server.asked) == asked


def test_a_reply_that_has_to_be_mended_is_asked_for_with_the_short_prompt(narrow):
    server, model = narrow(6_000, "none")
    server.faults.append(Fault(400, error("prompt is too long")))
    server.faults.append(Fault(body=completion("no JSON")))
    assert Agent(PROMPT, truncatable=(TruncatableVariable("card"),))(model, VARIABLES).attempts == 2
    assert "more left out" in server.asked[2]["messages"][1]["content"]
    assert len(server.asked[2]["messages"]) == 4


def test_wanted_elements_stay_and_options_go_from_the_end_of_each_heading():
    facts = tuple(f"{number}. fact" for number in range(9))
    stays = TruncatableVariable("facts", must_keep=lambda fact, said: fact[0] in said["wanted"])
    assert stays.render({"facts": facts, "wanted": "7"}, 18).split("\n") == ["0. fact", "7. fact", "(7 more left out)"]
    listed = "one:\n  1. a\n  2. b\ntwo:\n  3. c\n  4. d"
    assert (
        TruncatableVariable("options").render({"options": listed}, 26)
        == "one:\n  1. a\ntwo:\n  3. c\n(2 more left out)"
    )
    talk = "Q1: x\nA1: x\nQ2: x\nA2: x"
    assert (
        TruncatableVariable("talk", keeps_latest=True).render({"talk": talk}, 13) == "(2 more left out)\nQ2: x\nA2: x"
    )
    assert TruncatableVariable("talk").render({"talk": talk}, 100) == talk


def test_a_replay_cuts_as_the_run_did(narrow, tmp_path):
    _, model = narrow(4_000, "both")
    agent = Agent(PROMPT, truncatable=(TruncatableVariable("card"),))
    with Trace(tmp_path / "t.jsonl") as trace:
        agent(TracedModel(model, trace, "1"), VARIABLES)
    events = [json.loads(line)["data"] for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert [event.get("raised") for event in events] == ["ContextTooLong", None]
    assert agent(ReplayModel(tmp_path / "t.jsonl"), VARIABLES).value == {"a": "b"}
