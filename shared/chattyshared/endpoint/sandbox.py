"""Foreign queries on a local store: each is guarded and runs in a child process that is ended at the timeout."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.guard import GuardedQuery, guard_query_form
from chattyshared.endpoint.results import MAX_RESULT_BYTES, InvalidResult, parse_result_json, too_large_message
from chattyshared.errors import (
    ConfigError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryCrashed,
    QueryRejected,
    ResultUnreadable,
)

MEMORY_BYTES = 2 * 1024**3
"""Bytes that a foreign query may take beyond the store itself."""

_OPENING_SECONDS = 1_800.0
_LONGEST_MESSAGE = 10_000
"""Bytes by which a line of the child may be longer than a result: those of its messages."""


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """What a child shall open, how much memory a query may take, and the bytes of the largest result."""

    files: tuple[Path, ...]
    store: Path | None
    memory_bytes: int = MEMORY_BYTES
    max_result_bytes: int = MAX_RESULT_BYTES


class SandboxedEndpoint:
    """The view of a local store for queries that we did not build.

    The child starts at the first query, opens the same files or the same store, and is kept for later ones; it answers
    one query at a time. A query over ``timeout`` seconds costs the child: the next query starts another.
    """

    def __init__(
        self, name: str, config: SandboxConfig, *, timeout: float, row_limit: int, functions: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self._opening, self._timeout, self._row_limit, self._functions = config, timeout, row_limit, functions
        self._lock = threading.Lock()
        self._child: SandboxProcess | None = None

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and return all of its solutions, in order.

        Raises:
            UnsafeQuery: the guard could not prove that it only reads.
            QueryRejected: it is an ASK query, or the store does not take it.
            EndpointTimeout: it ran longer than it may, and was ended.
            ResultUnreadable: it has more solutions than the row limit, or is larger than any result that is taken.
            QueryCrashed: it took too much memory, or its process died of it.
            EndpointUnavailable: no process for foreign queries could be started.
        """
        guarded = self._proved(query, "SELECT", self._row_limit)
        rows = self._run(guarded, query)
        assert isinstance(rows, list)
        if len(rows) > guarded.limit:
            raise ResultUnreadable(f"more than {guarded.limit} rows", endpoint=self.name, query=query)
        return rows

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth; raises as ``select`` does."""
        return bool(self._run(self._proved(query, "ASK", 1), query))

    def untrusted_view(self) -> Endpoint:
        """Return this view: it is the foreign one."""
        return self

    def close(self) -> None:
        """End the child, if there is one."""
        with self._lock:
            self._end()

    def _proved(self, query: str, form: Literal["SELECT", "ASK"], limit: int) -> GuardedQuery:
        return guard_query_form(query, form, limit=limit, endpoint=self.name, functions=self._functions)

    def _run(self, guarded: GuardedQuery, query: str) -> list[Row] | bool:
        with self._lock:
            if self._child is None or not self._child.is_alive():
                self._end()
            try:
                self._child = self._child or self._started(query)
                line = self._child.run_query(guarded.query, self._timeout)
            except TimeoutError as error:
                self._end()
                message = f"took longer than {self._timeout:g} s and was ended"
                raise EndpointTimeout(message, endpoint=self.name, query=query) from error
            except SandboxDied as error:
                self._end()
                raise QueryCrashed(str(error), endpoint=self.name, query=query) from error
            except SandboxReplyTooLarge as error:
                self._end()
                raise self._too_large(query) from error
        return self._read(line, query)

    def _started(self, query: str) -> SandboxProcess:
        try:
            return SandboxProcess(self._opening)
        except (SandboxDied, OSError) as error:  # a TimeoutError is one
            said = str(error) or "it was not ready in time"
            message = f"the process of foreign queries cannot be started: {said}"
            raise EndpointUnavailable(message, endpoint=self.name, query=query) from error

    def _read(self, line: bytes, query: str) -> list[Row] | bool:
        if line.startswith(b'{"error"'):
            said = json.loads(line)
            if said["error"] == "rejected":
                raise QueryRejected(said["message"], endpoint=self.name, query=query)
            if said["error"] == "too-large":
                raise self._too_large(query)
            raise QueryCrashed("the query takes too much memory", endpoint=self.name, query=query)
        try:
            return parse_result_json(line)
        except InvalidResult as error:
            raise ResultUnreadable(str(error), endpoint=self.name, query=query) from error

    def _too_large(self, query: str) -> ResultUnreadable:
        return ResultUnreadable(too_large_message(self._opening.max_result_bytes), endpoint=self.name, query=query)

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class SandboxDied(Exception):
    """The process ended while an answer was waited for."""


class SandboxReplyTooLarge(Exception):
    """The process writes a longer line than it may; it is of no more use."""


class SandboxProcess:
    """A running child process with its store open.

    Raises:
        ConfigError: it cannot open the store (any more).
        ChildDied: it ended before it was ready.
    """

    def __init__(self, config: SandboxConfig) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "chattyshared.endpoint.sandbox_process"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt at the terminal is the parent's to handle
        )  # fmt: skip
        assert self._process.stdin and self._process.stdout
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._longest = config.max_result_bytes + _LONGEST_MESSAGE
        reader = threading.Thread(target=_read, args=(self._process.stdout, self._lines, self._longest), daemon=True)
        reader.start()
        self.end = weakref.finalize(self, _end, self._process, reader)
        said = json.loads(self._ask(_opening_line(config), _OPENING_SECONDS))
        if "error" in said:
            self.end()
            raise ConfigError(said["message"])

    def is_alive(self) -> bool:
        """Tell whether the process still runs."""
        return self._process.poll() is None

    def run_query(self, query: str, timeout: float) -> bytes:
        """Run one query and return the line that the child says to it.

        Raises:
            TimeoutError: no whole answer within ``timeout`` seconds; the child is of no more use.
            ChildDied: the process ended.
            TooLarge: the answer is larger than the child may make it.
        """
        return self._ask({"query": query}, timeout)

    def _ask(self, said: dict[str, Any], timeout: float) -> bytes:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(said).encode() + b"\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=timeout)
        except OSError as error:
            raise SandboxDied("the process of foreign queries ended") from error
        except queue.Empty as error:
            raise TimeoutError from error
        if len(line) == self._longest and not line.endswith(b"\n"):
            raise SandboxReplyTooLarge
        if not line.endswith(b"\n"):
            status = self._process.wait()
            hint = ", as it does for want of memory" if status == -signal.SIGABRT else ""
            raise SandboxDied(f"the process of foreign queries ended (status {status}){hint}")
        return line


def _opening_line(opening: SandboxConfig) -> dict[str, Any]:
    store = None if opening.store is None else str(opening.store)
    files = [str(path) for path in opening.files]
    return {"files": files, "store": store, "memory": opening.memory_bytes, "largest": opening.max_result_bytes}


def _read(source: IO[bytes], lines: queue.SimpleQueue[bytes], longest: int) -> None:
    while (line := source.readline(longest)).endswith(b"\n"):
        lines.put(line)
    lines.put(line)


def _end(process: subprocess.Popen[bytes], reader: threading.Thread) -> None:
    process.kill()
    process.wait()
    if reader is not threading.current_thread():  # the garbage collector may end a child from any thread
        reader.join()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe:
                pipe.close()
