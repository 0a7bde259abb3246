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


def test_every_option_of_the_generator_is_one_or_a_setting():
    command = main.get_command(click.Context(main), "roundtrip")
    assert command is not None
    assert {spec.name for spec in chattygen.OPTION_SPECS.values()} <= {param.name for param in command.params}


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


@pytest.mark.slow
def test_the_generator_has_a_file_of_its_own(tmp_path: Path):
    file, out = tmp_path / "generate.toml", tmp_path / "run"
    file.write_text('no-type = "person"\nhops = 1\nturns = 4\n', encoding="utf-8")
    done = run("--generate", str(file), "--dialogues", "1", "--turns", "2", "-o", str(out))
    assert done.exit_code == 0, done.stderr
    options = read_benchmark(out / "benchmark.jsonl").header["generate"]["options"]
    assert (options["no_types"], options["hops"], options["turns"]) == (["person"], 1, 2)


@pytest.mark.slow
def test_time_that_is_up_stops_it_resumably(tmp_path: Path):
    given = ("--dialogues", "1", "--turns", "2", "-o", str(tmp_path / "run"))
    stopped = run(*given, "--set", "max_minutes=0.0000001")
    assert stopped.exit_code == 3
    assert "the limit of 1e-07 minutes is reached" in stopped.stderr
    assert run(*given).exit_code == 0


@pytest.mark.slow
def test_the_answers_of_a_round_trip_are_verified(tmp_path: Path):
    done = run("--dialogues", "1", "--turns", "2", "--set", "verify=rules", "-o", str(tmp_path / "run"))
    assert done.exit_code == 0, done.stderr
    manifest = json.loads((tmp_path / "run" / "answers.jsonl.run.json").read_text())["answers"]
    assert (manifest["engine"]["verify"], manifest["model"]) == ("rules", "rules, verification=rules")
    assert '"verdict"' in (tmp_path / "run" / "answers.jsonl").read_text()
