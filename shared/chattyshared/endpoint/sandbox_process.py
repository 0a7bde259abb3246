"""The process that runs untrusted queries: ``python -m chattyshared.endpoint.sandbox_process``, one JSON value a line.

The first input line names what to open: ``{"files": [...], "store": folder or null, "memory": bytes, "largest":
bytes, "engine": name, "unreadable": share, "context": file or null}``; the first output line confirms it. Then each
input line is ``{"query": ..., "timeout": seconds}`` and each output line its result as SPARQL JSON, or ``{"error":
kind, "message": ...}``. A result of more than ``largest`` bytes is given up (kind ``too-large``), and so is a query on
rdflib that takes longer than its timeout
(``timeout``): the process goes on with the next one. It ends with its standard input, that is, with its parent, even in
the middle of a query.
"""

from __future__ import annotations

import io
import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, NoReturn

import pyoxigraph as ox
import rdflib
from pyparsing import ParseException

from chattyshared.endpoint.connection_options import FileReading
from chattyshared.endpoint.results import convert_term
from chattyshared.endpoint.store_loading import load_store, open_store
from chattyshared.errors import ConfigError
from chattyshared.sparql.analysis import prepare_query


def run_queries(source: BinaryIO, target: BinaryIO) -> None:
    """Open the store that the first line names, then answer each query; the process exits at the end of ``source``."""
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_lines, args=(source, lines), daemon=True).start()
    config = json.loads(lines.get())
    try:
        folder, files, context = config["store"], config["files"], config["context"]
        reading = FileReading(config["unreadable"], Path(context) if context else None)
        store = open_store(Path(folder)) if folder else load_store([Path(path) for path in files], reading=reading)
    except ConfigError as error:
        _write_line(target, _error_line("config", error))
        return
    engine = _Rdflib(store) if config["engine"] == "rdflib" else _Oxigraph(store)
    del store
    _cap_memory(int(config["memory"]))
    _write_line(target, b'{"open": true}')
    while True:
        request = json.loads(lines.get())
        _write_line(target, _run_query(engine, request["query"], request["timeout"], int(config["largest"])))


def _read_lines(source: BinaryIO, lines: queue.SimpleQueue[bytes]) -> None:
    for line in source:
        lines.put(line)
    os._exit(0)  # the parent is gone; a query may be running


_QUERY_FAULTS = (
    SyntaxError, ValueError, OSError, RuntimeError, ParseException,
    TypeError, LookupError, AttributeError, ArithmeticError, NotImplementedError,  # rdflib's, on odd queries
)  # fmt: skip


class _TooLarge(Exception):
    """A result has too many bytes."""


class _TimedOut(BaseException):
    """A query takes too long; no ``Exception``, so that rdflib does not catch it."""


class _BoundedBuffer(io.BytesIO):
    """A buffer of at most ``max_bytes`` bytes."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__()
        self._max_bytes = max_bytes

    def write(self, data: Any) -> int:
        """Append data; raises ``_TooLarge`` beyond ``max_bytes``."""
        if self.tell() + len(data) > self._max_bytes:
            raise _TooLarge
        return super().write(data)


class _Oxigraph:
    """Oxigraph on a store."""

    def __init__(self, store: ox.Store) -> None:
        self._store = store

    def write_result(self, query: str, target: BinaryIO) -> None:
        """Run a query and write its result as JSON; raises ValueError if it is neither SELECT nor ASK."""
        result = self._store.query(query)
        if isinstance(result, ox.QueryTriples):
            raise ValueError("neither SELECT nor ASK")
        result.serialize(target, format=ox.QueryResultsFormat.JSON)


class _Rdflib:
    """rdflib on the triples of a store; lexical forms stay as they are."""

    def __init__(self, store: ox.Store) -> None:
        rdflib.NORMALIZE_LITERALS = False
        self._dataset = rdflib.Dataset(default_union=True)
        default = self._dataset.default_graph
        for quad in store:
            name = quad.graph_name
            graph = default if isinstance(name, ox.DefaultGraph) else self._dataset.graph(convert_term(name))
            graph.add((convert_term(quad.subject), convert_term(quad.predicate), convert_term(quad.object)))

    def write_result(self, query: str, target: BinaryIO) -> None:
        """Run a query and write its result as JSON; raises what rdflib raises."""
        self._dataset.query(prepare_query(query)[0]).serialize(destination=target, format="json")


def _run_query(engine: _Oxigraph | _Rdflib, query: str, timeout: float, max_bytes: int) -> bytes:
    try:
        if isinstance(engine, _Rdflib):  # Python code can be interrupted; the parent ends a process with Oxigraph
            _set_timer(timeout)
        buffer = _BoundedBuffer(max_bytes)
        engine.write_result(query, buffer)
        return buffer.getvalue().replace(b"\n", b" ")
    except _TooLarge as error:
        return _error_line("too-large", error)
    except _TimedOut as error:
        return _error_line("timeout", error)
    except MemoryError as error:
        return _error_line("memory", error)
    except _QUERY_FAULTS as error:
        return _error_line("rejected", error)
    finally:
        _set_timer(0)


def _set_timer(seconds: float) -> None:
    """Raise ``_TimedOut`` after some seconds, and each second from then on: rdflib has places that catch everything.

    0 stops it. There are systems without such a timer: there the parent ends the process.
    """
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _raise_timed_out)
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0 if seconds else 0.0)


def _raise_timed_out(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise _TimedOut


def _error_line(kind: str, error: BaseException) -> bytes:
    return json.dumps({"error": kind, "message": " ".join(str(error).split())[:300]}).encode()


def _write_line(target: BinaryIO, line: bytes) -> None:
    target.write(line)
    target.write(b"\n")
    target.flush()


def _cap_memory(memory_bytes: int) -> None:
    """Let the process take ``memory_bytes`` more bytes than now, on systems that support such a limit."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, OSError, ValueError):
        return


if __name__ == "__main__":
    run_queries(sys.stdin.buffer, sys.stdout.buffer)
