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
    assert " ".join(names) == (
        "answer chat converse evaluate show export compare judge learn roundtrip serve mcp explain doctor settings"
        " cache"
    )
    for name in names:
        said = CliRunner().invoke(main, [name, "--help"], prog_name="chattykg").stdout
        assert f"\n  {name}" in listed
        assert f"  chattykg {name} " in said


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


def test_an_interrupt_says_how_to_go_on(monkeypatch):
    @click.command()
    def stopped() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "get_command", lambda ctx, name: stopped)
    done = CliRunner().invoke(main, ["answer"], prog_name="chattykg")
    assert done.exit_code == 3
    assert done.stderr == f"chattykg: {INTERRUPTED}\n"
    assert "the same command (without --overwrite) goes on from there" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["roundtrip", "--kg", "x" * 300], "x"),
        (["roundtrip", "--kg", "demo", "--dialogues", "1", "-o", "x" * 300], "x"),
    ],
)
def test_a_name_that_is_none_is_bad_input(arguments, told):
    done = CliRunner().invoke(main, arguments, prog_name="chattykg")
    assert done.exit_code == 2 and told in done.stderr.splitlines()[-1]
