import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from chattyshared.benchmark import read_benchmark
from chattyshared.model import Usage
from click.testing import CliRunner
from ship_graph import ships

from chattygen.cli import main
from chattygen.stats import open_source

pytestmark = pytest.mark.slow


@pytest.fixture
def kg_file(tmp_path: Path) -> str:
    path = tmp_path / "ships.ttl"
    path.write_text(ships(), encoding="utf-8")
    return str(path)


def run(*arguments: str):
    return CliRunner().invoke(main, ["generate", *arguments])


def test_a_benchmark_is_written_and_summed_up(kg_file: str, tmp_path: Path):
    out = tmp_path / "b.jsonl"
    result = run("--kg", kg_file, "--dialogues", "4", "-o", str(out), "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    said = json.loads(result.stdout)
    short = {form: row["needs"] for form, row in said["coverage"].items() if "needs" in row}
    assert short and all(re.match(r"(?:an?|\d+ to \d+|[a-z]+) [a-z]", needs) for needs in short.values())
    assert (said["dialogues"], said["wanted"], said["turns"]) == (4, 4, 20)
    benchmark = read_benchmark(out)
    assert len(benchmark.dialogues) == 4
    assert benchmark.header["kg"]["sources"] == ["ships.ttl"]
    assert benchmark.header["generate"]["model"] == "rules"
    assert str(tmp_path) not in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--kg", "nowhere.ttl"], "nowhere.ttl: no such file (a knowledge graph is"),
        (["--kg", "dmeo"], "dmeo: no such file; did you mean demo? (a knowledge graph is"),
        (["--kg", "SHIPS", "--model", "oracle"], "unknown model 'oracle'"),
        (["--kg", "http://127.0.0.1:9/sparql"], "127.0.0.1:9"),
        (["--kg", "SHIPS", "--dialogues", "0"], "'--dialogues': 0 is not in the range"),
        (["--kg", "SHIPS", "--turns", "nan"], "'--turns': 'nan' is not a valid integer"),
        (["--kg", "SHIPS", "--model-timeout", "nan"], "nan is no finite number"),
        ([], "Missing option '--kg'"),
    ],
)
def test_bad_input_gets_one_line_and_exit_2(arguments, line, kg_file: str, tmp_path: Path):
    out = tmp_path / "b.jsonl"
    result = run(*(kg_file if a == "SHIPS" else a for a in arguments), "-o", str(out))
    assert (result.exit_code, result.stdout) == (2, "")
    assert line in result.stderr and result.stderr.count("\n") == 1
    assert not out.exists()


def test_nobody_there_at_the_first_call_is_bad_input_and_loses_nothing(kg_file: str, tmp_path: Path):
    out, calls, empty = tmp_path / "b.jsonl", tmp_path / "calls.jsonl", tmp_path / "empty.jsonl"
    assert run("--kg", kg_file, "--dialogues", "1", "-o", str(out), "--set", f"trace={calls}").exit_code == 0
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    miss = ("--kg", kg_file, "--dialogues", "1", "--seed", "3", "--model", f"replay:{calls}")
    result = run(*miss, "-o", str(out), "--overwrite", "--set", f"trace={empty}")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_the_graph_is_not_overwritten(kg_file: str):
    before = Path(kg_file).read_bytes()
    result = run("--kg", kg_file, "-o", kg_file, "--overwrite")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert Path(kg_file).read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--mix", "cuont=5"], "--mix: unknown form 'cuont'; did you mean count"),
        (["--set", "popularity=heads=5"], "popularity: unknown band 'heads'; did you mean head"),
        (["--type", "Shipp"], "--type: ships.ttl has no entities of the type 'Shipp'; did you mean Ship"),
        (["--lang", "de"], "--lang de: the embedded rules write English only"),
        (["--lang", "xx"], "--lang xx: unknown language; there are ar, cs"),
        (["--set", "block=home prt"], "block: ships.ttl uses no predicate 'home prt'; did you mean home port"),
        (["--set", "domain=https://moon.example/"], "domain: no class begins with https://moon.example/"),
        (["--model", "question=rules"], "unknown stage 'question'; did you mean questions"),
        (["--mix", "count=200"], "--mix: the shares are percents, and come to 200, more than 100"),
        (["--mix", "count=60", "--mix", "date=50"], "and come to 110, more than 100"),
        (["--set", "popularity=head=120"], "popularity: the shares are percents, and come to 120, more than 100"),
        (["--set", "popularity=head=20"], "head=20 leaves the other bands open: name them too, or head=100"),
        (["--seeds", "SHIPS"], "line 2: no IRI: @prefix"),
        (["--set", "shape=chain", "--set", "hops=1"], "shape=chain leads two steps far: it needs hops=2"),
        (["--config", "nowhere.toml"], "cannot read nowhere.toml"),
    ],
)
def test_options_that_name_what_is_not_there_are_refused(arguments, line, kg_file: str, tmp_path: Path):
    out = tmp_path / "b.jsonl"
    result = run("--kg", kg_file, *(kg_file if a == "SHIPS" else a for a in arguments), "-o", str(out))
    assert (result.exit_code, result.stdout) == (2, "")
    assert line in result.stderr and result.stderr.count("\n") == 1
    assert not out.exists()


def test_a_run_may_be_written_down_in_toml(kg_file: str, tmp_path: Path):
    config, out = tmp_path / "run.toml", tmp_path / "b.jsonl"
    config.write_text(
        f'kg = "{kg_file}"\ndialogues = 3\nturns = 3\ntype = ["Ship"]\nchain = 0.1\noutput = "{out}"\njson = true\n'
        'approach = "multi-stage"\n[mix]\nboolean = 40\n[model]\nquestions = "rules"\n',
        encoding="utf-8",
    )
    result = run("--config", str(config), "--turns", "2")
    assert (result.exit_code, result.stderr) == (0, "")
    said = json.loads(result.stdout)
    assert (said["dialogues"], said["turns"], said["coverage"]["boolean"]["wanted"]) == (3, 6, 40.0)
    options = read_benchmark(out).header["generate"]["options"]
    assert (options["types"], options["chain"], options["turns"]) == (["Ship"], 0.1, 2)
    config.write_text("dialogs = 3", encoding="utf-8")
    wrong = run("--config", str(config))
    assert wrong.exit_code == 2
    assert "unknown key 'dialogs'; did you mean dialogues" in wrong.stderr


def test_time_that_is_up_ends_with_exit_3_and_the_same_command_goes_on(kg_file: str, tmp_path: Path):
    out = tmp_path / "b.jsonl"
    command = ("--kg", kg_file, "--dialogues", "4", "-o", str(out))
    stopped = run(*command, "--set", "max_minutes=0.0000001")
    assert (stopped.exit_code, stopped.stdout) == (3, "")
    assert "the limit of 1e-07 minutes is reached" in stopped.stderr
    assert "what is finished is on disk, the same command with a higher limit goes on from there" in stopped.stderr
    assert run(*command, "--set", "max_minutes=9").exit_code == 0
    assert len(read_benchmark(out).dialogues) == 4


def types(*arguments: str):
    return CliRunner().invoke(main, ["types", *arguments])


def test_a_trace_lies_beside_the_output_and_tells_the_stages(kg_file: str, tmp_path: Path):
    out = tmp_path / "b.jsonl"
    given = ("--kg", kg_file, "--approach", "multi-stage", "--set", "queries=llm", "--dialogues", "2", "--turns", "3")
    assert run(*given, "-o", str(out)).exit_code == 0
    timing = open_source(out).timing
    assert timing is not None
    stages = timing["stages"]
    assert list(stages) == ["extraction", "labels", "questions", "queries", "dialogue"]
    assert all(cost["seconds"] > 0 for cost in stages.values())
    assert stages["queries"]["calls"] == stages["queries"]["queries"] == 6
    assert stages["dialogue"]["calls"] == 2
    assert (timing["right_first_queries"], timing["first_queries"]) == (6, 6)


def test_types_are_a_table_and_nothing_is_generated(kg_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    result = types("--kg", kg_file, "--dialogues", "7", "--no-type", "Harbor")
    assert (result.exit_code, result.stderr) == (0, "")
    head, first, *rest = result.stdout.splitlines()
    assert head.split() == ["type", "entities", "share", "balanced", "proportional", "dropped"]
    assert first.split() == ["Ship", "10", "58.8", "%", "3", "4"]
    assert any(line.startswith("Harbor ") and line.endswith("left out by --no-type") for line in rest)
    one_step = types("--kg", kg_file, "--set", "hops=1").stdout.splitlines()
    assert any(line.startswith("Captain ") and "none of 5 sampled entities" in line for line in one_step)
    assert any(line.endswith(" metadata") for line in rest)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["--help", "generate", "types"])
def test_help_needs_nothing_heavy(name: str):
    program = (
        "import sys; from chattygen.cli import main; "
        f"main({[name, '--help'] if name != '--help' else [name]!r}, standalone_mode=False); "
        "heavy = {'langgraph', 'openai', 'rdflib', 'pyoxigraph', 'inflect', 'jsonschema'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["max_queries=30", "max_calls=1", "max_tokens=10"])
def test_a_spent_budget_ends_with_exit_3_and_a_higher_one_goes_on(kg_file: str, tmp_path: Path, limit: str):
    out, whole = tmp_path / "b.jsonl", tmp_path / "whole.jsonl"
    command = ("--kg", kg_file, "--dialogues", "4")
    stopped = run(*command, "-o", str(out), "--set", limit)
    assert (stopped.exit_code, stopped.stdout) == (3, "")
    said = {"max_queries": "30 queries", "max_calls": "1 calls of the model", "max_tokens": "10 tokens"}
    assert f"the limit of {said[limit.partition('=')[0]]} is reached" in stopped.stderr
    assert run(*command, "-o", str(out), "--set", f"{limit}9999999").exit_code == 0
    assert run(*command, "-o", str(whole)).exit_code == 0
    assert out.read_bytes() == whole.read_bytes()


def test_the_summary_counts_the_calls_that_belong_to_no_dialogue(kg_file: str, tmp_path: Path):
    """Where a type's names are chosen by the model, for they hold digits, that call is in no dialogue's usage."""
    out = tmp_path / "b.jsonl"
    named_twice = re.sub(
        r'(a v:Ship ;) rdfs:label "([^"]+)"', r'\1 v:shipTitle "MV \2 (1)" ; rdfs:label "\2 2"', ships()
    )
    Path(kg_file).write_text(named_twice, encoding="utf-8")
    told = json.loads(
        run("--kg", kg_file, "--dialogues", "2", "-o", str(out), "--set", "max_calls=9999", "--json").stdout
    )
    spent = [json.loads(line) for line in (tmp_path / "b.jsonl.spent.jsonl").read_text().splitlines()]
    own = sum((dialogue.usage for dialogue in read_benchmark(out).dialogues), Usage())
    assert told["model_calls"] == sum(row["calls"] for row in spent) > own.calls
    assert told["prompt_tokens"] == sum(row["prompt_tokens"] for row in spent) > own.prompt_tokens
    figures = json.loads(CliRunner().invoke(main, ["stats", str(out), "--json"]).stdout)["files"][0]
    assert figures["costs"]["calls"] == told["model_calls"]


@pytest.mark.slow
def test_a_dry_run_foretells_and_makes_nothing(kg_file: str, tmp_path: Path):
    out = tmp_path / "b.jsonl"
    command = ("--kg", kg_file, "--dialogues", "40", "-o", str(out), "--dry-run")
    free = run(*command)
    assert free.exit_code == 0, free.stderr
    assert free.stdout.startswith("40 dialogues of 5 turns: about ") and "about 0.00 USD" in free.stdout
    assert "its price is not known" in run(*command, "--model", "openai:unheard-of").stdout
    priced = run(*command, "--model", "openai:mine", "--set", "price=mine=1000,1000", "--json")
    found = json.loads(priced.stdout)
    assert found["wanted"] == 40 and found["calls"] >= 40
    assert found["usd"] == pytest.approx((found["prompt_tokens"] + found["reply_tokens"]) / 1000)
    assert list(tmp_path.iterdir()) == [] or not out.exists()
