"""The page of capabilities names commands and tests that there are; the gate's cases have the form that it reads."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from click import Context

import chattygen.cli
import chattykg.cli

ROOT = Path(__file__).resolve().parents[1]
ROWS = [
    re.findall(r"`([^`]+)`", line)
    for line in (ROOT / "docs" / "capabilities.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and "`" in line
]
GROUPS = {"chattygen": chattygen.cli.main, "chattykg": chattykg.cli.main}
COMMANDS = {(name, each) for name, group in GROUPS.items() for each in group.list_commands(Context(group))}
CASES = ROOT / "benchmarks" / "gate"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:80])
def test_a_capability_has_a_command_and_tests_that_there_are(row: list[str]) -> None:
    command, *tests = row
    assert tests and [name for name in tests if not (ROOT / name).is_file()] == []
    words = shlex.split(command)
    first = next((pair for pair in pairwise(words) if pair[0] in GROUPS), None)
    assert first in COMMANDS or words[0] == "python"


def test_every_command_is_a_capability() -> None:
    shown = {pair for command, *_ in ROWS for pair in pairwise(shlex.split(command))}
    assert COMMANDS - shown == set()


def test_the_hostile_queries_are_different_and_say_what_stops_them() -> None:
    cases = [json.loads(line) for line in (CASES / "hostile_queries.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(cases) == len({json.dumps(case["query"]) for case in cases}) >= 142
    assert {case["by"] for case in cases} == {"guard", "limits"}


def test_the_faults_say_what_a_server_does() -> None:
    faults = tomllib.loads((CASES / "faults.toml").read_text(encoding="utf-8"))
    assert len(faults["endpoint"]) >= 20 and len(faults["model"]) >= 15
    assert all(("fault" in case) != ("sends" in case) for cases in faults.values() for case in cases)
