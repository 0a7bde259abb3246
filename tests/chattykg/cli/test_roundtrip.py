"""``chattykg roundtrip`` as a user calls it."""

import json
from pathlib import Path

import pytest
from chattyshared.runs.lock import OutputLock
from click.testing import CliRunner, Result

from chattykg.cli import main

SMALL = ("--kg", "demo", "--dialogues", "2", "--turns", "2")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["roundtrip", *map(str, arguments)], prog_name="chattykg")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    folder = tmp_path_factory.mktemp("round") / "trip"
    return folder, call(*SMALL, "-o", folder)


def test_the_table_and_the_places_are_printed(run):
    folder, done = run
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "demo: 2 dialogues"
    assert lines[2].startswith("d0001  ") and [line[:4].rstrip() for line in lines[4:7:2]] == ["   ✓"] * 2
    assert lines[8].startswith("F1  ")
    assert lines[-5:] == [
        f"benchmark  {folder}/benchmark.jsonl",
        f"answers    {folder}/answers.jsonl",
        f"scores     {folder}/scores.json",
        f"traces     {folder}/benchmark.jsonl.trace.jsonl",
        f"           {folder}/answers.jsonl.trace.jsonl",
    ]


def test_a_finished_run_is_printed_again(run):
    folder, done = run
    assert call(*SMALL, "-o", folder).stdout == done.stdout
    printed = call(*SMALL, "-o", folder, "--json")
    assert json.loads(printed.stdout) == json.loads((folder / "scores.json").read_text())


def test_the_halves_are_the_other_commands(run, tmp_path):
    folder, _ = run
    again = tmp_path / "answers.jsonl"
    arguments = ["answer", "--kg", "demo", "--benchmark", folder / "benchmark.jsonl", "-o", again]
    done = CliRunner().invoke(main, list(map(str, arguments)), prog_name="chattykg")
    assert (done.exit_code, done.stderr) == (0, "")
    scored = CliRunner().invoke(main, ["evaluate", str(folder / "benchmark.jsonl"), str(again), "--json"])
    own = json.loads((folder / "scores.json").read_text())
    whole = json.loads(scored.stdout)
    assert own and {key: whole[key] for key in own if "seconds" not in key} == {
        key: value for key, value in own.items() if "seconds" not in key
    }


def test_another_command_is_refused(run):
    folder, _ = run
    done = call(*SMALL, "--seed", "1", "-o", folder)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "(seed: 0 there, 1 now)" in done.stderr


@pytest.mark.parametrize("part", ["", ".spent"])
def test_a_folder_that_another_run_is_writing_is_refused(run, part):
    folder, _ = run
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    for more in ((), ("--overwrite",), ("--seed", "1")):
        with OutputLock(folder / "roundtrip", part):
            done = call(*SMALL, *more, "-o", folder)
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert f"another run is writing {folder}/roundtrip" in done.stderr
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_scores_are_told_by_language(tmp_path):
    scores = json.loads(call(*SMALL, "--lang", "en", "--json", "-o", tmp_path / "en").stdout)
    assert scores["by_lang"]["en"]["n"] > 0
