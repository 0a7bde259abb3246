"""Untrusted queries on a local store: each is guarded and runs in a child process that is killed at the timeout."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.connection_options import FileReading
from chattyshared.endpoint.guard import GuardedQuery, guard_query_form
from chattyshared.endpoint.results import MAX_RESULT_BYTES, InvalidResult, parse_result, too_large_message
from chattyshared.errors import (
    ConfigError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryCrashed,
    QueryRejected,
    ResultUnreadable,
)

MEMORY_BYTES = 2 * 1024**3
"""Bytes of memory that an untrusted query may take in addition to the store itself."""

SandboxEngine = Literal["pyoxigraph", "rdflib"]

_OPEN_TIMEOUT = 1_800.0
"""Seconds in which a child must have opened its store."""
_GRACE = 5.0
"""Seconds beyond the timeout in which rdflib, which ends a query by itself, must have done so."""
_MESSAGE_BYTES = 10_000
"""Bytes by which a line of the child may be longer than a result."""


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """The files or store that a child opens, and the bytes of memory and of the result that a query may take.

    ``make_store`` returns the folder of a store that is first written now: the copy of a graph in memory. ``engine`` is
    what runs the queries: pyoxigraph, or rdflib on the same triples.
    """

    files: tuple[Path, ...]
    store: Path | None
    memory_bytes: int = MEMORY_BYTES
    max_result_bytes: int = MAX_RESULT_BYTES
    make_store: Callable[[], Path] | None = None
    engine: SandboxEngine = "pyoxigraph"
    reading: FileReading = field(default_factory=FileReading)


class SandboxedEndpoint:
    """The view of a local store for untrusted queries.

    The child process starts at the first query, opens the same files or the same store, and stays for later queries; it
    answers one query at a time. A query of more than ``timeout`` seconds kills it, and the next query starts another;
    rdflib ends such a query and keeps its triples.
    """

    def __init__(
        self, name: str, config: SandboxConfig, *, timeout: float, row_limit: int, functions: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self._config, self._timeout, self._row_limit, self._functions = config, timeout, row_limit, functions
        self._lock = threading.Lock()
        self._child: SandboxProcess | None = None

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and return all of its solutions, in order.

        Raises:
            UnsafeQuery: the guard could not prove that the query only reads.
            QueryRejected: it is an ASK query, or the store rejects it.
            EndpointTimeout: it ran longer than ``timeout`` and was stopped.
            ResultUnreadable: it has more solutions than the row limit, or its result has too many bytes.
            QueryCrashed: it took too much memory, or its process died.
            EndpointUnavailable: no child process could be started.
        """
        guarded = self._guard(query, "SELECT", self._row_limit)
        rows = self._run(guarded, query)
        assert isinstance(rows, list)
        if len(rows) > guarded.limit:
            raise ResultUnreadable(f"more than {guarded.limit} rows", endpoint=self.name, query=query)
        return rows

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth; raises as ``select`` does."""
        return bool(self._run(self._guard(query, "ASK", 1), query))

    def untrusted_view(self) -> Endpoint:
        """Return this view itself."""
        return self

    def close(self) -> None:
        """End the child, if there is one."""
        with self._lock:
            self._end()

    def _guard(self, query: str, form: Literal["SELECT", "ASK"], limit: int) -> GuardedQuery:
        return guard_query_form(query, form, limit=limit, endpoint=self.name, functions=self._functions)

    def _run(self, guarded: GuardedQuery, query: str) -> list[Row] | bool:
        with self._lock:
            if self._child is None or not self._child.is_alive():
                self._end()
            try:
                self._child = self._child or self._start(query)
                line = self._child.run_query(guarded.query, self._timeout)
            except TimeoutError as error:
                self._end()
                raise self._timed_out(query) from error
            except SandboxDied as error:
                self._end()
                raise QueryCrashed(str(error), endpoint=self.name, query=query) from error
            except SandboxReplyTooLarge as error:
                self._end()
                raise self._too_large(query) from error
        return self._parse_reply(line, query)

    def _start(self, query: str) -> SandboxProcess:
        try:
            return SandboxProcess(self._config)
        except (SandboxDied, OSError) as error:  # includes TimeoutError
            reason = str(error) or "it was not ready in time"
            message = f"the process of foreign queries cannot be started: {reason}"
            raise EndpointUnavailable(message, endpoint=self.name, query=query) from error

    def _parse_reply(self, line: bytes, query: str) -> list[Row] | bool:
        if line.startswith(b'{"error"'):
            reply = json.loads(line)
            if reply["error"] == "rejected":
                raise QueryRejected(reply["message"], endpoint=self.name, query=query)
            if reply["error"] == "too-large":
                raise self._too_large(query)
            if reply["error"] == "timeout":
                raise self._timed_out(query)
            raise QueryCrashed("the query takes too much memory", endpoint=self.name, query=query)
        try:
            return parse_result(line)
        except InvalidResult as error:
            raise ResultUnreadable(str(error), endpoint=self.name, query=query) from error

    def _timed_out(self, query: str) -> EndpointTimeout:
        return EndpointTimeout(f"took longer than {self._timeout:g} s and was ended", endpoint=self.name, query=query)

    def _too_large(self, query: str) -> ResultUnreadable:
        return ResultUnreadable(too_large_message(self._config.max_result_bytes), endpoint=self.name, query=query)

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class SandboxDied(Exception):
    """The process ended before it answered."""


class SandboxReplyTooLarge(Exception):
    """The process wrote too long a line and cannot be used further."""


class SandboxProcess:
    """A running child process with its store open.

    Raises:
        ConfigError: it cannot open the store.
        SandboxDied: it ended before it was ready.
    """

    def __init__(self, config: SandboxConfig) -> None:
        self._grace = _GRACE if config.engine == "rdflib" else 0.0
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "chattyshared.endpoint.sandbox_process"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,  # the parent handles an interrupt at the terminal
        )  # fmt: skip
        assert self._process.stdin and self._process.stdout
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._max_line_bytes = config.max_result_bytes + _MESSAGE_BYTES
        reader = threading.Thread(
            target=_read_lines, args=(self._process.stdout, self._lines, self._max_line_bytes), daemon=True
        )
        reader.start()
        self.end = weakref.finalize(self, _end_process, self._process, reader)
        reply = json.loads(self._ask(_open_request(config), _OPEN_TIMEOUT))
        if "error" in reply:
            self.end()
            raise ConfigError(reply["message"])

    def is_alive(self) -> bool:
        """Tell whether the process still runs."""
        return self._process.poll() is None

    def run_query(self, query: str, timeout: float) -> bytes:
        """Run one query and return the line that the child writes.

        Raises:
            TimeoutError: no whole answer in time; the child cannot be used further.
            SandboxDied: the process ended.
            SandboxReplyTooLarge: the answer is too large.
        """
        return self._ask({"query": query, "timeout": timeout}, timeout + self._grace)

    def _ask(self, request: dict[str, Any], timeout: float) -> bytes:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=timeout)
        except OSError as error:
            raise SandboxDied("the process of foreign queries ended") from error
        except queue.Empty as error:
            raise TimeoutError from error
        if len(line) == self._max_line_bytes and not line.endswith(b"\n"):
            raise SandboxReplyTooLarge
        if not line.endswith(b"\n"):
            status = self._process.wait()
            hint = ", as it does for want of memory" if status == -signal.SIGABRT else ""
            raise SandboxDied(f"the process of foreign queries ended (status {status}){hint}")
        return line


def _open_request(config: SandboxConfig) -> dict[str, Any]:
    folder = config.make_store() if config.make_store else config.store
    store = None if folder is None else str(folder)
    files = [str(path) for path in config.files]
    return {
        "files": files, "store": store, "memory": config.memory_bytes, "largest": config.max_result_bytes,
        "engine": config.engine, "unreadable": config.reading.unreadable,
        "context": str(config.reading.context.resolve()) if config.reading.context else None,
    }  # fmt: skip


def _read_lines(source: IO[bytes], lines: queue.SimpleQueue[bytes], max_bytes: int) -> None:
    while (line := source.readline(max_bytes)).endswith(b"\n"):
        lines.put(line)
    lines.put(line)


def _end_process(process: subprocess.Popen[bytes], reader: threading.Thread) -> None:
    process.kill()
    process.wait()
    if reader is not threading.current_thread():  # the garbage collector may call this from any thread
        reader.join()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe:
                pipe.close()
