import json
from pathlib import Path

import pytest
from chattyshared.jsonlines import read_lines
from click.testing import CliRunner

from chattygen.cli import main

RECORDED = Path(__file__).with_name("recorded")
PLANNED = ("--dialogues", 4, "--turns", 5)
STAGES = ("--type", "Film", "--type", "Person", "--dialogues", 3, "--turns", 4, "--approach", "multi-stage")


def run(*arguments: object) -> str:
    done = CliRunner().invoke(main, list(map(str, arguments)), prog_name="chattygen")
    assert done.exit_code == 0, done.output
    return done.stdout


def replies(trace: Path) -> list[dict]:
    return [json.loads(event["data"]["text"]) for _, event in read_lines(trace) if event["kind"] == "model"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments"), [("planned", PLANNED), ("multi_stage", STAGES)])
def test_a_recorded_model_words_the_same_dialogues_again(name, arguments, tmp_path):
    trace, output = RECORDED / f"{name}.trace.jsonl", tmp_path / "benchmark.jsonl"
    told = json.loads(run("generate", "--kg", "demo", *arguments, "--model", f"replay:{trace}", "-o", output, "--json"))
    wanted = arguments[arguments.index("--dialogues") + 1]
    said = {
        turn["question"] for reply in replies(trace) for turn in (*reply.get("turns", ()), *reply.get("questions", ()))
    }
    _, *dialogues = [line for _, line in read_lines(output)]
    assert (told["dialogues"], len(dialogues)) == (wanted, wanted)
    assert {turn["question"] for dialogue in dialogues for turn in dialogue["turns"]} <= said
    assert len(replies(trace)) <= 12


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments"), [("planned", PLANNED), ("multi_stage", STAGES)])
def test_what_it_words_has_no_defect(name, arguments, tmp_path):
    output = tmp_path / "benchmark.jsonl"
    run("generate", "--kg", "demo", *arguments, "--model", f"replay:{RECORDED / name}.trace.jsonl", "-o", output)
    (report,) = json.loads(run("lint", "--kg", "demo", "--json", output))["files"]
    # The paper's stages do not ask the first step of a question over two hops before it, and word what a model
    # proposes: the rows find one of its twelve questions stiff ("Which country has that city as its capital?").
    allowed = {"order": 12, "wording": 1} if name == "multi_stage" else {}
    assert all((number or 0) <= allowed.get(kind, 0) for kind, number in report["classes"].items())
