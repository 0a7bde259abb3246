"""Untrusted queries on a local store: each is guarded and runs in a child process that is killed at the timeout."""

from __future__ import annotations

import json
import os
import queue
import signal
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.child_process import end_child, start_child, write_request
from chattyshared.endpoint.guard import GuardedEndpoint, GuardedQuery
from chattyshared.endpoint.results import MAX_RESULT_BYTES, InvalidResult, parse_result, too_large_message
from chattyshared.errors import (
    AnswerStopped,
    ConfigError,
    EndpointError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryCrashed,
    QueryRejected,
    ResultUnreadable,
)
from chattyshared.runs.threads import StopSignal

MEMORY_BYTES = 2 * 1024**3
"""Bytes of memory that an untrusted query may take in addition to the store itself."""

SandboxEngine = Literal["pyoxigraph", "rdflib"]

_OPEN_TIMEOUT = 1_800.0
"""Seconds in which a child must have opened its store."""
MAX_CHILDREN = 3
"""Queries of one graph that run at the same time; each child has the graph open."""
_POLL_SECONDS = 0.05
"""Seconds between two looks at a stop signal."""
_GRACE = 5.0
"""Seconds beyond the timeout in which rdflib, which ends a query by itself, must have done so."""
_NOT_STARTED = "the process of foreign queries cannot be started"
_MESSAGE_BYTES = 10_000
"""Bytes by which a reply of the child may be longer than a result."""


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """The store that a child opens, and the bytes of memory and of the result that a query may take.

    ``make_store`` returns the folder of the store, which may be written now; it ``is_temporary`` if nobody needs it
    once this process is gone, however that ends. ``engine`` is what runs the queries: pyoxigraph, or rdflib on the same
    triples.
    """

    make_store: Callable[[], Path]
    memory_bytes: int = MEMORY_BYTES
    max_result_bytes: int = MAX_RESULT_BYTES
    engine: SandboxEngine = "pyoxigraph"
    is_temporary: bool = False


class SandboxError(Exception):
    """A query without a result; ``kind`` is one of ``_ERROR_TYPES``."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(message)
        self.kind = kind


_ERROR_TYPES: Mapping[str, type[EndpointError]] = {
    "rejected": QueryRejected, "timeout": EndpointTimeout, "too-large": ResultUnreadable,
    "unreadable": ResultUnreadable, "memory": QueryCrashed, "died": QueryCrashed, "start": EndpointUnavailable,
}  # fmt: skip


class SandboxedEndpoint(GuardedEndpoint):
    """The view of a local store for untrusted queries.

    A child process starts at the first query, opens the same store or a copy of it, and stays for later queries; it
    answers one query at a time, and queries at the same time start up to ``MAX_CHILDREN``. A query of more than
    ``timeout`` seconds, or one that is stopped, kills its child, and a later query starts another; rdflib ends such a
    query and keeps its triples.

    Besides the errors of the guard, ``select`` and ``ask`` raise EndpointTimeout, QueryCrashed (it took too much
    memory, or its process died), ResultUnreadable (its result has too many bytes or rows), EndpointUnavailable (no
    process could be started), and AnswerStopped (nobody waits for the result any more).
    """

    def __init__(
        self, name: str, config: SandboxConfig, *, timeout: float, row_limit: int, functions: tuple[str, ...] = ()
    ) -> None:
        super().__init__(name, row_limit, functions)
        self._config, self._timeout = config, timeout
        self._stop: StopSignal | None = None
        self._places: queue.LifoQueue[SandboxProcess | None] = queue.LifoQueue()
        for _ in range(MAX_CHILDREN):
            self._places.put(None)

    def untrusted_view(self, stop: StopSignal | None = None) -> Endpoint:
        """Return this view, whose queries also end when ``stop`` is set; it shares the children."""
        if stop is None:
            return self
        view = copy(self)
        view._stop = stop
        return view

    def close(self) -> None:
        """End the children that run no query now."""
        places = [self._places.get() for _ in range(self._places.qsize())]
        for child in places:
            if child is not None:
                child.end()
            self._places.put(None)

    def run(self, guarded: GuardedQuery, query: str) -> list[Row] | bool:
        """Run a guarded query in a child."""
        child, reply = self._take_place(), b""
        try:
            if child is None or not child.is_alive():
                child = SandboxProcess(self._config)
            reply = child.run_query(guarded.query, self._timeout, self._stop)
            if reply.startswith(b'{"error"'):
                failure = json.loads(reply)
                raise SandboxError(failure["error"], failure["message"])
            return parse_result(reply)
        except InvalidResult as error:
            raise ResultUnreadable(str(error), endpoint=self.name, query=query) from error
        except SandboxError as error:
            message = {
                "timeout": f"took longer than {self._timeout:g} s and was ended",
                "too-large": too_large_message(self._config.max_result_bytes),
                "memory": "the query takes too much memory",
            }.get(error.kind, str(error))
            raise _ERROR_TYPES[error.kind](message, endpoint=self.name, query=query) from error
        finally:
            if child is not None and not reply:
                child.end()
            self._places.put(child if reply else None)

    def _take_place(self) -> SandboxProcess | None:
        """Wait for a place, and return its child if it has one."""
        while True:
            _check_stop(self._stop)
            with suppress(queue.Empty):
                return self._places.get(timeout=_POLL_SECONDS)


class SandboxProcess:
    """A running child process with its store open.

    Raises:
        ConfigError: it cannot open the store.
        SandboxError: it was not ready.
    """

    def __init__(self, config: SandboxConfig) -> None:
        self._grace = _GRACE if config.engine == "rdflib" else 0.0
        try:
            store = str(config.make_store())
            self._process = start_child({
                "store": store, "memory": config.memory_bytes, "largest": config.max_result_bytes,
                "engine": config.engine, "temporary": store if config.is_temporary else None,
            })  # fmt: skip
        except OSError as error:
            raise SandboxError("start", f"{_NOT_STARTED}: {error}") from error
        assert self._process.stdout
        self._replies = Connection(os.dup(self._process.stdout.fileno()), writable=False)
        self._max_bytes = config.max_result_bytes + _MESSAGE_BYTES
        self.end = weakref.finalize(self, end_child, self._process)
        try:
            reply = json.loads(self._read(_OPEN_TIMEOUT))
        except SandboxError as error:
            self.end()
            raise SandboxError("start", f"{_NOT_STARTED}: {error}") from error
        if "error" in reply:
            self.end()
            raise ConfigError(reply["message"])

    def is_alive(self) -> bool:
        """Tell whether the process still runs."""
        return self._process.poll() is None

    def run_query(self, query: str, timeout: float, stop: StopSignal | None = None) -> bytes:
        """Run one query and return what the child replies.

        Raises:
            SandboxError, AnswerStopped: there is no whole answer; the child cannot be used further.
        """
        with suppress(OSError):  # it ended, as its output tells
            write_request(self._process, {"query": query, "timeout": timeout})
        return self._read(timeout + self._grace, stop)

    def _read(self, timeout: float, stop: StopSignal | None = None) -> bytes:
        """Wait for the next reply."""
        end = time.monotonic() + timeout
        while not self._replies.poll(_POLL_SECONDS):
            if time.monotonic() > end:
                raise SandboxError("timeout", "it was not ready in time")
            _check_stop(stop)
        try:
            return self._replies.recv_bytes(self._max_bytes)
        except EOFError as error:
            status = self._process.wait()
            hint = ", as it does for want of memory" if status == -signal.SIGABRT else ""
            raise SandboxError("died", f"the process of foreign queries ended (status {status}){hint}") from error
        except OSError as error:
            raise SandboxError("too-large") from error


def _check_stop(stop: StopSignal | None) -> None:
    if stop is not None and stop.is_set():
        raise AnswerStopped("the query was stopped")
