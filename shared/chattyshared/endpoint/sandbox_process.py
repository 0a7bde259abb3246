"""The process for untrusted files and queries: ``python -m chattyshared.endpoint.sandbox_process``.

The first line of its input is JSON. With ``files`` (numbers and paths), it writes their quads as N-Quads within
``memory`` bytes and ``seconds`` of the processor; on standard error stand JSON lines with the ``file`` that is being
read, and at the end ``notes`` or an ``error`` with its ``message``.

With ``store``, it opens the store in this folder for the ``engine``, and confirms that. Then each input line is
``{"query": ..., "timeout": seconds}``, and the reply (a message of ``multiprocessing.connection``) its result as SPARQL
JSON, or ``{"error": kind, "message": ...}``. A result of more than ``largest`` bytes is given up (kind ``too-large``),
and so is a query on rdflib that takes longer than its timeout (``timeout``): the process goes on with the next one. It
ends with its standard input, that is, with its parent, even in the middle of a query, and then removes the
``temporary`` folder.
"""

from __future__ import annotations

import io
import json
import os
import queue
import shutil
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, NoReturn

import pyoxigraph as ox

from chattyshared.errors import ConfigError


def main(source: BinaryIO, target: BinaryIO) -> None:
    """Do what the first line says."""
    request = json.loads(source.readline())
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_lines, args=(source, lines, request.get("temporary")), daemon=True).start()
    if "files" in request:
        _read_files(request, target)
    else:
        _run_queries(request, lines, Connection(target.fileno(), readable=False))


def _read_lines(source: BinaryIO, lines: queue.SimpleQueue[bytes], temporary: str | None) -> None:
    for line in source:
        lines.put(line)
    if temporary:
        shutil.rmtree(temporary, ignore_errors=True)
    os._exit(0)  # the parent is gone; a query may be running


def _read_files(request: Mapping[str, Any], target: BinaryIO) -> None:
    from chattyshared.endpoint.connection_options import FileReading
    from chattyshared.endpoint.rdf_files import UnreadableStatement, read_quads

    reading = FileReading(request["unreadable"], Path(request["context"]) if request["context"] else None)
    notes: list[str] = []

    def read() -> Iterator[ox.Quad]:
        for number, path in request["files"]:
            _tell(file=path)
            yield from read_quads(Path(path), number, reading, notes, lenient=request["lenient"])

    _limit_memory(request["memory"])
    _limit_seconds(request["seconds"])
    try:
        ox.serialize(read(), target, ox.RdfFormat.N_QUADS)
        target.flush()
        _tell(notes=notes)
    except ConfigError as error:
        _tell(error="statement" if isinstance(error, UnreadableStatement) else "file", message=str(error))


def _tell(**said: Any) -> None:
    sys.stderr.write(f"{json.dumps(said)}\n")
    sys.stderr.flush()


def _run_queries(request: Mapping[str, Any], lines: queue.SimpleQueue[bytes], replies: Connection) -> None:
    from chattyshared.endpoint.store_folder import open_store

    try:
        store = open_store(Path(request["store"]))
    except ConfigError as error:
        replies.send_bytes(_error("config", error))
        return
    engine = _Rdflib(store) if request["engine"] == "rdflib" else _Oxigraph(store)
    del store
    _limit_memory(request["memory"])
    replies.send_bytes(b'{"open": true}')
    while True:
        asked = json.loads(lines.get())
        replies.send_bytes(_run_query(engine, asked["query"], asked["timeout"], request["largest"]))


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

    def write_result(self, query: str, timeout: float, target: BinaryIO) -> None:
        """Run a query and write its result as JSON; raises ValueError if it is neither SELECT nor ASK.

        The parent ends the process at the timeout.
        """
        result = self._store.query(query)
        if isinstance(result, ox.QueryTriples):
            raise ValueError("neither SELECT nor ASK")
        result.serialize(target, format=ox.QueryResultsFormat.JSON)


class _Rdflib:
    """rdflib on the triples of a store; lexical forms stay as they are."""

    def __init__(self, store: ox.Store) -> None:
        import rdflib

        from chattyshared.endpoint.results import convert_term

        rdflib.NORMALIZE_LITERALS = False
        self._dataset = rdflib.Dataset(default_union=True)
        default = self._dataset.default_graph
        for quad in store:
            name = quad.graph_name
            graph = default if isinstance(name, ox.DefaultGraph) else self._dataset.graph(convert_term(name))
            graph.add((convert_term(quad.subject), convert_term(quad.predicate), convert_term(quad.object)))

    def write_result(self, query: str, timeout: float, target: BinaryIO) -> None:
        """Run a query and write its result as JSON; raises what rdflib raises, and ``_TimedOut``."""
        from pyparsing import ParseException

        from chattyshared.sparql.analysis import prepare_query

        try:
            _set_timer(timeout)
            self._dataset.query(prepare_query(query)[0]).serialize(destination=target, format="json")
        except (ParseException, TypeError, LookupError, AttributeError, ArithmeticError) as error:  # on odd queries
            raise ValueError(str(error)) from error
        finally:
            _set_timer(0)


def _run_query(engine: _Oxigraph | _Rdflib, query: str, timeout: float, max_bytes: int) -> bytes:
    try:
        buffer = _BoundedBuffer(max_bytes)
        engine.write_result(query, timeout, buffer)
        return buffer.getvalue()
    except _TooLarge as error:
        return _error("too-large", error)
    except _TimedOut as error:
        return _error("timeout", error)
    except MemoryError as error:
        return _error("memory", error)
    except (SyntaxError, ValueError, OSError, RuntimeError) as error:
        return _error("rejected", error)


def _set_timer(seconds: float) -> None:
    """Raise ``_TimedOut`` after some seconds, and each second from then on: rdflib has places that catch everything.

    0 stops it. There are systems without such a timer: there the parent ends the process.
    """
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _raise_timed_out)
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0 if seconds else 0.0)


def _raise_timed_out(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise _TimedOut


def _error(kind: str, error: BaseException) -> bytes:
    return json.dumps({"error": kind, "message": " ".join(str(error).split())[:300]}).encode()


def _limit_memory(memory_bytes: int) -> None:
    """Let the process take ``memory_bytes`` more bytes than now, on systems that support such a limit."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, OSError, ValueError):
        return


def _limit_seconds(seconds: int) -> None:
    """Let the process compute for some seconds, on systems that support such a limit; a crash leaves no core file."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        return


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
