"""Locks between processes: one holder at a time, and a holder that dies lets go."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError
from chattyshared.formats.box import write_box
from chattyshared.jsonlines import write_atomically
from chattyshared.runs.lock import OutputLock, is_device
from chattyshared.runs.output import Output
from chattyshared.trace import Event, Trace

HOLDING = """
import sys
from pathlib import Path
from chattyshared.runs.output import Output
with Output(Path(sys.argv[1]), {"by": "the other"}) as output:
    output.record_lines(0, {"": [{"n": 0}]})
    print("held", flush=True)
    sys.stdin.read()
    output.complete()
"""
TRYING = """
import sys
from pathlib import Path
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError
from chattyshared.formats.box import write_box
from chattyshared.jsonlines import write_atomically
from chattyshared.runs.lock import OutputLock, is_device
held = 0
for _ in range(400):
    try:
        with OutputLock(Path(sys.argv[1])):
            with open(sys.argv[2], "x"):
                held += 1
            Path(sys.argv[2]).unlink()
    except ConfigError as error:
        assert "another run is writing" in str(error), error
print(held)
"""


@contextmanager
def held_elsewhere(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds an output and has put one line."""
    command = [sys.executable, "-c", HOLDING, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"overwrite": True}])
@pytest.mark.parametrize("manifest", [{"by": "the other"}, {"by": "me"}])
def test_an_output_that_another_process_writes_is_refused(tmp_path: Path, manifest: dict[str, str], options):
    path = tmp_path / "b.jsonl"
    with held_elsewhere(path) as other:
        before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
        with pytest.raises(ConfigError, match=r"another run is writing .*/b\.jsonl \(it holds b\.jsonl\.lock\)"):
            Output(path, manifest, **options)
        assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
        other.communicate("")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["b.jsonl", "b.jsonl.run.json"]
    with Output(path, {"by": "the other"}) as output:
        assert output.is_complete


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_link_to_an_output_that_another_process_writes_is_refused(tmp_path: Path, overwrite: bool):
    path, link = tmp_path / "b.jsonl", tmp_path / "sub" / "link.jsonl"
    link.parent.mkdir()
    link.symlink_to("../b.jsonl")
    with held_elsewhere(path):
        with pytest.raises(ConfigError, match=r"another run is writing .*/link\.jsonl \(it holds b\.jsonl\.lock\)"):
            Output(link, {"by": "me"}, overwrite=overwrite)
        assert [file.name for file in link.parent.iterdir()] == ["link.jsonl"]
        with pytest.raises(ConfigError, match=r"it holds b\.jsonl\.spent\.lock"), OutputLock(path, ".spent"):
            OutputLock(link, ".spent")


def test_a_lock_dies_with_its_process(tmp_path: Path):
    path = tmp_path / "new" / "b.jsonl"
    with held_elsewhere(path) as other:
        other.kill()
        other.wait()
    assert (tmp_path / "new" / "b.jsonl.lock").exists()
    with Output(path, {"by": "the other"}) as output:
        assert output.is_finished(0)
        output.complete()
    assert not (tmp_path / "new" / "b.jsonl.lock").exists()


def test_a_lock_is_held_once_in_one_process_too(tmp_path: Path):
    with OutputLock(tmp_path / "a"), OutputLock(tmp_path / "a", ".part"), OutputLock(tmp_path / "b"):
        with pytest.raises(ConfigError, match="another run is writing"):
            OutputLock(tmp_path / "a")
    with OutputLock(tmp_path / "a"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_many_that_want_one_lock_never_hold_it_together(tmp_path: Path):
    """``open(..., "x")`` fails where two hold it at once; the folder and the lock's file come and go all the time."""
    command = [sys.executable, "-c", TRYING, str(tmp_path / "room" / "a"), str(tmp_path / "mark")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    held = [process.communicate(timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0] and all(map(int, held))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_trace_that_another_run_writes_is_refused(tmp_path: Path):
    path, note = tmp_path / "t.jsonl", Event("note", "p", 0.0)
    with Trace(path) as trace, Trace(path) as other, Trace(path, replace_existing=True) as third:
        trace.record(note)
        for refused in (other, third):
            with pytest.raises(ConfigError, match=r"another run is writing .*/t\.jsonl"):
                refused.record(note)
        threads = [threading.Thread(target=trace.record, args=(note,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(path.read_text().splitlines()) == 9
    with Trace(path) as trace:
        trace.record(note)
    assert [file.name for file in tmp_path.iterdir()] == ["t.jsonl"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_atomically(pipe, ["one", "two"])
    reader.join(timeout=10)
    assert read == ["one\ntwo\n"] and stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(ConfigError, match="a box is written to a file"):
        write_box(pipe, {})


@pytest.mark.parametrize(
    ("path", "is_one"), [("/dev/null", True), ("/dev/stdout", True), ("/dev/shm/a.jsonl", False), ("a.jsonl", False)]
)
def test_what_stands_for_a_device_is_one(path, is_one):
    assert is_device(Path(path)) is is_one


def test_processes_that_make_one_store_wait_for_the_first(tmp_path, caplog):
    (tmp_path / "a.nt").write_text("<http://e/a> <http://e/p> <http://e/b> .\n", encoding="utf-8")
    store, draft = tmp_path / "store", tmp_path / "store" / ".chattykg-draft"
    opened = threading.Thread(target=lambda: LocalEndpoint([tmp_path / "a.nt"], store=store).close())
    with OutputLock(store / "triples"):
        draft.mkdir(parents=True)  # as a killed process leaves it
        (draft / "part").write_text("half", encoding="utf-8")
        opened.start()
        opened.join(timeout=0.3)
        assert opened.is_alive() and sorted(each.name for each in store.iterdir()) == [draft.name, "triples.lock"]
    opened.join(timeout=20)
    assert "another process makes the store" in caplog.text
    assert sorted(each.name for each in store.iterdir()) == ["made-of.json", "triples"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.nt", "store"]
