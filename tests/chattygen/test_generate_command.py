import json
from pathlib import Path

import pytest
from chattyshared.benchmark import read
from click.testing import CliRunner
from ship_graph import ships

from chattygen.cli import main


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
    assert (said["dialogues"], said["wanted"], said["turns"]) == (4, 4, 20)
    benchmark = read(out)
    assert len(benchmark.dialogues) == 4
    assert benchmark.header["kg"]["sources"] == ["ships.ttl"]
    assert benchmark.header["generate"]["model"] == "rules"
    assert str(tmp_path) not in out.read_text()


def test_the_same_command_twice_keeps_the_bytes(kg_file: str, tmp_path: Path):
    out = tmp_path / "b.jsonl"
    first = run("--kg", kg_file, "--dialogues", "4", "-o", str(out))
    before = out.read_bytes()
    second = run("--kg", kg_file, "--dialogues", "4", "-o", str(out))
    assert (first.stdout, first.exit_code) == (second.stdout, second.exit_code)
    assert out.read_bytes() == before


def test_another_command_over_the_same_file_is_refused(kg_file: str, tmp_path: Path):
    out = tmp_path / "b.jsonl"
    run("--kg", kg_file, "--dialogues", "2", "-o", str(out))
    result = run("--kg", kg_file, "--dialogues", "2", "--seed", "9", "-o", str(out))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "benchmark.generate.seed: 0 there, 9 now" in result.stderr
    assert run("--kg", kg_file, "--dialogues", "2", "--seed", "9", "-o", str(out), "--overwrite").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--kg", "nowhere.ttl"], "nowhere.ttl: no such file"),
        (["--kg", "SHIPS", "--model", "oracle"], "unknown model 'oracle'"),
        (["--kg", "http://127.0.0.1:9/sparql"], "127.0.0.1:9"),
        (["--kg", "SHIPS", "--dialogues", "0"], "'--dialogues': 0 is not in the range"),
        (["--kg", "SHIPS", "--turns", "nan"], "'--turns': 'nan' is not a valid integer"),
        (["--kg", "SHIPS", "--model-timeout", "nan"], "can be waited for up to 86400 seconds, not nan"),
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
    assert run("--kg", kg_file, "--dialogues", "1", "-o", str(out), "--trace", str(calls)).exit_code == 0
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    miss = ("--kg", kg_file, "--dialogues", "1", "--seed", "3", "--model", f"replay:{calls}")
    result = run(*miss, "-o", str(out), "--overwrite", "--trace", str(empty))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_the_graph_is_not_overwritten(kg_file: str):
    before = Path(kg_file).read_bytes()
    result = run("--kg", kg_file, "-o", kg_file, "--overwrite")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert Path(kg_file).read_bytes() == before


def test_fewer_dialogues_than_wanted_are_a_warning(kg_file: str, tmp_path: Path):
    result = run("--kg", kg_file, "--dialogues", "60", "-o", str(tmp_path / "b.jsonl"))
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: made ") and " of 60 dialogues" in result.stderr


def test_help_has_examples():
    result = run("--help")
    assert result.exit_code == 0
    assert "chattygen generate --kg demo\n" in result.stdout
