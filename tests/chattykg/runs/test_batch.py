"""An engine over conversations: order, history, errors, and going on after a stop."""

import json
import threading
from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, Dialogue, Exchange, History, LinkedTerm, Seed, Turn, Value
from chattyshared.errors import EndpointTimeout, EndpointUnavailable, ModelUnavailable, ReplyInvalid
from chattyshared.model import Usage
from chattyshared.questions import Question
from chattyshared.runs.output import Output
from chattyshared.runs.runner import ThreadRunner
from chattyshared.trace import Trace

from chattykg.runs.batch import BatchCounts, RetryFilter, answer_conversations
from chattykg.runs.question_sets import (
    Conversation,
    QuestionItem,
    conversations_from_dialogues,
    conversations_from_questions,
)

ADA = "https://chatty.example/Ada"
BOB = "https://chatty.example/Bob"


class Scripted:
    """Says the question back with the answers so far, unless the script has something for it."""

    def __init__(self, **scripted: BaseException | Answer) -> None:
        self.asked: list[str] = []
        self._scripted = scripted
        self._lock = threading.Lock()

    def answer(self, question: str, history: History = (), *, span: str = "") -> Answer:
        assert span
        with self._lock:
            self.asked.append(question)
        reply = self._scripted.get(question)
        if isinstance(reply, BaseException):
            raise reply
        heard = [value.value for exchange in history for value in exchange.answer.values]
        return reply or Answer((Value(f"{question} after {heard}", "literal"),), queries=1, usage=Usage(1, 8, 2))


def conversations(count: int = 3, turns: int = 3) -> list[Conversation]:
    names = [[f"q{number}{turn}" for turn in range(turns)] for number in range(count)]
    return [
        Conversation(tuple(QuestionItem(number * turns + turn, name, name) for turn, name in enumerate(some)))
        for number, some in enumerate(names)
    ]


def run(path: Path, engine: Scripted, asked: list[Conversation], workers: int = 1) -> BatchCounts:
    with Output(path, {"made": "by test"}, needs_retry=RetryFilter(asked)) as output:
        return answer_conversations(engine, asked, output, runner=ThreadRunner(workers))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def timeless(path: Path) -> list[dict[str, object]]:
    return [{key: part for key, part in line.items() if key not in ("seconds", "stages")} for line in lines(path)]


def test_turns_hear_the_answers_of_their_own_conversation(tmp_path):
    tally = run(tmp_path / "a.jsonl", Scripted(), conversations(2, 2))
    assert [line["answers"] for line in lines(tmp_path / "a.jsonl")] == [
        ["q00 after []"], ["q01 after ['q00 after []']"], ["q10 after []"], ["q11 after ['q10 after []']"]
    ]  # fmt: skip
    assert tally == BatchCounts(asked=4)


def test_each_conversation_has_an_engine_of_its_own_where_engines_have_one(tmp_path):
    class Opening(Scripted):
        opened = 0

        def for_conversation(self):
            self.opened += 1
            return Scripted()

    engine = Opening()
    assert run(tmp_path / "a.jsonl", engine, conversations(3, 2)) == BatchCounts(asked=6)
    assert (engine.opened, engine.asked) == (3, [])


@pytest.mark.parametrize("gone", [EndpointUnavailable("down"), ModelUnavailable("down"), KeyboardInterrupt()])
def test_a_run_that_is_stopped_goes_on_and_asks_nothing_twice(tmp_path, gone):
    asked = conversations(3)
    with pytest.raises(type(gone)):
        run(tmp_path / "a.jsonl", Scripted(q11=gone), asked)
    assert [line["id"] for line in lines(tmp_path / "a.jsonl")] == ["q00", "q01", "q02"]
    second = Scripted()
    assert run(tmp_path / "a.jsonl", second, asked) == BatchCounts(asked=6, kept=3)
    assert second.asked == ["q10", "q11", "q12", "q20", "q21", "q22"]
    run(tmp_path / "whole.jsonl", Scripted(), asked, workers=4)
    assert timeless(tmp_path / "a.jsonl") == timeless(tmp_path / "whole.jsonl")
    again = Scripted()
    assert run(tmp_path / "a.jsonl", again, asked) == BatchCounts(kept=9)
    assert again.asked == []


def test_a_question_that_fails_by_content_gets_a_line_and_the_conversation_goes_on(tmp_path):
    failed = ReplyInvalid("no usable reply", model="rules", usage=Usage(3, 30, 3))
    tally = run(tmp_path / "a.jsonl", Scripted(q01=failed), conversations(1))
    first, second, third = lines(tmp_path / "a.jsonl")
    assert (second["error"], second["question"], "status" in second) == ("rules: no usable reply", "q01", False)
    assert (first["question"], first["status"]) == ("q00", "answered")
    assert (second["answers"], second["usage"]) == ([], {"calls": 3, "prompt_tokens": 30, "completion_tokens": 3})
    assert "error" not in first and third["answers"] == ["q02 after ['q00 after []']"]
    assert tally == BatchCounts(asked=3, errors=1)


def test_an_error_is_made_again_with_what_came_after_it(tmp_path):
    asked = conversations(2)
    run(tmp_path / "a.jsonl", Scripted(q01=EndpointTimeout("too slow")), asked)
    second = Scripted()
    assert run(tmp_path / "a.jsonl", second, asked) == BatchCounts(asked=3, kept=3)
    assert second.asked == ["q00", "q01", "q02"]
    run(tmp_path / "whole.jsonl", Scripted(), asked)
    assert timeless(tmp_path / "a.jsonl") == timeless(tmp_path / "whole.jsonl")


def test_gold_history_is_what_would_have_been_right(tmp_path):
    (asked,) = conversations_from_dialogues([DIALOGUE])
    engine = Scripted()
    with Output(tmp_path / "a.jsonl", {}) as output:
        answer_conversations(engine, [asked], output, history="gold")
    assert lines(tmp_path / "a.jsonl")[1]["answers"] == [f"Where was he born? after ['{BOB}']"]


def test_standalone_wording_is_asked_without_history(tmp_path):
    (asked,) = conversations_from_dialogues([DIALOGUE], "standalone")
    with Output(tmp_path / "a.jsonl", {}) as output:
        answer_conversations(Scripted(), [asked], output)
    assert [line["answers"] for line in lines(tmp_path / "a.jsonl")] == [
        ["Who taught Ada? after []"], ["Where was Bob born? after []"]
    ]  # fmt: skip


def turn(number: int, question: str, standalone: str, sparql: str, *answers: Value) -> Turn:
    return Turn(number, question, standalone, "object", "opens", "x", True, "easy", sparql, answers)


DIALOGUE = Dialogue(
    "d1",
    Seed(ADA, "Ada", "https://chatty.example/Person"),
    (
        turn(1, "Who taught Ada?", "Who taught Ada?", f"SELECT ?x {{ <{ADA}> ?p ?x }}", Value(BOB, "iri", label="Bob")),
        turn(
            2, "Where was he born?", "Where was Bob born?", f"SELECT ?x {{ <{BOB}> ?p ?x }}", Value("Rome", "literal")
        ),
    ),
)


def test_gold_exchanges_are_linked_to_what_their_queries_name():
    (conversation,) = conversations_from_dialogues([DIALOGUE])
    first, second = conversation.items
    assert (first.id, second.id) == ("d1/1", "d1/2")
    assert isinstance(first.gold, Exchange) and isinstance(second.gold, Exchange)
    assert first.gold.answer.entities == (LinkedTerm("Ada", ADA, "Ada", type="https://chatty.example/Person"),)
    assert second.gold.answer.entities == (LinkedTerm("Bob", BOB, "Bob"),)
    assert second.gold.answer.values == (Value("Rome", "literal"),)


def test_questions_keep_their_places_and_are_asked_by_turn():
    asked = [Question("b", "second", "d", 2), Question(7, "alone"), Question("a", "first", "d", 1)]
    assert conversations_from_questions(asked) == (
        Conversation((QuestionItem(2, "a", "first"), QuestionItem(0, "b", "second"))),
        Conversation((QuestionItem(1, 7, "alone"),)),
    )


def test_progress_is_told_with_what_stood_there_already(tmp_path):
    heard: list[int] = []
    asked = conversations(2)
    with Output(tmp_path / "a.jsonl", {}) as output:
        answer_conversations(Scripted(), asked, output, on_progress=heard.append)
    assert heard == [0, 3, 3]


@pytest.mark.parametrize("workers", [1, 4])
def test_an_unexpected_error_is_that_questions_and_does_not_keep_the_run_from_its_end(tmp_path: Path, workers: int):
    path, asked = tmp_path / "a.jsonl", conversations()
    broken = Scripted(q11=ValueError("a mistake in the program"), q20=EndpointTimeout("slow"))
    for _ in range(2):  # it comes again, and again the others stand
        with (
            Output(path, {"made": "by test"}, needs_retry=RetryFilter(asked)) as output,
            Trace(tmp_path / "t.jsonl") as trace,
        ):
            tally = answer_conversations(broken, asked, output, runner=ThreadRunner(workers), trace=trace)
            assert output.is_complete
        (said,) = tally.unexpected
        assert (tally.errors, tally.unexpected[said]) == (2, 1) and said.startswith(
            "ValueError at chattykg.runs.batch:"
        )
        found = lines(path)
        assert [line["id"] for line in found if "error" in line] == ["q11", "q20"]
        assert (found[4]["error"], found[4]["answers"]) == (f"unexpected error: {said}", [])
        assert found[5]["answers"] == ["q12 after ['q10 after []']"]
    events = [event for event in lines(tmp_path / "t.jsonl") if event["kind"] == "error"]
    assert [event["span"] for event in events] == ["q11", "q11"]
    assert run(path, Scripted(), asked) == BatchCounts(6, 3, 0)
    assert len(lines(path)) == 9 and not any("error" in line for line in lines(path))
