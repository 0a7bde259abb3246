"""SQLite files for many threads and processes, where each statement is on disk when it returns; kept rows in them."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from chattyshared.errors import STORAGE_RESUME_HINT, ConfigError, StorageFailed, is_storage_error

T = TypeVar("T")
LOCK_TIMEOUT = 30.0
"""Seconds that a process waits for another one that is writing."""


class SQLiteFile:
    """A file with one schema. What was written survives a kill; a forked process reopens the file."""

    def __init__(self, path: Path, schema: str, trouble: str) -> None:
        """Take a path, the statement that creates the table if it is missing, and the error message.

        ``trouble`` contains ``{path}`` and ``{error}``. The file is opened on first use.
        """
        self.path, self._schema, self._trouble = path, schema, trouble
        self._lock = threading.Lock()
        self._opened: dict[int, sqlite3.Connection] = {}

    @contextmanager
    def connect(self, *also: type[Exception]) -> Iterator[sqlite3.Connection]:
        """Yield the connection, to one thread at a time.

        Raises:
            ConfigError: the file cannot be read or written, or one of ``also`` was raised within.
            StorageFailed: the disk is full or failing.
        """
        expected: tuple[type[Exception], ...] = (sqlite3.Error, OSError, *also)
        try:
            with self._lock:
                yield self._opened.get(os.getpid()) or self._open()
        except expected as error:
            if _is_of_storage(error):
                raise StorageFailed(f"cannot write {self.path}: {error}; {STORAGE_RESUME_HINT}") from error
            raise ConfigError(self._trouble.format(path=self.path, error=error)) from error

    def close(self) -> None:
        """Close the file; the next use reopens it."""
        with self._lock:
            connection = self._opened.pop(os.getpid(), None)
            if connection is not None:
                connection.close()

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # With isolation_level=None each statement is on disk when it returns.
        connection = sqlite3.connect(self.path, timeout=LOCK_TIMEOUT, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(self._schema)
        # A connection that a fork inherited belongs to the parent: using or closing it here would damage it.
        self._opened[os.getpid()] = connection
        return connection


class KeptRows:
    """A file of rows by their keys, with the times (epoch) of storage and of the last use, and the number of uses.

    A subclass states the ``table``, its further ``columns`` between the key and these, the SQL expression of the bytes
    of a row (``size``), the condition that chooses rows by one text (``chosen``, with a parameter), and the error
    message (see ``SQLiteFile``).
    """

    table = columns = size = chosen = trouble = ""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        """Open the file, or create it.

        Raises:
            ConfigError: it cannot be written, or is another file.
        """
        self.path, self._clock = path, clock
        schema = f"key TEXT PRIMARY KEY, {self.columns}, stored REAL, used REAL, hits INTEGER"
        self._file = SQLiteFile(path, f"CREATE TABLE IF NOT EXISTS {self.table}({schema}) WITHOUT ROWID", self.trouble)
        names = ", ".join(column.split()[0] for column in schema.split(", "))
        with self._connect() as connection:
            connection.execute(f"SELECT {names} FROM {self.table} LIMIT 1")

    def prune(self, *, unused_for: float | None = None, chosen: str | None = None, max_bytes: int | None = None) -> int:
        """Delete rows that were not used for ``unused_for`` seconds, or are ``chosen`` by a text, or both; then the
        least recently used, until at most ``max_bytes`` are left. Return the number of deleted rows.

        Raises:
            ValueError: all arguments are None.
            ConfigError: the file cannot be written.
        """
        if unused_for is None and chosen is None and max_bytes is None:
            raise ValueError("nothing says which rows shall go")
        unused_before = float("inf") if unused_for is None else self._clock() - unused_for
        count = 0
        with self._connect() as connection:
            if unused_for is not None or chosen is not None:
                sql = f"DELETE FROM {self.table} WHERE used < ? AND (? IS NULL OR {self.chosen})"
                count += connection.execute(sql, (unused_before, chosen, chosen)).rowcount
            if max_bytes is not None:
                total = f"SELECT key, sum({self.size}) OVER (ORDER BY used DESC, key) AS kept FROM {self.table}"
                sql = f"DELETE FROM {self.table} WHERE key IN (SELECT key FROM ({total}) WHERE kept > ?)"
                count += connection.execute(sql, (max_bytes,)).rowcount
            connection.execute("VACUUM")
        return count

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def _connect(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._file.connect(zlib.error, ValueError, KeyError, TypeError)

    def _find(self, column: str, key: str, decode: Callable[[Any], T]) -> T | None:
        """Return a column of the row of a key, decoded, and count the use; None if there is none."""
        with self._connect() as connection:
            row = connection.execute(f"SELECT {column} FROM {self.table} WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            found = decode(row[0])
            sql = f"UPDATE {self.table} SET hits = hits + 1, used = ? WHERE key = ?"
            connection.execute(sql, (self._clock(), key))
        return found

    def _keep(self, key: str, *values: Any, replaces: bool) -> None:
        """Keep the row of a key; without ``replaces`` an earlier one stays."""
        now = self._clock()
        row = (key, *values, now, now, 0)
        sql = f"INSERT OR {'REPLACE' if replaces else 'IGNORE'} INTO {self.table} VALUES ({', '.join('?' * len(row))})"
        with self._connect() as connection:
            connection.execute(sql, row)


def _is_of_storage(error: Exception) -> bool:
    if isinstance(error, OSError):
        return is_storage_error(error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the higher bits tell which call failed
    return code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
