"""Caches of one KG, shared by all threads that query it: terms in memory, and indexes that files keep between runs."""

from __future__ import annotations

import logging
import os
import sqlite3
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, RLock
from typing import Any, Literal, TypeVar

from chattyshared.endpoint import Endpoint
from chattyshared.errors import StorageFailed
from chattyshared.kg.vocabulary import RowKey
from chattyshared.profile import Profile
from chattyshared.terms import Term

T = TypeVar("T")
_log = logging.getLogger(__name__)
_WRITE_ONCE = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
"""Settings of a database that is written whole, and discarded if that fails."""
MAX_SHARED_TERMS = 200_000
"""Terms whose labels all questions share; with more of them the next question begins anew."""
MAX_RECENT = 1_000
"""Results of one kind that are kept, the latest used."""


class RecentResults:
    """The results of one function that were used last; several threads may ask for them at once."""

    def __init__(self, limit: int = MAX_RECENT) -> None:
        self._limit = limit
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    def get_or_create(self, key: Hashable, create: Callable[[], T]) -> T:
        """Return the result for a key; create it if it is not kept. Other threads do not wait meanwhile."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                result: T = self._results[key]
                return result
        result = create()
        with self._lock:
            self._results[key] = result
            while len(self._results) > self._limit:
                self._results.popitem(last=False)
        return result


class KGCache:
    """Labels, types and predicates of terms, and values that are computed once. Safe to share between threads.

    ``endpoint`` reads the terms that several copies of a KG share; None: each copy reads its own.
    """

    def __init__(self) -> None:
        self.endpoint: Endpoint | None = None
        self._clear_terms()
        self._values: dict[str, Any] = {}
        self._lock = RLock()

    def _clear_terms(self) -> None:
        self.labels: dict[Term, str] = {}
        self.types: dict[Term, tuple[str, ...]] = {}
        self.predicates: dict[Term, tuple[tuple[str, Literal["out", "in"], int], ...]] = {}
        self.recent: dict[str, RecentResults] = {}
        self.searches: dict[tuple[str, str], Any] = {}

    def with_fresh_terms(self) -> KGCache:
        """Return a cache with the same values but nothing of single terms."""
        copy = KGCache()
        copy._values, copy._lock = self._values, self._lock
        return copy

    def with_shared_terms(self, endpoint: Endpoint) -> KGCache:
        """Return a cache with the same values and the same terms; an endpoint reads the terms that are missing.

        A full cache is left to the copies that use it.
        """
        copy = self.with_fresh_terms()
        with self._lock:
            if max(len(self.labels), len(self.types), len(self.predicates)) > MAX_SHARED_TERMS:
                self._clear_terms()
            copy.labels, copy.types = self.labels, self.types
            copy.predicates, copy.recent = self.predicates, self.recent
        copy.endpoint = endpoint
        return copy

    def search(
        self, texts: Iterable[str], kind: str, search_new: Callable[[list[str]], Mapping[str, T]]
    ) -> dict[str, T]:
        """Return what a kind of search finds for each text, and search at once for those that are new."""
        texts = list(dict.fromkeys(texts))
        if new := [text for text in texts if (kind, text) not in self.searches]:
            self.searches.update(((kind, text), found) for text, found in search_new(new).items())
        return {text: self.searches[kind, text] for text in texts}

    def get_or_create(self, name: str, create: Callable[[], T]) -> T:
        """Return the value of this name; create it if there is none. Other threads wait meanwhile."""
        if name not in self._values:
            with self._lock:
                if name not in self._values:
                    self._values[name] = create()
        value: T = self._values[name]
        return value


@dataclass(frozen=True, slots=True)
class CachedReader:
    """An endpoint, the profile to read it by, and the cache of what was read; ``row_keys`` name things without labels
    by their class and number."""

    endpoint: Endpoint
    profile: Profile
    cache: KGCache
    row_keys: Mapping[str, RowKey] = field(default_factory=dict)

    @property
    def term_endpoint(self) -> Endpoint:
        """The endpoint that reads labels, types and predicates of terms."""
        return self.cache.endpoint or self.endpoint


class IndexFile:
    """A database that was filled once and is only read; safe to use from several threads."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None = None) -> None:
        weakref.finalize(self, connection.close)
        self._connection, self._path, self._lock = connection, path, Lock()

    def select(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query.

        Raises:
            StorageFailed: the file is damaged; it is removed, so that the next start makes it anew.
        """
        with self._lock:
            try:
                return self._connection.execute(query, tuple(values)).fetchall()
            except sqlite3.DatabaseError as error:
                if self._path is None:
                    raise
                self._path.unlink(missing_ok=True)
                raise StorageFailed(
                    f"{self._path}: the index is damaged ({error}) and was removed; the next start makes it anew"
                ) from error


def open_or_build_index(path: Path | None, fill: Callable[[sqlite3.Connection], None], *, table: str) -> IndexFile:
    """Open the database in a file; without one, ``fill`` a new one. Without a path it is in memory.

    ``table`` is one that a whole database has: a file without it is damaged and made anew, with a warning. A file that
    cannot be written causes a warning, and the database is in memory.
    """
    if path is None:
        return _build_in_memory(fill)
    try:
        if path.is_file():
            return IndexFile(_open(path, table), path)
    except sqlite3.Error as error:
        _log.warning("%s: is no index (%s), made anew", path, error)
    try:
        _write_file(path, fill)
        return IndexFile(_open(path, table), path)
    except (OSError, sqlite3.Error) as error:
        _log.warning("%s: the index cannot be kept (%s)", path, error)
        return _build_in_memory(fill)


def _build_in_memory(fill: Callable[[sqlite3.Connection], None]) -> IndexFile:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    fill(connection)
    return IndexFile(connection)


def _open(path: Path, table: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        connection.execute(f"SELECT * FROM {table} LIMIT 1")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _write_file(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    try:
        with closing(sqlite3.connect(draft)) as connection:
            connection.executescript(_WRITE_ONCE)
            fill(connection)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def iterate_rows(connection: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query one by one, while other statements run on the same connection."""
    with closing(connection.cursor()) as cursor:
        yield from cursor.execute(query)
