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
    ("strategy", "kind", "asked"),
    [("direct", "--benchmark", "talk.jsonl"), ("staged", "--questions", "questions.jsonl")],
)
def test_a_recorded_model_answers_again(strategy, kind, asked, tmp_path):
    trace, output = RECORDED / f"{strategy}.trace.jsonl", tmp_path / "answers.jsonl"
    options = ("--strategy", strategy, "--embeddings", "off", "--model", f"replay:{trace}")
    run("answer", "--kg", "demo", kind, RECORDED / asked, *options, "-o", output)
    scores = json.loads(run("evaluate", RECORDED / asked, output, "--json"))
    assert (scores["f1"], scores["questions"], scores.get("false_answers") or 0) == (1.0, 5, 0)
    calls = sum(event["kind"] == "model" for _, event in read_lines(trace))
    assert scores["model_calls"] == calls <= 12
