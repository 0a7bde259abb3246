"""Files of answers: what made them, what a failed start leaves behind, and what a trace lies beside."""

import json
from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, History, Value
from chattyshared.errors import (
    BudgetSpent,
    ChattyError,
    ConfigError,
    EndpointUnavailable,
    ModelRefused,
    ModelUnavailable,
)
from chattyshared.trace import Event, Trace

from chattykg.runs.answer_run import EngineConfig, RunOptions, answer_to_file
from chattykg.runs.batch import BatchCounts
from chattykg.runs.question_sets import Conversation, QuestionItem
from chattykg.settings import Settings

ASKED = (Conversation((QuestionItem(0, "a", "a"),)), Conversation((QuestionItem(1, "b", "b"),)))


class Scripted:
    """Says the question back; raises what it is told at one question; records each."""

    def __init__(self, trace: Trace, fails: dict[str, ChattyError]) -> None:
        self._trace, self._fails = trace, fails

    def answer(self, question: str, history: History = (), *, span: str = "") -> Answer:
        self._trace.record(Event("note", span, 0.0, error=str(self._fails.get(question, ""))))
        if question in self._fails:
            raise self._fails[question]
        return Answer((Value(question, "literal"),))


def fill(path: Path, way: RunOptions = RunOptions(), **fails: ChattyError) -> BatchCounts:  # noqa: B008
    return answer_to_file(path, ASKED, lambda trace: Scripted(trace, fails), {"made": "by test"}, way)


def places(path: Path) -> list[str]:
    return [json.loads(line)["span"] for line in path.read_text().splitlines()]


@pytest.mark.parametrize("gone", [EndpointUnavailable("down"), ModelUnavailable("down")])
def test_nobody_at_the_start_is_bad_input_and_leaves_nothing(tmp_path, gone):
    with pytest.raises(ConfigError, match="^down$"):
        fill(tmp_path / "answers.jsonl", a=gone)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("gone", [EndpointUnavailable("down"), ModelUnavailable("down"), BudgetSpent("spent")])
def test_nobody_later_stops_the_run_which_goes_on(tmp_path, gone):
    with pytest.raises(type(gone)):
        fill(tmp_path / "answers.jsonl", b=gone)
    assert fill(tmp_path / "answers.jsonl") == BatchCounts(asked=1, kept=1)
    assert places(tmp_path / "answers.jsonl.trace.jsonl") == ["a", "b", "b"]


def test_a_failed_start_loses_nothing_of_an_earlier_run(tmp_path):
    fill(tmp_path / "answers.jsonl")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert "answers.jsonl.trace.jsonl" in before
    with pytest.raises(ConfigError):
        fill(tmp_path / "answers.jsonl", RunOptions(overwrite=True), a=ModelUnavailable("down"))
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_to_overwrite_is_to_trace_anew(tmp_path):
    fill(tmp_path / "answers.jsonl")
    assert fill(tmp_path / "answers.jsonl", RunOptions(overwrite=True)) == BatchCounts(asked=2)
    assert places(tmp_path / "answers.jsonl.trace.jsonl") == ["a", "b"]


def test_the_trace_lies_where_it_is_wanted(tmp_path):
    trace = tmp_path / "deep" / "trace.jsonl"
    fill(tmp_path / "answers.jsonl", RunOptions(trace=trace))
    assert places(trace) == ["a", "b"]
    fill(tmp_path / "answers.jsonl", RunOptions(trace=trace, overwrite=True))
    assert places(trace) == ["a", "b", "a", "b"]
    assert not (tmp_path / "answers.jsonl.trace.jsonl").exists()


def test_no_trace_holds_a_secret(tmp_path):
    failed = ModelRefused("the key sk-123456789 is not liked")
    fill(tmp_path / "answers.jsonl", RunOptions(secrets=("sk-123456789",)), a=failed)
    assert "sk-123456789" not in (tmp_path / "answers.jsonl.trace.jsonl").read_text()
    assert "sk-123456789" not in repr(RunOptions(secrets=("sk-123456789",)))


def test_the_manifest_of_triad_tells_the_examples_and_the_advisor(monkeypatch, tmp_path):
    def entries(strategy):
        config = EngineConfig(Settings(strategy=strategy))
        return config.to_manifest().get("shots"), "baseline/llm_only" in config.prompt_names()

    shots, has_advisor = entries("triad")
    assert (len(shots), has_advisor, entries("mkgqagent")) == (16, True, (None, False))
    (tmp_path / "shots.json").write_text("[]")
    monkeypatch.setattr("chattykg.triad.template._SHOTS", tmp_path / "shots.json")
    assert entries("triad")[0] != shots
