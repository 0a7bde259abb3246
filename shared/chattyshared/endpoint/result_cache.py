"""Answers that are kept: in one SQLite file by KG, server and query; for concurrent requests; for one question."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import EndpointError
from chattyshared.runs.threads import StopSignal
from chattyshared.sqlite_file import SQLiteFile, eviction_statement

CACHE_FILE_NAME = "answers.sqlite"
"""The name of the file in a cache folder."""
MAX_CACHED_BYTES = 4 << 20
"""Bytes of the largest answer that is kept."""
_ERROR_MESSAGE = "{path}: the answers in it cannot be used ({error}): take it away, or use --set no_cache=on"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_answer(
    key TEXT PRIMARY KEY, kg TEXT, body BLOB, stored REAL, used REAL, hits INTEGER
) WITHOUT ROWID
"""
_SIZE_EXPRESSION = "length(body)"
_VOLATILE_FUNCTION = re.compile(r"\b(?:RAND|NOW|UUID|STRUUID|bif:rnd)\s*\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResultCacheSummary:
    """The cached answers of one KG on one server: numbers, bytes, and times (epoch) of first storage and last use.

    ``kg`` is the KG's fingerprint and the server's name.
    """

    kg: str
    answers: int
    hits: int
    bytes: int
    first: float
    latest: float


class ResultCache:
    """The raw answers of one server about one KG; only complete answers are stored.

    ``kg`` identifies the KG and its version: its fingerprint and the server's name.
    """

    def __init__(self, path: Path, kg: str = "", *, clock: Callable[[], float] = time.time) -> None:
        """Open or create the file; without ``kg`` only to summarize or prune it.

        Raises:
            ConfigError: it cannot be written, or is no result cache.
        """
        self.path, self._kg, self._clock = path, kg, clock
        self._file = SQLiteFile(path, _SCHEMA, _ERROR_MESSAGE)
        with self._connect() as database:
            database.execute("SELECT key, kg, body, stored, used, hits FROM kept_answer LIMIT 1")

    def get(self, query: str) -> bytes | None:
        """Return the cached body for a query and count the hit; None if there is none.

        Raises:
            ConfigError: the file cannot be read.
        """
        key = self._key(query)
        with self._connect() as database:
            row = database.execute("SELECT body FROM kept_answer WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            database.execute("UPDATE kept_answer SET hits = hits + 1, used = ? WHERE key = ?", (self._clock(), key))
            return zlib.decompress(row[0])

    def put(self, query: str, body: bytes) -> None:
        """Store a complete answer, unless it is too large or the query uses random numbers or the time.

        Raises:
            ConfigError: the file cannot be written.
        """
        if len(body) > MAX_CACHED_BYTES or _VOLATILE_FUNCTION.search(query):
            return
        now = self._clock()
        row = (self._key(query), self._kg, zlib.compress(body), now, now, 0)
        with self._connect() as database:
            database.execute("INSERT OR REPLACE INTO kept_answer VALUES (?, ?, ?, ?, ?, ?)", row)

    def summarize(self) -> tuple[ResultCacheSummary, ...]:
        """Return a summary for each KG and server.

        Raises:
            ConfigError: the file cannot be read.
        """
        with self._connect() as database:
            rows = database.execute(
                f"SELECT kg, count(*), sum(hits), sum({_SIZE_EXPRESSION}), min(stored), max(used) FROM kept_answer"
                " GROUP BY kg ORDER BY kg"
            ).fetchall()
        return tuple(ResultCacheSummary(*row) for row in rows)

    def prune(self, *, unused_for: float | None = None, kg: str | None = None, max_bytes: int | None = None) -> int:
        """Delete answers unused for ``unused_for`` seconds, of KGs whose fingerprint or server name contains ``kg``, or
        both; then the least recently used ones until at most ``max_bytes`` bytes are left. Return the number deleted.

        Raises:
            ValueError: no criterion is given.
            ConfigError: the file cannot be written.
        """
        if unused_for is None and kg is None and max_bytes is None:
            raise ValueError("nothing says which answers shall go")
        cutoff = float("inf") if unused_for is None else self._clock() - unused_for
        count = 0
        with self._connect() as database:
            if unused_for is not None or kg is not None:
                sql = "DELETE FROM kept_answer WHERE used < ? AND (? IS NULL OR instr(kg, ?))"
                count += database.execute(sql, (cutoff, kg, kg)).rowcount
            if max_bytes is not None:
                count += database.execute(eviction_statement("kept_answer", _SIZE_EXPRESSION), (max_bytes,)).rowcount
            database.execute("VACUUM")
        return count

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def _key(self, query: str) -> str:
        return hashlib.sha256(f"{self._kg}\n{query}".encode(errors="surrogatepass")).hexdigest()

    def _connect(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._file.connect(zlib.error)


Result = TypeVar("Result")


class RequestCoalescer(Generic[Result]):
    """Shares the result of a running request with equal requests; nothing is kept afterwards. Thread-safe."""

    def __init__(self) -> None:
        self._running: dict[str, Future[Result]] = {}
        self._lock = threading.Lock()

    def run_once(self, key: str, request: Callable[[], Result]) -> Result:
        """Return the result of ``request``, which is called unless a request of this key is running already.

        Raises:
            EndpointError: the request raised it, for all waiting callers.
        """
        with self._lock:
            running = self._running.get(key)
            future = self._running.setdefault(key, Future())
        if running is not None:
            try:
                return running.result()
            except CancelledError:
                return request()  # the running request was interrupted
        try:
            future.set_result(request())
        except EndpointError as error:
            future.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._running[key]
            future.cancel()  # unless it is done
        return future.result()


class MemoizedEndpoint:
    """An endpoint that keeps the results of its queries, errors apart, as long as it lives."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = endpoint.name
        self._endpoint = endpoint
        self._select, self._ask = cache(endpoint.select), cache(endpoint.ask)

    def select(self, query: str) -> list[Row]:
        """Return the solutions of a SELECT query.

        Raises:
            EndpointError: the query failed.
        """
        return list(self._select(query))

    def ask(self, query: str) -> bool:
        """Return the truth of an ASK query; raises as ``select``."""
        return self._ask(query)

    def untrusted_view(self, stop: StopSignal | None = None) -> Endpoint:
        """Return the view for untrusted queries, which keeps its own results."""
        return MemoizedEndpoint(self._endpoint.untrusted_view(stop))
