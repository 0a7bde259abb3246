"""Answers that are kept: in one SQLite file by KG, server and query; for concurrent requests; for one question."""

from __future__ import annotations

import hashlib
import re
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import EndpointError
from chattyshared.runs.threads import StopSignal
from chattyshared.sqlite_file import KeptRows

CACHE_FILE_NAME = "answers.sqlite"
"""The name of the file in a cache folder."""
MAX_CACHED_BYTES = 4 << 20
"""Bytes of the largest answer that is kept."""
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


class ResultCache(KeptRows):
    """The raw answers of one server about one KG; only complete answers are stored."""

    table, columns, size, chosen = "kept_answer", "kg TEXT, body BLOB", "length(body)", "instr(kg, ?)"
    trouble = "{path}: the answers in it cannot be used ({error}): take it away, or use --set no_cache=on"

    def __init__(self, path: Path, kg: str = "", *, clock: Callable[[], float] = time.time) -> None:
        """Open or create the file; without ``kg`` only to summarize or prune it.

        ``kg`` identifies the KG and its version: its fingerprint and the server's name.

        Raises:
            ConfigError: it cannot be written, or is no result cache.
        """
        super().__init__(path, clock=clock)
        self._kg = kg

    def get(self, query: str) -> bytes | None:
        """Return the cached body for a query and count the hit; None if there is none.

        Raises:
            ConfigError: the file cannot be read.
        """
        return self._find("body", self._key(query), zlib.decompress)

    def put(self, query: str, body: bytes) -> None:
        """Store a complete answer, unless it is too large or the query uses random numbers or the time.

        Raises:
            ConfigError: the file cannot be written.
        """
        if len(body) <= MAX_CACHED_BYTES and not _VOLATILE_FUNCTION.search(query):
            self._keep(self._key(query), self._kg, zlib.compress(body), replaces=True)

    def summarize(self) -> tuple[ResultCacheSummary, ...]:
        """Return a summary for each KG and server.

        Raises:
            ConfigError: the file cannot be read.
        """
        with self._connect() as database:
            rows = database.execute(
                f"SELECT kg, count(*), sum(hits), sum({self.size}), min(stored), max(used) FROM kept_answer"
                " GROUP BY kg ORDER BY kg"
            ).fetchall()
        return tuple(ResultCacheSummary(*row) for row in rows)

    def _key(self, query: str) -> str:
        return hashlib.sha256(f"{self._kg}\n{query}".encode(errors="surrogatepass")).hexdigest()


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
