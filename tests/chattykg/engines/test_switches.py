"""Switches of engines: what they parse, what they refuse, and what a manifest says of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chattyshared.errors import ConfigError
from click.testing import CliRunner

from chattykg.cli import main
from chattykg.engines.switches import SWITCH_SPECS, SWITCHES, make_switches


@pytest.mark.parametrize(
    ("engine", "chosen", "entry"),
    [
        ("chatty", {"card": None}, {}), ("chatty", {"mode": "single"}, {"mode": "single"}),
        ("mkgqagent", {"planning": False}, {"plan": False}),
    ],
)  # fmt: skip
def test_a_manifest_names_what_differs(engine: str, chosen: dict[str, Any], entry: dict[str, Any]) -> None:
    assert make_switches(engine, chosen).to_manifest() == entry


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("mkgqagent", "the engine mkgqagent has no switch 'card'; there are planning, pool, feedback"),
        ("rag", "the engine rag has no switch 'card'; it has no switches"),
    ],
)
def test_a_switch_of_another_engine_is_refused(engine: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_switches(engine, {"card": True})


def test_the_switches_of_all_engines_have_names_of_their_own() -> None:
    names = [spec.name for spec in SWITCH_SPECS]
    assert len(names) == len(set(names)) == 17
    assert {spec.help.partition(":")[0] for spec in SWITCH_SPECS} == set(SWITCHES)


def test_a_command_takes_switches_and_records_them(tmp_path) -> None:
    questions = tmp_path / "q.txt"
    questions.write_text("Who directed Inception?\n")
    arguments = ["answer", "--kg", "demo", "--questions", str(questions), "-o", str(tmp_path / "a.jsonl")]
    runner = CliRunner()
    assert runner.invoke(main, [*arguments, "--set", "selection=off"]).exit_code == 0
    manifest = json.loads((tmp_path / "a.jsonl.run.json").read_text())
    assert manifest["answers"]["engine"]["switches"] == {"selection": False}
    other = runner.invoke(main, [*arguments, "--set", "card=off"])
    assert other.exit_code == 2
    assert "selection" in other.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "card=off", "--model", "openai:gpt-4o"], "take --strategy staged"),
        (
            ["--set", "validators=off", "--strategy", "direct", "--model", "direct=openai:m"],
            "take --strategy staged",
        ),
        (["--set", "card=off", "--strategy", "direct"], ""),
        (["--set", "selection=off", "--strategy", "staged", "--model", "openai:gpt-4o"], ""),
        (["--set", "card=perhaps"], "'perhaps' is not a valid boolean"),
        (["--set", "mode=both"], "'both' is not one of 'multi', 'single'"),
        (["--set", "translate=always"], "the rules cannot translate each question"),
        (["--set", "translate=always", "--model", "translator=openai:m"], ""),
    ],
)
def test_a_switch_that_the_models_have_no_use_for_is_refused(options: list[str], message: str) -> None:
    done = CliRunner().invoke(main, ["answer", "--kg", "demo", "--dry-run", *options, "Who directed Inception?"])
    assert (done.exit_code, message in done.stderr) == (2 if message else 0, True), done.stderr
