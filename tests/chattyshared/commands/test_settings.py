"""The command ``settings`` of both programs, and what is said of options and commands that are gone."""

import json

import pytest
from chattyshared.commands.group import settings_of
from chattyshared.commands.removed import REMOVED
from click import Context
from click.testing import CliRunner, Result

import chattygen.cli
import chattykg.cli

GROUPS = {"chattygen": chattygen.cli.main, "chattykg": chattykg.cli.main}


def run(program: str, *arguments: str) -> Result:
    return CliRunner().invoke(GROUPS[program], arguments, prog_name=program)


@pytest.mark.parametrize(("program", "command"), [("chattygen", "generate"), ("chattykg", "answer")])
def test_all_settings_are_listed_with_their_values_and_commands(program, command):
    listed = run(program, "settings")
    assert listed.exit_code == 0
    assert "theta=3  (integer from 1)" in listed.stdout and "no_cache=off  (on | off)" in listed.stdout
    rows = json.loads(run(program, "settings", "--json").stdout)["settings"]
    context = Context(GROUPS[program])
    for name in GROUPS[program].list_commands(context):
        taken = settings_of(GROUPS[program].get_command(context, name))
        assert {row["name"] for row in rows if name in row["commands"]} == set(taken)
    assert all(row["help"].endswith(".") for row in rows)
    own = json.loads(run(program, "settings", command, "--json").stdout)["settings"]
    assert {"theta", "max_calls", "query_timeout"} < {row["name"] for row in own}


def test_a_command_that_is_not_there_is_told():
    done = run("chattykg", "settings", "anser")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "no command is called 'anser'; did you mean answer" in done.stderr


@pytest.mark.parametrize("key", REMOVED)
def test_what_is_gone_is_refused_with_its_successor(key):
    program, *words = key.split() if key.startswith("chatty") else ("chattykg", "answer", key)
    done = run(program, *words, "x")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"there is no {words[-1]}: use {REMOVED[key]}" in done.stderr


@pytest.mark.parametrize("program", GROUPS)
def test_a_setting_given_as_an_option_is_refused_with_the_way_to_give_it(program):
    context = Context(GROUPS[program])
    for name in GROUPS[program].list_commands(context):
        command = GROUPS[program].get_command(context, name)
        options = {option for param in command.params for option in param.opts} - {
            option for setting in settings_of(command).values() for option in setting.opts
        }
        for key in settings_of(command):
            flag = f"--{key.replace('_', '-')}"
            assert flag not in options
            done = run(program, name, f"{flag}=1")
            successor = REMOVED.get(flag, f"--set {key}=VALUE")
            assert done.exit_code == 2 and f"there is no {flag}: use {successor}" in done.stderr


def test_a_file_of_an_earlier_version_is_refused_in_one_line(tmp_path):
    (tmp_path / "old.toml").write_text('theta = 2\nswitch = ["card=off"]\n')
    done = run("chattykg", "answer", "--config", str(tmp_path / "old.toml"), "Who?")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "unknown key 'switch'; use --set NAME=VALUE" in done.stderr


def test_a_value_of_the_wrong_type_in_a_file_is_told_with_its_key(tmp_path):
    (tmp_path / "run.toml").write_text("theta = 0.5\n")
    done = run("chattykg", "answer", "--config", str(tmp_path / "run.toml"), "Who?")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "Invalid value for 'theta' of --config: '0.5' is not a valid integer range" in done.stderr
