"""The group ``chattykg``: what it lists, how quick it is, how it ends."""

import subprocess
import sys

import click
import pytest
from chattyshared.commands.exit_codes import INTERRUPTED
from click.testing import CliRunner

from chattykg.cli import main


def test_every_command_has_help_with_an_example():
    listed = CliRunner().invoke(main, ["--help"], prog_name="chattykg").stdout
    names = main.list_commands(click.Context(main))
    assert names == [
        "answer",
        "chat",
        "converse",
        "evaluate",
        "show",
        "export",
        "compare",
        "judge",
        "learn",
        "roundtrip",
        "serve",
        "mcp",
        "explain",
        "doctor",
        "settings",
        "cache",
    ]
    for name in names:
        said = CliRunner().invoke(main, [name, "--help"], prog_name="chattykg").stdout
        assert f"\n  {name}" in listed
        assert f"  chattykg {name} " in said


def test_the_version_is_told():
    assert CliRunner().invoke(main, ["--version"]).stdout.startswith("chattykg, version ")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["--help", "answer", "roundtrip"])
def test_help_needs_nothing_heavy(name):
    program = (
        "import sys; from chattykg.cli import main; "
        f"main({[name, '--help'] if name != '--help' else [name]!r}, standalone_mode=False); "
        "heavy = {'langgraph', 'openai', 'rdflib', 'pyoxigraph', 'inflect', 'jsonschema'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_command_is_told():
    done = CliRunner().invoke(main, ["nonsense"], prog_name="chattykg")
    assert done.exit_code == 2
    assert "No such command 'nonsense'" in done.stderr


def test_an_interrupt_says_how_to_go_on(monkeypatch):
    @click.command()
    def stopped() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "get_command", lambda ctx, name: stopped)
    done = CliRunner().invoke(main, ["answer"], prog_name="chattykg")
    assert done.exit_code == 3
    assert done.stderr == f"chattykg: {INTERRUPTED}\n"
    assert "the same command (without --overwrite) goes on from there" in done.stderr


@pytest.mark.parametrize("arguments", [["--kg", "x" * 300], ["--kg", "demo", "--dialogues", "1", "-o", "x" * 300]])
def test_a_name_that_is_too_long_is_bad_input(arguments):
    done = CliRunner().invoke(main, ["roundtrip", *arguments], prog_name="chattykg")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
