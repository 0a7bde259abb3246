"""Answers of servers in one SQLite file: found by KG, server and query; safe for many threads and processes."""

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
from pathlib import Path
from typing import Generic, TypeVar

from chattyshared.errors import EndpointError
from chattyshared.sqlite_file import SQLiteFile, eviction_statement

CACHE_FILE_NAME = "answers.sqlite"
"""What the file is called in a cache folder."""
MAX_CACHED_BYTES = 4 << 20
"""Bytes of the largest answer that is worth keeping."""
_TROUBLE = "{path}: the answers in it cannot be used ({error}): take it away, or use --no-cache"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_answer(
    key TEXT PRIMARY KEY, kg TEXT, body BLOB, stored REAL, used REAL, hits INTEGER
) WITHOUT ROWID
"""
_SIZE = "length(body)"
_CHANGING = re.compile(r"\b(?:RAND|NOW|UUID|STRUUID|bif:rnd)\s*\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResultCacheSummary:
    """What is kept of one KG at one server: answers, hits, bytes; when (epoch) the first was stored, the latest used.

    ``kg`` is its fingerprint and the server's name.
    """

    kg: str
    answers: int
    hits: int
    bytes: int
    first: float
    latest: float


class ResultCache:
    """The answers of one server about one KG, as they came over the wire; only whole ones are ever put in.

    ``known`` is what tells the KG from others and from what it was before: its fingerprint and the server's name.
    """

    def __init__(self, path: Path, kg: str = "", *, clock: Callable[[], float] = time.time) -> None:
        """Open the file, or make it; without ``known`` only to look at it, or to prune it.

        Raises:
            ConfigError: it cannot be written, or is no file of answers.
        """
        self.path, self._known, self._clock = path, kg, clock
        self._file = SQLiteFile(path, _SCHEMA, _TROUBLE)
        with self._base() as base:
            base.execute("SELECT key, kg, body, stored, used, hits FROM kept_answer LIMIT 1")

    def get(self, query: str) -> bytes | None:
        """Return the body that answered a query, and count the hit; None if none is kept.

        Raises:
            ConfigError: the file cannot be read.
        """
        key = self._key(query)
        with self._base() as base:
            row = base.execute("SELECT body FROM kept_answer WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            base.execute("UPDATE kept_answer SET hits = hits + 1, used = ? WHERE key = ?", (self._clock(), key))
            return zlib.decompress(row[0])

    def put(self, query: str, body: bytes) -> None:
        """Keep a whole answer, unless it is large or belongs to a query that asks for chance or time.

        Raises:
            ConfigError: the file cannot be written.
        """
        if len(body) > MAX_CACHED_BYTES or _CHANGING.search(query):
            return
        now = self._clock()
        row = (self._key(query), self._known, zlib.compress(body), now, now, 0)
        with self._base() as base:
            base.execute("INSERT OR REPLACE INTO kept_answer VALUES (?, ?, ?, ?, ?, ?)", row)

    def summarize(self) -> tuple[ResultCacheSummary, ...]:
        """Return what is kept, by KG and server.

        Raises:
            ConfigError: the file cannot be read.
        """
        with self._base() as base:
            rows = base.execute(
                f"SELECT kg, count(*), sum(hits), sum({_SIZE}), min(stored), max(used) FROM kept_answer"
                " GROUP BY kg ORDER BY kg"
            ).fetchall()
        return tuple(ResultCacheSummary(*row) for row in rows)

    def prune(self, *, unused_for: float | None = None, kg: str | None = None, max_bytes: int | None = None) -> int:
        """Forget answers that nobody used for so many seconds, or of KGs whose fingerprint or server's name holds a
        text, or both; then those used longest ago, until no more than ``largest`` bytes are left; return how many.

        Raises:
            ValueError: nothing is given.
            ConfigError: the file cannot be written.
        """
        if unused_for is None and kg is None and max_bytes is None:
            raise ValueError("nothing says which answers shall go")
        before = float("inf") if unused_for is None else self._clock() - unused_for
        number = 0
        with self._base() as base:
            if unused_for is not None or kg is not None:
                sql = "DELETE FROM kept_answer WHERE used < ? AND (? IS NULL OR instr(kg, ?))"
                number += base.execute(sql, (before, kg, kg)).rowcount
            if max_bytes is not None:
                number += base.execute(eviction_statement("kept_answer", _SIZE), (max_bytes,)).rowcount
            base.execute("VACUUM")
        return number

    def close(self) -> None:
        """Close the file; asking again opens it."""
        self._file.close()

    def _key(self, query: str) -> str:
        return hashlib.sha256(f"{self._known}\n{query}".encode(errors="surrogatepass")).hexdigest()

    def _base(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._file.connect(zlib.error)


Result = TypeVar("Result")


class RequestCoalescer(Generic[Result]):
    """What is being asked right now; nothing is kept once it is answered. Safe to use from many threads."""

    def __init__(self) -> None:
        self._asked: dict[str, Future[Result]] = {}
        self._lock = threading.Lock()

    def run_once(self, key: str, request: Callable[[], Result]) -> Result:
        """Return what ``ask`` returns; it is called unless it runs for this key already.

        Raises:
            EndpointError: what ``ask`` raised, for all who waited.
        """
        with self._lock:
            others = self._asked.get(key)
            mine = self._asked.setdefault(key, Future())
        if others is not None:
            try:
                return others.result()
            except CancelledError:
                return request()  # whoever asked was interrupted
        try:
            mine.set_result(request())
        except EndpointError as error:
            mine.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._asked[key]
            mine.cancel()  # unless it is done
        return mine.result()
