"""One SQLite file for many threads and processes; each statement is on disk when it returns."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chattyshared.errors import STORAGE_RESUME_HINT, ConfigError, StorageFailed, is_storage_error

LOCK_TIMEOUT = 30.0
"""Seconds that a process waits for another one that is writing."""


def eviction_statement(table: str, size: str) -> str:
    """Return the statement that deletes the least recently used rows of a table (``key``, ``used``) until the others
    have at most as many bytes as its one parameter; ``size`` is the SQL expression of a row's bytes."""
    running_total = f"SELECT key, sum({size}) OVER (ORDER BY used DESC, key) AS kept FROM {table}"
    return f"DELETE FROM {table} WHERE key IN (SELECT key FROM ({running_total}) WHERE kept > ?)"


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


def _is_of_storage(error: Exception) -> bool:
    if isinstance(error, OSError):
        return is_storage_error(error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the higher bits tell which call failed
    return code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
