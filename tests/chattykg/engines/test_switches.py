"""Switches of engines: what they parse, what they refuse, and what a manifest says of them."""

from __future__ import annotations

import json

import pytest
from chattyshared.errors import ConfigError
from click.testing import CliRunner

from chattykg.cli import main
from chattykg.engines.switches import SWITCHES, ChattySwitches, list_switches, parse_switches


def test_the_default_is_the_whole_engine() -> None:
    assert parse_switches("chatty", ()) == ChattySwitches()
    assert ChattySwitches().to_manifest() == {}


def test_a_manifest_names_what_differs() -> None:
    switches = parse_switches("chatty", ("card=off", "mode=single", "selection=ON"))
    assert switches.to_manifest() == {"card": False, "mode": "single"}


@pytest.mark.parametrize(
    ("engine", "texts", "message"),
    [
        ("chatty", ("cards=off",), "no switch 'cards'; did you mean card?"),
        ("chatty", ("card",), "card is on or off, not ''"),
        ("chatty", ("card=perhaps",), "card is on or off, not 'perhaps'"),
        ("chatty", ("mode=both",), "mode: 'both' is none of 'multi', 'single'"),
        ("chatty", ("card=off", "card=on"), "card is set twice"),
        ("rag", ("card=off",), "the engine rag has no switch 'card'; it has no switches"),
    ],
)
def test_bad_switches_are_refused(engine: str, texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("?", r"\?")):
        parse_switches(engine, texts)


def test_help_lists_each_switch() -> None:
    help_text = list_switches()
    assert all(f"{kind}: " in help_text for kind in SWITCHES)
    assert "mode=multi|single" in help_text
    assert "card=on|off" in help_text
    assert "candidates=2-55" in help_text and "seed=N" in help_text


def test_a_command_takes_switches_and_records_them(tmp_path) -> None:
    questions = tmp_path / "q.txt"
    questions.write_text("Who directed Inception?\n")
    arguments = ["answer", "--kg", "demo", "--questions", str(questions), "-o", str(tmp_path / "a.jsonl")]
    runner = CliRunner()
    assert runner.invoke(main, [*arguments, "--switch", "selection=off"]).exit_code == 0
    manifest = json.loads((tmp_path / "a.jsonl.run.json").read_text())
    assert manifest["answers"]["engine"]["switches"] == {"selection": False}
    other = runner.invoke(main, [*arguments, "--switch", "card=off"])
    assert other.exit_code == 2
    assert "selection" in other.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--switch", "card=off", "--model", "openai:gpt-4o"], "take --strategy staged"),
        (
            ["--switch", "validators=off", "--strategy", "direct", "--model", "direct=openai:m"],
            "take --strategy staged",
        ),
        (["--switch", "card=off", "--strategy", "direct"], ""),
        (["--switch", "selection=off", "--strategy", "staged", "--model", "openai:gpt-4o"], ""),
        (["--translate", "always"], "the rules cannot translate each question"),
        (["--translate", "always", "--model", "translator=openai:m"], ""),
    ],
)
def test_a_switch_that_the_models_have_no_use_for_is_refused(options: list[str], message: str) -> None:
    done = CliRunner().invoke(main, ["answer", "--kg", "demo", "--dry-run", *options, "Who directed Inception?"])
    assert (done.exit_code, message in done.stderr) == (2 if message else 0, True), done.stderr
