"""The process that foreign queries run in: ``python -m chattyshared.endpoint.sandbox_process``, one JSON value a line.

The first line in says what to open: ``{"files": [...], "store": folder or null, "memory": bytes, "largest": bytes}``;
the first line out that it is open. Then each line in is ``{"query": ...}`` and each line out its result as SPARQL JSON,
or ``{"error": kind, "message": ...}``. A result is written as it is computed, and given up (kind ``too-large``) once it
has more than ``largest`` bytes. The process ends with its standard input, that is, with its parent, even in the middle
of a query.
"""

from __future__ import annotations

import io
import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

import pyoxigraph as ox

from chattyshared.endpoint.store_loading import load_store, open_store
from chattyshared.errors import ConfigError


def run_queries(source: BinaryIO, target: BinaryIO) -> None:
    """Open the store that the first line names, then answer query after query; returns when no line comes any more."""
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(source, lines), daemon=True).start()
    opening = json.loads(lines.get())
    try:
        store = _open(opening)
    except ConfigError as error:
        _write(target, _error("config", error))
        return
    _cap_memory(int(opening["memory"]))
    _write(target, b'{"open": true}')
    while True:
        _write(target, _answer(store, json.loads(lines.get())["query"], int(opening["largest"])))


def _read(source: BinaryIO, lines: queue.SimpleQueue[bytes]) -> None:
    for line in source:
        lines.put(line)
    os._exit(0)  # the parent is gone: end at once, whatever query is running


def _open(opening: dict[str, Any]) -> ox.Store:
    if opening["store"]:
        return open_store(Path(opening["store"]))
    return load_store([Path(path) for path in opening["files"]])


class _TooLarge(Exception):
    """A result has more bytes than are taken."""


class _Bounded(io.BytesIO):
    """What is written, up to so many bytes."""

    def __init__(self, largest: int) -> None:
        super().__init__()
        self._largest = largest

    def write(self, written: Any) -> int:
        """Take what is written; raises where there is too much of it."""
        if self.tell() + len(written) > self._largest:
            raise _TooLarge
        return super().write(written)


def _answer(store: ox.Store, query: str, largest: int) -> bytes:
    try:
        found = store.query(query)
        if isinstance(found, ox.QueryTriples):
            return _error("rejected", ValueError("neither SELECT nor ASK"))
        result = _Bounded(largest)
        found.serialize(result, format=ox.QueryResultsFormat.JSON)
        return result.getvalue()
    except _TooLarge as error:
        return _error("too-large", error)
    except MemoryError as error:
        return _error("memory", error)
    except (SyntaxError, ValueError, OSError, RuntimeError) as error:
        return _error("rejected", error)


def _error(kind: str, error: Exception) -> bytes:
    return json.dumps({"error": kind, "message": " ".join(str(error).split())[:300]}).encode()


def _write(target: BinaryIO, line: bytes) -> None:
    target.write(line)
    target.write(b"\n")
    target.flush()


def _cap_memory(allowance: int) -> None:
    """Let a query take this many bytes beyond what the store took; only where the system can tell and keep it."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + allowance
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, OSError, ValueError):
        return


if __name__ == "__main__":
    run_queries(sys.stdin.buffer, sys.stdout.buffer)
