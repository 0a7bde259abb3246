"""What both command lines share: calls of the programs as modules, help of groups, usage errors in one line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import chattygen.cli
import chattykg.cli

WELLS = """@prefix : <https://wells.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Well rdfs:label "well" . :depth rdfs:label "depth" .
:one a :Well ; rdfs:label "Foxhole" ; :depth 12 .
"""
DEEPER = "<https://wells.example/two> a <https://wells.example/Well> ; <https://wells.example/depth> 30 ."
GROUPS = {"chattygen": chattygen.cli.main, "chattykg": chattykg.cli.main}


@pytest.mark.slow
@pytest.mark.parametrize("program", GROUPS)
def test_a_program_runs_as_a_module_under_its_own_name(program):
    done = subprocess.run([sys.executable, "-m", program, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: {program} [OPTIONS] COMMAND [ARGS]...")


@pytest.mark.parametrize(("program", "room"), [("chattygen", []), ("chattykg", []), ("chattykg", ["cache"])])
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


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("chattygen", ["--nonsense"]),
        ("chattykg", ["nonsense"]),
        ("chattykg", ["cache", "nonsense"]),
        ("chattykg", ["cache", "--nonsense"]),
    ],
)
def test_a_usage_error_is_one_line(program, arguments):
    done = CliRunner().invoke(GROUPS[program], arguments, prog_name=program)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"{program}: No such ")


NEEDING = (
    ("chattygen", "generate"), ("chattygen", "types"), ("chattygen", "audit", "x.jsonl"),
    ("chattykg", "answer", "How deep?"), ("chattykg", "chat"), ("chattykg", "roundtrip"), ("chattykg", "serve"),
    ("chattykg", "doctor"), ("chattykg", "evaluate", "x.jsonl", "y.jsonl"),
)  # fmt: skip


@pytest.mark.parametrize("command", NEEDING, ids=" ".join)
def test_every_command_takes_its_graph_from_the_environment(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.jsonl").write_text('{"id": 1, "question": "How deep?"}')
    program, *arguments = command
    done = CliRunner().invoke(GROUPS[program], arguments, prog_name=program, env={"CHATTY_KG": "nowhere.ttl"})
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"{program}: nowhere.ttl: no such file")


def entities(program: str = "chattygen", *arguments: str, graph: str | None = None) -> dict[str, int]:
    given = ["types", "--json", "--set", "min_triples=1", "--set", "min_predicates=1", *arguments]
    done = CliRunner().invoke(GROUPS[program], given, env={"CHATTY_KG": graph})
    assert (done.exit_code, done.stderr) == (0, "")
    return {node["label"]: node["count"] for node in json.loads(done.stdout)}


def test_the_environment_names_several_files_as_a_shell_does(tmp_path: Path):
    (tmp_path / "my wells.ttl").write_text(WELLS)
    (tmp_path / "more.ttl").write_text(DEEPER)
    first, second = tmp_path / "my wells.ttl", tmp_path / "more.ttl"
    assert entities(graph=str(first)) == {"well": 1}
    assert entities(graph=f"'{first}' {second}") == {"well": 2}
    broken = CliRunner().invoke(GROUPS["chattygen"], ["types"], env={"CHATTY_KG": f"'{first}"})
    assert (broken.exit_code, broken.stderr.count("\n")) == (2, 1)
    assert "'CHATTY_KG'): no closing quotation" in broken.stderr
