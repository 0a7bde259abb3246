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
    ("strategy", "kind", "asked", "questions", "more"),
    [
        ("direct", "--benchmark", "talk.jsonl", 5, ()),
        ("staged", "--questions", "questions.jsonl", 5, ()),
        ("agent", "--questions", "described.jsonl", 6, ()),
        ("auto", "--questions", "hard.jsonl", 6, ("--experience", RECORDED / "demo.experience.jsonl")),
    ],
)
def test_a_recorded_model_answers_again(strategy, kind, asked, questions, more, tmp_path):
    trace, output = RECORDED / f"{strategy}.trace.jsonl", tmp_path / "answers.jsonl"
    options = ("--strategy", strategy, "--model", f"replay:{trace}", *more)
    run("answer", "--kg", "demo", kind, RECORDED / asked, *options, "-o", output)
    scores = json.loads(run("evaluate", RECORDED / asked, output, "--json"))
    assert (scores["f1"], scores["questions"], scores.get("false_answers") or 0) == (1.0, questions, 0)
    calls = sum(event["kind"] == "model" for _, event in read_lines(trace))
    assert scores["model_calls"] == calls <= 12


@pytest.mark.slow
def test_the_recorded_mkgqagent_plans_links_and_confirms(tmp_path):
    trace, asked, output = RECORDED / "mkgqagent.trace.jsonl", RECORDED / "linked.jsonl", tmp_path / "answers.jsonl"
    options = ("--model", f"replay:{trace}", "--experience", RECORDED / "demo.experience.jsonl")
    run("answer", "--kg", "demo", "--engine", "mkgqagent", "--questions", asked, *options, "-o", output)
    scores = json.loads(run("evaluate", asked, output, "--json"))
    assert (scores["f1"], scores["questions"], scores["false_answers"], scores["model_calls"]) == (1.0, 2, 0, 9)
    calls = [event["data"] for _, event in read_lines(trace) if event["kind"] == "model"]
    tools = [json.loads(call["text"]).get("tool", "plan") for call in calls]
    assert tools[:5] == ["plan", "search_entities", "search_predicates", "answer", "answer"]


@pytest.mark.slow
def test_the_recorded_triad_links_a_template_and_tries_again(tmp_path):
    trace, asked, output = RECORDED / "triad.trace.jsonl", RECORDED / "linked_names.jsonl", tmp_path / "answers.jsonl"
    options = ("--model", f"replay:{trace}")
    run("answer", "--kg", "demo", "--engine", "triad", "--questions", asked, *options, "-o", output)
    scores = json.loads(run("evaluate", asked, output, "--json"))
    assert (scores["f1"], scores["questions"], scores["false_answers"], scores["model_calls"]) == (1.0, 4, 0, 11)
    calls = [event["data"]["agent"] for _, event in read_lines(trace) if event["kind"] == "model"]
    assert calls.count("triad/template") == 6 and calls.count("triad/relations") == 4


def test_the_recorded_agent_looks_a_described_thing_up():
    calls = [event["data"] for _, event in read_lines(RECORDED / "agent.trace.jsonl") if event["kind"] == "model"]
    tools = [json.loads(call["text"])["tool"] for call in calls]
    assert tools.count("answer") == 6 and {"search_entities", "describe"} <= set(tools)
