"""Replies of language models that were recorded once are answered by the engines of today."""

import json
from pathlib import Path

import pytest
from chattyshared.jsonlines import read_lines
from click.testing import CliRunner

from chattykg.cli import main

RECORDED = Path(__file__).with_name("recorded")


def run(*arguments: object) -> str:
    done = CliRunner().invoke(main, list(map(str, arguments)), prog_name="chattykg")
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "asked", "questions"),
    [
        ("direct", ("--strategy", "direct"), "talk.jsonl", 5),
        ("staged", ("--strategy", "staged"), "questions.jsonl", 5),
        ("agent", ("--strategy", "agent"), "described.jsonl", 6),
        ("auto", ("--strategy", "auto", "--experience", RECORDED / "demo.experience.jsonl"), "hard.jsonl", 6),
        ("mkgqagent", ("--engine", "mkgqagent", "--experience", RECORDED / "demo.experience.jsonl"), "linked.jsonl", 2),
        ("triad", ("--engine", "triad"), "linked_names.jsonl", 4),
    ],
)
def test_a_recorded_model_answers_again(name, options, asked, questions, tmp_path):
    trace, output = RECORDED / f"{name}.trace.jsonl", tmp_path / "answers.jsonl"
    kind = "--benchmark" if asked == "talk.jsonl" else "--questions"
    run("answer", "--kg", "demo", kind, RECORDED / asked, *options, "--model", f"replay:{trace}", "-o", output)
    scores = json.loads(run("evaluate", RECORDED / asked, output, "--json"))
    assert (scores["f1"], scores["questions"], scores.get("false_answers") or 0) == (1.0, questions, 0)
    calls = sum(event["kind"] == "model" for _, event in read_lines(trace))
    assert scores["model_calls"] == calls <= 12
