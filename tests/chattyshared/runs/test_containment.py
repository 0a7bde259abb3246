"""Unexpected exceptions become values with type, place and traceback; all others pass."""

from __future__ import annotations

import errno
import json
import pickle
from collections import Counter
from pathlib import Path

import click
import pytest
from chattyshared.commands.exit_codes import STOPPED
from chattyshared.commands.group import exit_on_failures
from chattyshared.errors import BudgetSpent, StorageFailed
from chattyshared.runs.containment import UnexpectedError, catch_unexpected, summarize_failures
from chattyshared.runs.output import Output
from chattyshared.trace import Trace
from click.testing import CliRunner


def raised(error: BaseException) -> None:
    raise error


def refused(path: Path) -> Output:
    """Raise a ValueError in code of ours."""
    return Output(path, {}, side_files={"x": path}, needs_retry=bool)


def test_a_result_is_returned_and_what_callers_know_passes():
    assert catch_unexpected(lambda: 3) == 3
    for error in (BudgetSpent("enough"), KeyboardInterrupt(), SystemExit(3)):
        with pytest.raises(type(error)):
            catch_unexpected(lambda error=error: raised(error))
    with pytest.raises(KeyError):
        catch_unexpected(lambda: raised(KeyError("x")), KeyError)
    with pytest.raises(StorageFailed, match="cannot write /x: No space left"):
        catch_unexpected(lambda: raised(OSError(errno.ENOSPC, "No space left", "/x")))


def test_an_unexpected_exception_tells_its_type_and_its_place_in_our_code(tmp_path: Path):
    found = catch_unexpected(lambda: refused(tmp_path / "a"))
    assert isinstance(found, UnexpectedError)
    assert (found.type, found.message) == ("ValueError", "lines can be redone in the main file alone")
    module, function, line = found.location.split(":")
    assert (module, function, int(line) > 0) == ("chattyshared.runs.output", "__init__", True)
    assert str(found) == f"ValueError at {found.location}" and str(tmp_path.anchor) not in str(found)
    assert "Traceback" in found.traceback and "test_containment.py" in found.traceback
    assert pickle.loads(pickle.dumps(found)) == found


def test_the_traceback_goes_to_the_trace_without_secrets(tmp_path: Path):
    found = catch_unexpected(lambda: raised(ValueError("key is sk-secret-1234")))
    assert isinstance(found, UnexpectedError)
    with Trace(tmp_path / "t.jsonl", secrets=["sk-secret-1234"]) as trace:
        found.record(trace, "slot 3")
    (event,) = map(json.loads, (tmp_path / "t.jsonl").read_text().splitlines())
    assert (event["kind"], event["span"], event["error"]) == ("error", "slot 3", str(found))
    assert (event["data"]["type"], event["data"]["message"]) == ("ValueError", "key is ***")
    assert "Traceback" in event["data"]["traceback"] and "sk-secret" not in event["data"]["traceback"]


def test_a_summary_counts_items_and_names_errors(tmp_path: Path):
    assert summarize_failures({"seed": Counter(), "question": Counter()}, None) == ""
    one = summarize_failures(
        {"seed": Counter({"ValueError at a:b:1": 2}), "question": Counter({"KeyError at c:d:2": 1})}, tmp_path
    )
    assert one == (
        "2 seeds and 1 question ended in an unexpected error: ValueError at a:b:1 (2 times), KeyError at c:d:2; "
        f"the tracebacks are in {tmp_path}"
    )
    many = summarize_failures({"question": Counter(f"E at {number}" for number in range(5))}, None, "--trace FILE")
    assert many.startswith("5 questions ended in an unexpected error: E at 0, E at 1, E at 2 and 2 more; --trace FILE")


@pytest.mark.parametrize("failures", [Counter(), Counter({"ValueError at a:b:1": 1})])
def test_a_command_with_unexpected_errors_exits_with_three(failures: Counter[str]):
    @click.command("chattygen")
    def command() -> None:
        click.echo("summary")
        exit_on_failures({"seed": failures})

    done = CliRunner().invoke(command, [])
    assert (done.exit_code, done.stdout) == (STOPPED if failures else 0, "summary\n")
    assert done.stderr == "chattygen: 1 seed ended in an unexpected error: ValueError at a:b:1\n" * len(failures)
