import json
from pathlib import Path

import pytest
from chattyshared.commands.group import toml_keys
from chattyshared.jsonlines import read_lines
from click import Context
from click.testing import CliRunner, Result
from wire.recorded_server import RecordedServer

from chattygen.cli.generate import generate
from chattykg.cli import main
from chattykg.cli.answer import answer
from chattykg.comparison.plan import read_plan

SHIPS = """
@prefix : <https://harbor.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Ship rdfs:label "ship"@en . :captain rdfs:label "captain"@en . :length rdfs:label "length"@en .
:aurora a :Ship ; rdfs:label "Aurora"@en ; :captain :ada ; :length 30 .
:borealis a :Ship ; rdfs:label "Borealis"@en ; :captain :bob ; :length 40 .
:ada rdfs:label "Ada Stone"@en . :bob rdfs:label "Bob Reed"@en .
"""
GOLD = [
    {"id": "1", "question": "Who is the captain of Aurora?", "answers": ["https://harbor.example/ada"]},
    {"id": "2", "question": "Who is the captain of Borealis?", "answers": ["https://harbor.example/bob"]},
]
PLAN = """
[[graphs]]
name = "ships"
kg = "ships.ttl"
gold = "gold.jsonl"

[[systems]]
name = "rules"

[[systems]]
name = "timid"
base = "rules"
threshold = [0.04, 1.0]
"""


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["compare", *map(str, arguments)], prog_name="chattykg")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    (tmp_path / "ships.ttl").write_text(SHIPS)
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in GOLD))
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def change(plan: Path, *pairs: tuple[str, str]) -> None:
    text = plan.read_text()
    for before, after in pairs:
        assert before in text
        text = text.replace(before, after)
    plan.write_text(text)


def written(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (folder / "cells").glob("*.jsonl")}


def calls_of(folder: Path) -> int:
    """Return the calls that all spend logs of a comparison count."""
    return sum(line["calls"] for path in (folder / "cells").glob("*.spent.jsonl") for _, line in read_lines(path))


def test_the_cells_are_run_and_compared(plan, tmp_path):
    done = call(plan, "-o", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    tables = json.loads(done.stdout)
    assert [(row["system"], row["F1"]) for row in tables["systems"]] == [
        ("rules", 1.0), ("timid threshold=0.04", 1.0), ("timid threshold=1.0", 0.0),
    ]  # fmt: skip
    assert tables["systems"][2]["difference"] == -1.0 and tables["not done"] == []
    assert [row["note"] for row in tables["notes"]] == ["n = 2 is too small: p cannot be less than 0.5000"]
    assert tables == json.loads((tmp_path / "out/comparison.json").read_text())
    assert "<svg" in (tmp_path / "out/comparison.html").read_text()
    assert not list((tmp_path / "out").glob("*.lock"))


def test_the_same_command_keeps_the_finished_cells_and_a_changed_plan_the_others(plan, tmp_path):
    out = tmp_path / "out"
    call(plan, "-o", out)
    first = written(out)
    change(plan, ("[0.04, 1.0]", "[0.04, 1.0, 0.9]"), ('name = "rules"', 'name = "rules"\ntheta = 2'))
    done = call(plan, "-o", out)
    assert done.exit_code == 2
    assert done.stdout.count("(engine.theta: 3 there, 2 now)") == 3 and "threshold=0.9  " in done.stdout
    assert {name: written(out)[name] for name in first} == first
    done = call(plan, "-o", out, "--overwrite", "ships--*")
    assert (done.exit_code, "not done" in done.stdout) == (0, False)
    assert len(written(out)) == 2 * 4  # answers and traces


def test_a_cell_that_cannot_run_is_told_and_the_others_go_on(plan, tmp_path):
    plan.write_text(PLAN + '[[systems]]\nname = "replayed"\nmodel = "replay:none.jsonl"\n')
    done = call(plan, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert "none.jsonl" in done.stdout.partition("not done")[2] and "timid threshold=1.0" in done.stdout


def test_options_are_checked_before_anything_runs(plan, tmp_path):
    for wrong, message in (
        ('strategy = "stages"', "'stages' is not one of"),
        ('engine = "llm"', "ships--rules: "),
        ("theta = true", "'on' is not a valid integer range"),
        ('no-reply-cache = "perhaps"', "Invalid value for '--set no_reply_cache=': 'perhaps'"),
        ("crad = false", "'crad'; did you mean card"),
        ("switch = {card = false}", "unknown 'switch'; use --set NAME=VALUE"),
        ('engine = "llm-only"\nstrategy = "agent"', "strategy does not go with --engine llm-only"),
    ):
        plan.write_text(PLAN.replace('name = "rules"', f'name = "rules"\n{wrong}', 1))
        done = call(plan, "-o", tmp_path / "out")
        assert (done.exit_code, message in done.stderr) == (2, True), done.stderr
    plan.write_text(PLAN)
    done = call(plan, "-o", tmp_path / "out", "--overwrite", "ship-*")
    assert (done.exit_code, "no cell is called ship-*" in done.stderr) == (2, True)
    (tmp_path / "gold.jsonl").write_text('{"id": 1}')
    done = call(plan, "-o", tmp_path / "out")
    assert (done.exit_code, "gold.jsonl" in done.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


def test_a_dry_run_lists_the_cells(plan, tmp_path):
    done = call(plan, "-o", tmp_path / "out", "--dry-run")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "ships--rules", "ships--timid_threshold=0.04", "ships--timid_threshold=1.0",
    ]  # fmt: skip
    assert done.stderr.count("2 questions: about ") == 3
    assert not (tmp_path / "out").exists()


def test_benchmarks_are_made_and_answered(plan, tmp_path):
    change(plan, ('gold = "gold.jsonl"', 'benchmark = "made turns=2"'))
    plan.write_text(
        plan.read_text() + '[[graphs]]\nname = "demo"\nkg = "demo"\nbenchmark = "made turns=2"\n'
        '[[benchmarks]]\nname = "made"\ngraphs = ["demo", "ships"]\ndialogues = 1\nturns = [2, 3]\nmin-triples = 4\n'
    )
    tables = json.loads(call(plan, "-o", tmp_path / "out", "--json").stdout)
    made = {(row["graph"], row["benchmark"]): row for row in tables["benchmarks"]}
    assert made["demo", "made turns=3"]["success"] == 1.0 and made["demo", "made turns=2"]["seconds"] > 0
    assert {row["graph"] for row in tables["systems"]} <= {"demo", "ships"}
    assert sum(row["graph"] == "demo" for row in tables["systems"]) == 3


def test_lists_of_candidates_are_scored_before_and_after_the_filter(plan, tmp_path):
    plan.write_text(
        '[[graphs]]\nname = "demo"\nkg = "demo"\nbenchmark = "made"\n'
        '[[benchmarks]]\nname = "made"\ndialogues = 4\nturns = 1\n'
        '[[systems]]\nname = "memory"\nengine = "memorized:{gold}"\nverify = "rules"\ncandidates = [2, 9]\n'
    )
    done = call(plan, "-o", tmp_path / "out", "--json")
    assert (done.exit_code, "not done: the benchmark has 4 different queries" in done.stderr) == (2, True)
    rows = json.loads(done.stdout)["candidate queries"]
    assert [(row["system"], row["filter"]) for row in rows if row["lists"] == "all"] == [
        ("memory candidates=2", "before"), ("memory candidates=2", "after"),
    ]  # fmt: skip
    assert rows[1]["trust"] > rows[0]["trust"]


def test_a_model_that_stops_and_a_spent_budget_end_the_comparison_which_goes_on(plan, tmp_path):
    call(plan, "-o", tmp_path / "rules")
    server = RecordedServer(sorted((tmp_path / "rules/cells").glob("*.trace.jsonl")))
    server.start()
    try:
        limits = "[run]\nmax-calls = 3\n"
        change(
            plan,
            ('name = "rules"', f'name = "rules"\nmodel = "openai:m"\nstrategy = "staged"\nbase-url = "{server.url}"'),
        )
        plan.write_text(limits + plan.read_text())
        stopped = call(plan, "-o", tmp_path / "out")
        assert stopped.exit_code == 3, stopped.stderr
        assert "the limit of 1 calls of the model is reached" in stopped.stdout  # two are spent by the first cell
        assert stopped.stdout.count("not begun") == 1 and "ships  rules " in stopped.stdout
        change(plan, (limits, "[run]\nmax-calls = 40\n"))
        done = call(plan, "-o", tmp_path / "out", "--json")
        assert done.exit_code == 0, done.stderr
        spent = calls_of(tmp_path / "out")
        assert call(plan, "-o", tmp_path / "out", "--overwrite", "ships--rules").exit_code == 0
    finally:
        server.stop()
    assert (3 < spent <= 40, calls_of(tmp_path / "out")) == (True, spent + 2)
    rules = json.loads((tmp_path / "rules/comparison.json").read_text())["systems"]
    assert [row["F1"] for row in json.loads(done.stdout)["systems"]] == [row["F1"] for row in rules]
    assert server.missing == 0
    change(plan, ("max-calls = 40", "max-calls = 1"), ("1.0]", "0.9, 1.0]"))
    failed = tmp_path / "out/cells/ships--timid_threshold=1.0.jsonl"
    failed.write_text(failed.read_text().partition("\n")[0] + '\n{"id": "2", "question": "?", "error": "lost"}\n')
    lines = failed.read_text()
    again = call(plan, "-o", tmp_path / "out")
    assert failed.read_text() == lines
    assert again.exit_code == 3 and again.stdout.count("the limit of 0 calls") == 1
    assert all(f"timid threshold={value}" in again.stdout for value in ("0.04", "1.0"))


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[3] / "docs/plans").glob("*.toml")), ids=lambda p: p.stem
)
def test_the_plans_of_the_papers_tables_are_plans(path, tmp_path, monkeypatch):
    monkeypatch.chdir(path.parent)
    plan = read_plan(path, tmp_path / "cells", toml_keys(answer), toml_keys(generate))
    for cell in plan.cells:
        arguments = [*cell.arguments, f"--output={cell.output}"]
        assert (answer if cell.gold else generate).make_context("", arguments, parent=Context(main))
    assert len(plan.cells) >= 3
