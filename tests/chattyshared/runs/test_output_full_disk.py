"""A disk that is full ends a run with one line, and the run goes on once there is room."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from chattyshared.commands.exit_codes import STOPPED, exit_code_and_message
from chattyshared.errors import StorageFailed
from chattyshared.jsonlines import write_atomically
from chattyshared.model import Completion, Message, Request, Usage
from chattyshared.model.budget import Budget, Meter
from chattyshared.model.reply_store import ReplyStore, cached_request
from chattyshared.model.spend_log import SpendLog
from chattyshared.runs.output import Output
from chattyshared.trace import Event, Trace
from click.testing import CliRunner, Result

import chattygen.cli
import chattykg.cli

pytestmark = pytest.mark.slow


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let no file grow beyond some bytes; what is written beyond them fails, and stays in Python's buffers."""
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))


def entry(number: int) -> dict[str, list[dict[str, object]]]:
    return {"": [{"n": number, "text": "x" * 100}]}


def test_an_output_keeps_what_had_room(tmp_path: Path):
    path = tmp_path / "b.jsonl"
    with room_for(2_000), pytest.raises(StorageFailed, match=r"cannot write .*b\.jsonl: File too large") as caught:
        with Output(path, {"a": 1}) as output:
            for number in range(30):
                output.record_lines(number, entry(number))
    code, line = exit_code_and_message(caught.value)
    assert code == STOPPED and line.endswith("the same command goes on from there once there is room")
    with Output(path, {"a": 1}) as output:
        kept = [number for number in range(30) if output.is_finished(number)]
        assert len(kept) > 10 and kept == list(range(len(kept)))
        for number in range(len(kept), 30):
            output.record_lines(number, entry(number))
        output.complete()
    assert [json.loads(line)["n"] for line in path.read_text().splitlines()] == list(range(30))


@pytest.mark.parametrize("last", [True, False])
def test_an_output_that_cannot_be_finished_is_not_complete(tmp_path: Path, last: bool):
    """The lines that wait for a gap are written at the end; a resumed run lays all files anew."""
    path = tmp_path / "b.jsonl"
    with Output(path, {"a": 1}) as output:
        for number in range(1, 21):
            output.record_lines(number, entry(number))
        if last:
            with room_for(1_000), pytest.raises(StorageFailed):
                output.complete()
    if not last:
        with room_for(1_000), pytest.raises(StorageFailed), Output(path, {"a": 1}) as output:
            output.record_lines(0, entry(0))
    assert not list(tmp_path.glob("*.tmp"))
    with Output(path, {"a": 1}) as output:
        assert not output.is_complete and [output.is_finished(number) for number in range(3)] == [False, True, True]
        output.complete()
    assert [json.loads(line)["n"] for line in path.read_text().splitlines()] == list(range(1, 21))


def test_a_trace_and_a_file_that_is_written_whole(tmp_path: Path):
    with room_for(500), pytest.raises(StorageFailed, match="cannot write .*/t: File"), Trace(tmp_path / "t") as trace:
        for _ in range(9):
            trace.record(Event("note", "p", 0.0, {"text": "x" * 90}))
    with room_for(500), pytest.raises(StorageFailed, match=r"cannot write .*new\.json"):
        write_atomically(tmp_path / "new.json", ["x" * 90] * 9)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t"]


def test_what_was_spent_and_kept_before_stays(tmp_path: Path):
    used = Usage(1, 100, 100)
    with room_for(1_000), pytest.raises(StorageFailed, match=r"cannot write .*s\.jsonl"):
        meter = Meter(Budget(), SpendLog(tmp_path / "s.jsonl"))
        try:
            for _ in range(40):
                meter.end_call(meter.begin_call(used), used)
        finally:
            with pytest.raises(StorageFailed):
                meter.close()
    assert SpendLog(tmp_path / "s.jsonl").earlier_spending.usage.calls > 4
    replies = ReplyStore(tmp_path / "replies.sqlite")
    asked = [cached_request("m", Request("a/b", (Message("user", f"{number}"),)), {}) for number in range(40)]
    replies.put(asked[0], "a/b", Completion("yes", used))
    with room_for(30_000), pytest.raises(StorageFailed, match=r"replies\.sqlite"):
        for one in asked:
            replies.put(one, "a/b", Completion("y" * 5_000, used))
    assert len(list(replies.find_replies(limit=100))) >= 1
    replies.close()


def called(*arguments: object) -> Result:
    program = chattygen.cli.main if arguments[0] == "generate" else chattykg.cli.main
    return CliRunner().invoke(program, [str(part) for part in arguments])


@pytest.mark.parametrize(
    "command",
    [
        ("generate", "--kg", "demo", "--dialogues", "4", "--turns", "3", "-o", "b.jsonl", "--workers", "2"),
        ("generate", "--kg", "demo", "--dialogues", "4", "--turns", "3", "-o", "b.jsonl", "--set", "trace=t.jsonl"),
        ("answer", "--kg", "demo", "--questions", "q.jsonl", "-o", "a.jsonl"),
        ("roundtrip", "--kg", "demo", "--dialogues", "2", "--turns", "2", "-o", "run", "--set", "max_queries=100000"),
    ],
)
def test_a_command_ends_in_one_line_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command):
    (tmp_path / "whole").mkdir()
    (tmp_path / "full").mkdir()
    for folder in ("whole", "full"):
        lines = (f'{{"id": {number}, "question": "Who directed Inception?"}}\n' for number in range(4))
        (tmp_path / folder / "q.jsonl").write_text("".join(lines))
    monkeypatch.chdir(tmp_path / "whole")
    assert called(*command).exit_code == 0
    monkeypatch.chdir(tmp_path / "full")
    with room_for(3_000):
        stopped = called(*command)
    assert (stopped.exit_code, stopped.stdout, stopped.stderr.count("\n")) == (STOPPED, "", 1), stopped.stderr
    assert "cannot write" in stopped.stderr and "File too large" in stopped.stderr
    assert called(*command).exit_code == 0
    for path in sorted((tmp_path / "whole").rglob("*")):
        twin = tmp_path / "full" / path.relative_to(tmp_path / "whole")
        assert twin.exists()
        if path.is_file() and "b" in path.name and "trace" not in path.name:
            assert twin.read_bytes() == path.read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_behind_standard_output():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "chattykg", "evaluate", "--help"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (STOPPED, 1), done.stderr
    assert done.stderr.startswith("chattykg: cannot write standard output: No space left on device; ")
