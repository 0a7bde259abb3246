from __future__ import annotations

import json

import pytest
from chattyshared.agent import Agent
from chattyshared.check import Problem
from chattyshared.errors import ModelRefused, ReplyInvalid
from chattyshared.model import Completion, Message, Usage
from chattyshared.prompt import Prompt
from chattyshared.sparql.repair import find_query
from chattyshared.trace import Trace

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
PROMPT = Prompt("test/number", "Say a number.", "About $topic.", SCHEMA, "d")
VARIABLES = {"topic": "cats"}


class Scripted:
    """Says its replies in order; an exception among them is raised."""

    name = "scripted"

    def __init__(self, *replies):
        self.replies, self.requests = list(replies), []

    def complete(self, request):
        self.requests.append(request)
        said = self.replies.pop(0)
        if isinstance(said, Exception):
            raise said
        text, finish = said if isinstance(said, tuple) else (said, "stop")
        return Completion(text, Usage(1, 10, 5), finish)


def even(value, variables):
    if value["n"] % 2:
        yield Problem("even", f"{value['n']} about {variables['topic']} is odd: say an even number.")


def test_a_good_reply_needs_one_attempt():
    model = Scripted('{"n": 2}')
    reply = Agent(PROMPT, (even,))(model, VARIABLES)
    assert (reply.value, reply.usage, reply.attempts) == ({"n": 2}, Usage(1, 10, 5), 1)
    (request,) = model.requests
    assert (request.agent, request.schema, request.attempt) == ("test/number", SCHEMA, 1)
    assert request.messages == (Message("system", "Say a number."), Message("user", "About cats."))


def test_problems_are_said_in_words_with_the_last_reply_and_no_older_one():
    model = Scripted('{"n": "x"}', '{"n": 3}', '{"n": 4}')
    reply = Agent(PROMPT, (even,))(model, VARIABLES)
    assert (reply.value, reply.attempts, reply.usage) == ({"n": 4}, 3, Usage(3, 30, 15))
    assert [request.attempt for request in model.requests] == [1, 2, 3]
    assert model.requests[1].messages[2:] == (
        Message("assistant", '{"n": "x"}'),
        Message("user", "That reply cannot be used:\n- $.n: 'x' is not of type 'integer'\n"
                        "Reply again, whole and corrected, as JSON only."),
    )  # fmt: skip
    assert model.requests[2].messages[2:] == (
        Message("assistant", '{"n": 3}'),
        Message("user", "That reply cannot be used:\n- 3 about cats is odd: say an even number.\n"
                        "Reply again, whole and corrected, as JSON only."),
    )  # fmt: skip
    assert len({request.digest() for request in model.requests}) == 3


def test_after_theta_attempts_in_all_it_gives_up_with_everything_known():
    model = Scripted('{"n": 1}', "no", '{"n": 5}', '{"n": 2}')
    with pytest.raises(ReplyInvalid) as caught:
        Agent(PROMPT, (even,))(model, VARIABLES)
    error = caught.value
    assert len(model.requests) == 3
    assert error.problems == (Problem("even", "5 about cats is odd: say an even number."),)
    assert (error.text, error.attempts, error.usage, error.model) == ('{"n": 5}', 3, Usage(3, 30, 15), "scripted")
    assert str(error) == "scripted: test/number: even: 5 about cats is odd: say an even number. (3 attempts)"


@pytest.mark.parametrize("theta", [0, 1])
def test_one_attempt_is_the_least(theta):
    model = Scripted("no")
    with pytest.raises(ReplyInvalid):
        Agent(PROMPT)(model, VARIABLES, theta=theta)
    assert len(model.requests) == 1


def test_a_model_that_fails_later_carries_the_usage_of_all_attempts():
    model = Scripted("no", ModelRefused("never", usage=Usage(1, 7, 0)))
    with pytest.raises(ModelRefused) as caught:
        Agent(PROMPT)(model, VARIABLES)
    assert caught.value.usage == Usage(2, 17, 5)


def test_a_long_reply_is_shown_cut():
    model = Scripted("x" * 9000, '{"n": 1}')
    Agent(PROMPT)(model, VARIABLES)
    assert model.requests[1].messages[2] == Message("assistant", "x" * 4000)


def test_a_reply_that_was_cut_off_hears_that():
    model = Scripted(('{"n": 1', "length"), '{"n": 1}')
    Agent(PROMPT)(model, VARIABLES)
    assert "- The reply was cut off before its end: be shorter." in model.requests[1].messages[3].content


def test_a_reply_cut_off_behind_its_json_is_good():
    assert Agent(PROMPT)(Scripted(('{"n": 1} and furthermore', "length")), VARIABLES).value == {"n": 1}


def test_of_several_values_the_one_that_keeps_the_schema_is_taken():
    text = 'For example {"n": "a longer example"}. I say {"n": 8}.'
    assert Agent(PROMPT)(Scripted(text), VARIABLES).value == {"n": 8}


def test_at_most_ten_problems_are_said():
    prompt = Prompt("p", "s", "u", {"type": "array", "items": {"type": "string"}}, "d")
    model = Scripted(json.dumps(list(range(30))), "[]")
    Agent(prompt)(model, {})
    assert model.requests[1].messages[3].content.count("\n- ") == 10


@pytest.mark.parametrize(
    "text",
    [
        '{"n": 2,}', '{"n": 2', "{'n': 2}", '[{"n": 2}]', '"{\\"n\\": 2}"', '{"n": 2, "why": "it is even"}',
        '```json\n{"n": 2,}\n```', 'It is {"n": 2,', "<think>{'n': 4}</think>{'n': 2}",
    ],
)  # fmt: skip
def test_a_reply_that_is_almost_json_is_repaired_and_the_trace_says_so(text, tmp_path):
    with Trace(tmp_path / "trace.jsonl") as trace, trace.stage("test"):
        reply = Agent(PROMPT)(Scripted(text), VARIABLES)
    assert (reply.value, reply.attempts) == ({"n": 2}, 1)
    assert '"repaired": true' in (tmp_path / "trace.jsonl").read_text()


@pytest.mark.parametrize("text", ['{"n": 2', "{'n': 2", '<think>{"n": 2}', '{"n": 2, "x'])
def test_a_reply_that_was_cut_off_is_not_repaired(text):
    with pytest.raises(ReplyInvalid, match="cut off"):
        Agent(PROMPT)(Scripted((text, "length")), VARIABLES, theta=1)


def test_a_bare_query_is_a_reply_where_the_agent_reads_one():
    agent = Agent(PROMPT, read_text=lambda text: {"n": len(found)} if (found := find_query(text)) else None)
    for text in ("ASK {}", "```sparql\nASK {}\n```", "Here it is:\n```\nASK {}\n```\nIt asks."):
        assert agent(Scripted(text), VARIABLES).value == {"n": 6}
    with pytest.raises(ReplyInvalid, match="JSON"):
        agent(Scripted("I cannot select one."), VARIABLES, theta=1)


def test_a_plain_agent_asks_for_no_json_and_ends_where_the_reply_comes_again():
    model = Scripted("what?", "what?", "what?")
    agent = Agent(PROMPT, read_text=lambda text: {"n": 1} if text == "one" else None, is_plain=True)
    with pytest.raises(ReplyInvalid, match=r"Reply with one query .* \(2 attempts\)"):
        agent(model, VARIABLES)
    assert agent(Scripted("one"), VARIABLES).value == {"n": 1}
