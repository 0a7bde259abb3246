"""``chattykg roundtrip`` takes what ``chattygen generate`` takes."""

import json
from pathlib import Path

import click
import pytest
from chattyshared.benchmark import read_benchmark
from click.testing import CliRunner

import chattygen
from chattykg.cli import main


def run(*arguments: str):
    return CliRunner().invoke(main, ["roundtrip", "--kg", "demo", *arguments])


def test_every_setting_of_the_generator_is_an_option():
    command = main.get_command(click.Context(main), "roundtrip")
    assert command is not None
    assert {setting.name for setting in chattygen.OPTION_SPECS} <= {param.name for param in command.params}


@pytest.mark.slow
def test_settings_of_the_generator_reach_the_benchmark(tmp_path: Path):
    config = tmp_path / "trip.toml"
    config.write_text("turns = 2\nhops = 1\n[mix]\nboolean = 30\n", encoding="utf-8")
    given = ("--config", str(config), "--dialogues", "2", "--type", "film", "--generate-model", "labels=rules")
    done = run(*given, "-o", str(tmp_path / "run"), "--json")
    assert (done.exit_code, json.loads(done.stdout)["questions"]) == (0, 4)
    header = read_benchmark(tmp_path / "run" / "benchmark.jsonl").header["generate"]
    assert (header["options"]["types"], header["options"]["hops"], header["model"]) == (
        ["film"],
        1,
        "rules, labels=rules",
    )
    assert dict(header["options"]["mix"])["boolean"] == 30


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--type", "filn"], "no entities of the type 'filn'; did you mean film"),
        (["--mix", "bolean=1"], "unknown form 'bolean'"),
        (["--generate-model", "question=rules"], "unknown stage 'question'"),
    ],
)
def test_what_is_not_there_is_refused(arguments, line, tmp_path: Path):
    done = run(*arguments, "-o", str(tmp_path / "run"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert line in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_time_that_is_up_stops_it_resumably(tmp_path: Path):
    given = ("--dialogues", "1", "--turns", "2", "-o", str(tmp_path / "run"))
    stopped = run(*given, "--max-minutes", "0.0000001")
    assert stopped.exit_code == 3
    assert "the limit of 1e-07 minutes is reached" in stopped.stderr
    assert run(*given).exit_code == 0


@pytest.mark.slow
def test_the_answers_of_a_round_trip_are_verified(tmp_path: Path):
    done = run("--dialogues", "1", "--turns", "2", "--verify", "rules", "-o", str(tmp_path / "run"))
    assert done.exit_code == 0, done.stderr
    manifest = json.loads((tmp_path / "run" / "answers.jsonl.run.json").read_text())["answers"]
    assert (manifest["engine"]["verify"], manifest["model"]) == ("rules", "rules, verification=rules")
    assert '"verdict"' in (tmp_path / "run" / "answers.jsonl").read_text()
