from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from chattyshared.errors import ModelUnavailable
from chattyshared.jsonlines import read_lines
from chattyshared.judging.judge import (
    ANSWER,
    DIALOGUE,
    PAIR,
    JudgeTask,
    pair_tasks,
    rate,
    read_conversations,
)
from chattyshared.model import Completion, Request, Usage
from chattyshared.trace import Trace
from click.testing import CliRunner

import chattygen.cli
import chattykg.cli

RECORDED = Path(__file__).with_name("recorded")
REPLAY = ("--model", f"replay:{RECORDED / 'judge.trace.jsonl'}")
PAIR_TASK = JudgeTask("a|b", PAIR, {"first": ("1. Who?",), "second": ("1. Good?",)})
PROGRAMS = {"chattygen": chattygen.cli.main, "chattykg": chattykg.cli.main}


class Opinion:
    """A judge that replies what a function of the request gives."""

    name = "opinion"

    def __init__(self, reply):
        self.reply, self.requests = reply, []

    def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        value = self.reply(request.variables)
        return Completion(value if isinstance(value, str) else json.dumps(value), Usage(1, 1, 1))


def judge(reply, task=PAIR_TASK, theta=2):
    model = Opinion(reply)
    return rate(task, model, "m", theta, Trace()), model


def prefer(text):
    return lambda shown: {"reason": "r", "better": "A" if text in shown["first"][0] else "B"}


def run(program, *arguments, code=0):
    done = CliRunner().invoke(PROGRAMS[program], list(map(str, arguments)), prog_name=program)
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize(
    ("reply", "verdicts", "score"),
    [
        (prefer("Who"), ["A", "B"], 1),
        (prefer("Good"), ["B", "A"], 5),
        (lambda _: {"reason": "r", "better": "A"}, ["A", "A"], 3),
        (lambda _: {"reason": "r", "better": "tie"}, ["tie", "tie"], 3),
    ],
)
def test_a_pair_is_shown_in_both_orders(reply, verdicts, score):
    line, model = judge(reply)
    assert (line["verdicts"], line["ratings"], len(line["reasons"])) == (verdicts, {"preference": score}, 2)
    first, second = (request.messages[1].content for request in model.requests)
    assert first.index("Who?") < first.index("Good?") and second.index("Good?") < second.index("Who?")


def test_the_judge_sees_neither_ids_nor_files():
    task = JudgeTask("chattykg/d1", DIALOGUE, {"turns": ("1. Who?",)})
    line, model = judge(lambda _: {"reason": "r", "coherence": 5, "naturalness": 4, "variety": 1}, task)
    assert line == {
        "id": "chattykg/d1", "rater": "m", "ratings": {"coherence": 5, "naturalness": 4, "variety": 1}, "reasons": ["r"]
    }  # fmt: skip
    assert "chattykg" not in "".join(message.content for message in model.requests[0].messages)


@pytest.mark.parametrize("reply", ["I cannot say.", {"reason": "r", "better": "both"}, {"better": "A"}, ""])
def test_a_judge_that_says_neither_is_unread_after_theta_attempts(reply):
    line, model = judge(lambda _: reply, theta=2)
    assert line["unread"] is True and line["error"] and "ratings" not in line
    assert len(model.requests) == 2


def test_a_score_beyond_the_scale_is_asked_for_again():
    scores = iter((6, 5))
    task = JudgeTask(
        "q", ANSWER, {"conversation": ("(none)",), "question": ("Who?",), "answer": ("x",), "gold": ("y",)}
    )
    line, model = judge(lambda _: {"reason": "", "response_quality": next(scores), "fluency": 1}, task)
    assert (line["ratings"], len(model.requests)) == ({"response_quality": 5, "fluency": 1}, 2)


def test_an_unexpected_error_ends_in_its_line_and_a_lost_model_ends_the_run():
    line, _ = judge(lambda _: {}[0])
    assert line["unexpected"].startswith("KeyError at ") and "unexpected error" in line["error"]

    def fail(_):
        raise ModelUnavailable("gone")

    with pytest.raises(ModelUnavailable):
        judge(fail)


def test_the_recorded_judge_rates_again(tmp_path):
    dialogues, out = RECORDED / "dialogues.jsonl", tmp_path / "r.jsonl"
    done = run("chattygen", "judge", dialogues, *REPLAY, "-o", out, "--json")
    means = {row["criterion"]: row["mean"] for row in json.loads(done.stdout)["means"]}
    assert means == pytest.approx({"coherence": 4, "naturalness": 11 / 3, "variety": 14 / 3})
    done = run("chattygen", "judge", dialogues, RECORDED / "other.jsonl", *REPLAY, "-o", tmp_path / "p.jsonl", "--json")
    summary = json.loads(done.stdout)
    assert summary["preferences"][0] | {"rater": ""} == {"rater": "", "A wins": 1, "B wins": 0, "ties": 0, "p": 1.0}
    assert summary["position bias"] == [{"pairs": 1, "share": 0}] and summary["error"] == 0
    answers = ("judge", RECORDED / "answers.jsonl", dialogues)
    done = run("chattykg", *answers, *REPLAY, "-o", tmp_path / "a.jsonl", "--json")
    counts = Counter({row["criterion"]: row["n"] for row in json.loads(done.stdout)["means"]})
    assert counts == {"response_quality": 5, "fluency": 5, "coherence": 1, "naturalness": 1, "variety": 1}
    assert sum(event["kind"] == "model" for _, event in read_lines(RECORDED / "judge.trace.jsonl")) == 11


def tasks(letter: str, count: int) -> list[JudgeTask]:
    return [JudgeTask(f"{letter}{n}", "judge/dialogue", {"turns": (f"1. {letter}{n}?",)}) for n in range(count)]


def write(path, *questions):
    path.write_text("".join(json.dumps(question) + "\n" for question in questions), encoding="utf-8")
    return path


def test_the_judge_sees_gold_only_if_asked(tmp_path):
    turns = ({"id": 1, "dialogue_id": "d", "turn": 1, "question": "Who?", "answers": ["http://x/Ann"],
              "answer_labels": ["Ann"]}, {"id": 2, "dialogue_id": "d", "turn": 2, "question": "Why?", "answers": []},
             {"id": 3, "question": "Alone?"})  # fmt: skip
    path = write(tmp_path / "q.jsonl", *turns)
    (blind,), (open_eyed,) = (read_conversations(path, "", with_gold=with_gold) for with_gold in (False, True))
    assert blind == JudgeTask("d", "judge/dialogue", {"turns": ("1. Who?", "2. Why?")})
    assert open_eyed.variables["turns"] == ("1. Who?", "Answer: Ann", "2. Why?", "Answer: there is none")


def test_a_convquestions_file_is_read(tmp_path):
    turns = [
        {"question": "Who wrote it?", "answer": "Q1", "answer_text": "Ann"},
        {"question": "When?", "answer": "1999"},
    ]
    path = tmp_path / "c.json"
    path.write_text(json.dumps([{"conv_id": 7, "domain": "x", "seed_entity_text": "x", "questions": turns}]))
    assert [(task.id, task.variables["turns"]) for task in read_conversations(path, "", with_gold=True)] == [
        ("7", ("1. Who wrote it?", "Answer: Ann", "2. When?", "Answer: 1999"))
    ]


def test_pairs_are_as_many_as_the_shorter_file_has_and_seeded():
    first, second = tasks("a", 3), tasks("b", 5)
    pairs = pair_tasks(first, second, None, 0)
    assert len(pairs) == 3 == len({pair.id.split("|")[0] for pair in pairs}) == len({pair.id[3:] for pair in pairs})
    assert pairs == pair_tasks(first, second, None, 0) != pair_tasks(first, second, None, 1)
    row, column = pairs[0].id.split("|")
    assert pairs[0].variables == {"first": (f"1. {row}?",), "second": (f"1. {column}?",)}


def test_more_pairs_are_taken_of_all_and_none_twice():
    first, second = tasks("a", 3), tasks("b", 5)
    assert len({pair.id for pair in pair_tasks(first, second, 11, 0)}) == 11
    assert len({pair.id for pair in pair_tasks(first, second, 99, 0)}) == 15
