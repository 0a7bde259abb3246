from __future__ import annotations

import pytest
from chattyshared.errors import ConfigError, ModelError, ModelRefused, ModelUnavailable
from chattyshared.model import Completion, Message, Request, Usage
from chattyshared.model.replay import ReplayModel
from chattyshared.trace import MAX_TEXT_LENGTH, Trace, TracedModel


def ask(question, agent="answer/qir", attempt=1, schema=None):
    return Request(agent, (Message("system", "Be\nbrief."), Message("user", question)), schema, attempt=attempt)


class Live:
    """Answers with the next of its replies, or raises it."""

    name = "live"

    def __init__(self, *replies):
        self.replies = list(replies)

    def complete(self, request):
        said = self.replies.pop(0)
        if isinstance(said, Exception):
            raise said
        return said


def recorded(tmp_path, *calls):
    """Make a trace of calls (request, reply)."""
    with Trace(tmp_path / "t.jsonl") as trace:
        for request, reply in calls:
            try:
                TracedModel(Live(reply), trace, "p").complete(request)
            except ModelError:
                continue
    return tmp_path / "t.jsonl"


FIRST = Completion("one", Usage(1, 5, 2, 1, 0.5, True), "length")


def test_what_was_said_is_said_again_whole(tmp_path):
    path = recorded(tmp_path, (ask("a"), FIRST), (ask("b"), Completion("two", Usage(1))))
    model = ReplayModel(path)
    assert model.name == f"replay:{path}"
    assert [model.complete(ask(q)).text for q in "bab"] == ["two", "one", "two"]
    assert model.complete(ask("a")) == FIRST


def test_of_two_replies_to_one_request_the_first_is_said(tmp_path):
    path = recorded(tmp_path, (ask("a"), FIRST), (ask("a"), Completion("later", Usage(1))))
    assert ReplayModel(path).complete(ask("a")).text == "one"


def test_what_failed_fails_again_as_the_same_kind(tmp_path):
    path = recorded(tmp_path, (ask("a"), ModelRefused("no", model="live")), (ask("b"), FIRST))
    with pytest.raises(ModelRefused, match=r"as recorded: live: no$"):
        ReplayModel(path).complete(ask("a"))


def test_what_failed_and_was_made_good_is_good(tmp_path):
    path = recorded(tmp_path, (ask("a"), ModelUnavailable("down")), (ask("a"), FIRST))
    assert ReplayModel(path).complete(ask("a")) == FIRST


def test_a_new_prompt_is_told_by_its_difference_from_the_nearest(tmp_path):
    path = recorded(
        tmp_path, (ask("About films.\nWho wrote it?"), FIRST), (ask("On cats."), FIRST), (ask("Who?", agent="x"), FIRST)
    )
    with pytest.raises(ModelError) as caught:
        ReplayModel(path).complete(ask("About films.\nWho made it?"))
    assert str(caught.value) == (
        f"replay:{path}: answer/qir asks something new (attempt 1); the nearest recorded prompt differs: "
        "-Who wrote it? | +Who made it?"
    )


def test_another_schema_or_attempt_is_told(tmp_path):
    path = recorded(tmp_path, (ask("a"), FIRST))
    for request in (ask("a", attempt=2), ask("a", schema={"type": "object"})):
        with pytest.raises(
            ModelError, match="the prompt was recorded, but with another reply schema or at another attempt"
        ):
            ReplayModel(path).complete(request)


def test_an_agent_that_was_never_asked_is_told(tmp_path):
    path = recorded(tmp_path, (ask("a", agent="y"), FIRST), (ask("a", agent="x"), FIRST))
    with pytest.raises(ModelError, match="answer/qir was never asked in this trace, only x, y$"):
        ReplayModel(path).complete(ask("a"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ": holds no call of a model, nothing can be replayed"),
        ('{"kind": "query"}\n', ": holds no call of a model, nothing can be replayed"),
        ('{"kind": "query"}\n[]\n', ", line 2: no event of a trace"),
        ('{"kind": "model", "data": {}}\n', ", line 1: a model call that lacks a part (KeyError('messages'))"),
        ("{broken\n", ", line 1: not JSON: Expecting property name enclosed in double quotes (column 2)"),
    ],
)
def test_a_file_that_is_no_trace(tmp_path, content, said):
    file = tmp_path / "t.jsonl"
    file.write_text(content)
    with pytest.raises(ConfigError) as caught:
        ReplayModel(file)
    assert str(caught.value) == f"{file}{said}"


def test_a_trace_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="No such file"):
        ReplayModel(tmp_path / "none")


def test_the_half_line_of_a_killed_run_is_left_out(tmp_path):
    path = recorded(tmp_path, (ask("a"), FIRST))
    with path.open("a") as file:
        file.write('{"kind": "mod')
    assert ReplayModel(path).complete(ask("a")) == FIRST


def test_a_reply_that_the_trace_has_cut_is_not_replayed(tmp_path):
    path = recorded(
        tmp_path,
        (ask("a"), Completion("x" * (MAX_TEXT_LENGTH + 9), Usage(1))),
        (ask("b" * 2 * MAX_TEXT_LENGTH), Completion("two", Usage(1))),
    )
    model = ReplayModel(path)
    assert model.complete(ask("b" * 2 * MAX_TEXT_LENGTH)).text == "two"
    with pytest.raises(
        ConfigError, match="the reply to answer/qir cannot be replayed: the trace lacks 9 characters of it"
    ):
        model.complete(ask("a"))
