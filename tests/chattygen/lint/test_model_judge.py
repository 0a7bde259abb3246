"""A model that reads dialogues: its defects join those of the rules, and unusable replies leave a dialogue unjudged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from chattyshared.errors import ModelUnavailable
from chattyshared.trace import Trace, TracedModel
from click.testing import CliRunner
from lighthouses import ORMEN, changed, lines_of, written
from scripted_model import StepModel

from chattygen.cli import main
from chattygen.lint import LintReport, LintSource, ModelJudge, lint_source

FORMULA = {"turn": 2, "kind": "wording", "why": "nobody says so"}
JUMP = {"turn": 3, "kind": "unnatural", "why": "out of the blue"}


def judged(model: object) -> LintReport:
    return lint_source(LintSource("lights.jsonl", "chatty", (ORMEN,)), judge=ModelJudge(model, theta=2))  # type: ignore[arg-type]


def test_one_call_a_dialogue_shows_questions_and_answers_and_its_defects_are_findings() -> None:
    model = StepModel([{"defects": [FORMULA, JUMP]}])
    report = judged(model)
    assert [(defect.kind, defect.turn) for defect in report.defects] == [("wording", 2), ("unnatural", 3)]
    assert report.defects[0].message == 'nobody says so: "How tall is it in meters?"'
    assert len(model.asked) == 1
    assert "2. How tall is it in meters?\nAnswer: 41\n" in model.prompt()
    assert report.to_json()["classes"]["pointless"] == 0


def test_without_a_model_its_kinds_are_not_judged() -> None:
    report = lint_source(LintSource("lights.jsonl", "chatty", (ORMEN,)))
    assert report.to_json()["classes"]["pointless"] is None


def test_a_kind_that_the_rules_found_in_the_turn_stands_once() -> None:
    spoiled = changed(ORMEN, 2, question="What is the height of it?")
    source = LintSource("lights.jsonl", "chatty", (spoiled,))
    (defect,) = lint_source(source, judge=ModelJudge(StepModel([{"defects": [FORMULA]}]))).defects
    assert (defect.kind, defect.turn) == ("wording", 2) and "a pronoun" in defect.message


@pytest.mark.parametrize("reply", [
    "none", {"defects": [{**JUMP, "turn": 7}]}, {"defects": [{**JUMP, "kind": "ugly"}]}, {"defects": [{"turn": 1}]},
])  # fmt: skip
def test_a_reply_that_cannot_be_used_is_asked_for_again(reply: object) -> None:
    model = StepModel([reply, {"defects": []}])
    assert judged(model).defects == ()
    assert len(model.asked) == 2
    assert [defect.kind for defect in judged(StepModel([reply])).defects] == ["not-judged"]


def test_a_model_that_is_not_there_ends_the_run() -> None:
    with pytest.raises(ModelUnavailable):
        judged(StepModel([ModelUnavailable("gone", model="m", reason="lost")]))


def test_a_trace_is_replayed_by_the_command(tmp_path: Path) -> None:
    path, trace_path = written(tmp_path / "lights.jsonl", lines_of(ORMEN)), tmp_path / "lint.trace.jsonl"
    with Trace(trace_path) as trace:
        judged(TracedModel(StepModel([{"defects": [JUMP]}]), trace, "lint"))
    result = CliRunner().invoke(main, ["lint", "--json", "--model", f"replay:{trace_path}", str(path)])
    (defect,) = json.loads(result.stdout)["files"][0]["listing"]
    assert (defect["class"], defect["turn"]) == ("unnatural", 3)
    plain = CliRunner().invoke(main, ["lint", "--json", "--model", "rules", str(path)])
    assert json.loads(plain.stdout)["defects"] == 0
    assert "the rule model judges no English" in plain.stderr and "the rule model" not in result.stderr
