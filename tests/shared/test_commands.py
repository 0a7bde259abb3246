"""What both command lines share: calls of the programs as modules, help of groups, usage errors in one line."""

import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

import chattygen.cli
import chattykg.cli

GROUPS = {"chattygen": chattygen.cli.main, "chattykg": chattykg.cli.main}


@pytest.mark.parametrize("program", GROUPS)
def test_a_program_runs_as_a_module_under_its_own_name(program):
    done = subprocess.run([sys.executable, "-m", program, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: {program} [OPTIONS] COMMAND [ARGS]...")


@pytest.mark.parametrize("program", GROUPS)
@pytest.mark.parametrize("room", [[], ["cache"]])
def test_help_shows_whole_summaries(program, room):
    group = GROUPS[program]
    listed = CliRunner().invoke(group, [*room, "--help"], prog_name=program, terminal_width=80).stdout
    context = click.Context(group)
    for name in room:
        group = group.get_command(context, name)
    text = re.sub(r"\s+", " ", listed.partition("\nCommands:")[2])
    for name in group.list_commands(context):
        summary = re.sub(r"\s+", " ", group.get_command(context, name).help.partition("\n\n")[0])
        assert f" {name} {summary}" in text
        assert summary.endswith(".") and len(summary) < 130
    assert "..." not in text


@pytest.mark.parametrize("program", GROUPS)
@pytest.mark.parametrize("arguments", [["--nonsense"], ["nonsense"], ["cache", "nonsense"], ["cache", "--nonsense"]])
def test_a_usage_error_is_one_line(program, arguments):
    done = CliRunner().invoke(GROUPS[program], arguments, prog_name=program)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"{program}: No such ")


@pytest.mark.parametrize("program", GROUPS)
@pytest.mark.parametrize("arguments", [[], ["cache"]])
def test_a_group_without_a_command_prints_its_help(program, arguments):
    done = CliRunner().invoke(GROUPS[program], arguments, prog_name=program)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"Usage: {program}") and done.stderr.count("\n") > 10
