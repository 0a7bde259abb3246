"""Child processes in which untrusted files are parsed and untrusted queries run, with limits of memory and time."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import pyoxigraph as ox

from chattyshared.endpoint.connection_options import FileReading
from chattyshared.endpoint.rdf_files import UnreadableStatement, explain_memory_error
from chattyshared.errors import ConfigError

_MEMORY_BYTES, _MEMORY_FACTOR = 1 << 30, 8
"""Bytes of memory that reading files may take, and in addition for each of their bytes."""
CPU_SECONDS, BYTES_PER_SECOND = 60, 20_000
"""Seconds of the processor that reading files may take, and the bytes that give one more."""
_DEATHS: Mapping[int, str] = {
    signal.SIGSEGV: "is nested too deeply to be read",
    signal.SIGXCPU: "takes too long to be read",
}
"""What a file was if its reader ended by a signal; others end it for want of memory."""


def start_child(request: Mapping[str, Any], errors: int | IO[bytes] = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Start a process of ``sandbox_process`` and send it a first line; ``errors`` is its standard error.

    Raises:
        OSError: it cannot be started.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "chattyshared.endpoint.sandbox_process"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
        start_new_session=True,  # the parent handles an interrupt at the terminal
    )  # fmt: skip
    with suppress(OSError):  # whoever reads its answer finds that it ended
        write_request(process, request)
    return process


def write_request(process: subprocess.Popen[bytes], request: Mapping[str, Any]) -> None:
    """Send one JSON line to a process.

    Raises:
        OSError: it ended.
    """
    assert process.stdin
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()


def end_child(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, unless it ended, and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe:
                pipe.close()


def read_quads_apart(
    files: Sequence[tuple[int, Path]], reading: FileReading, notes: list[str], *, lenient: bool
) -> Iterator[ox.Quad]:
    """Yield the quads of numbered files, as ``rdf_files.read_quads`` does, parsed in a child process.

    Raises:
        ConfigError: as ``read_quads``; the parser takes too much memory or time, or crashes.
    """
    size = sum(path.stat().st_size for _, path in files)
    request = {
        "files": [(number, str(path)) for number, path in files],
        "unreadable": reading.unreadable, "context": str(reading.context) if reading.context else None,
        "lenient": lenient, "memory": _MEMORY_BYTES + _MEMORY_FACTOR * size,
        "seconds": CPU_SECONDS + size // BYTES_PER_SECOND,
    }  # fmt: skip
    with tempfile.TemporaryFile() as errors:
        process = start_child(request, errors)
        failure: Exception | None = None
        try:
            assert process.stdout
            yield from ox.parse(process.stdout, ox.RdfFormat.N_QUADS, lenient=True)
            process.wait()
        except (SyntaxError, MemoryError) as error:  # a line that is cut, or too long
            failure = error
        finally:
            end_child(process)
        errors.seek(0)
        said: dict[str, Any] = {}
        for line in errors:  # besides what a crash says
            with suppress(ValueError, TypeError):
                said |= json.loads(line)
    path = said.get("file", files[0][1])
    if "error" in said:
        raise (UnreadableStatement if said["error"] == "statement" else ConfigError)(said["message"])
    if isinstance(failure, MemoryError):
        raise ConfigError(f"{path}: {explain_memory_error(failure)}") from failure
    if failure or "notes" not in said:
        reason = _DEATHS.get(-process.returncode, "takes too much memory to be read")
        raise ConfigError(f"{path}: {reason}")
    notes += said["notes"]
