"""Answers of servers in one SQLite file: found by KG, server and query; safe for many threads and processes."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import zlib
from contextlib import AbstractContextManager
from pathlib import Path

from chattyshared.shared_file import SharedFile

NAME = "answers.sqlite"
"""What the file is called in a cache folder."""
LARGEST = 4 << 20
"""Bytes of the largest answer that is worth keeping."""
_TROUBLE = "{path}: the answers in it cannot be used ({error}): take it away, or use --no-cache"
_SCHEMA = "CREATE TABLE IF NOT EXISTS answer(key TEXT PRIMARY KEY, body BLOB) WITHOUT ROWID"
_CHANGING = re.compile(r"\b(?:RAND|NOW|UUID|STRUUID|bif:rnd)\s*\(", re.IGNORECASE)


class KeptAnswers:
    """The answers of one server about one KG, as they came over the wire; only whole ones are ever put in.

    ``known`` is what tells the KG from others and from what it was before: its fingerprint and the server's name.
    """

    def __init__(self, path: Path, known: str) -> None:
        """Open the file, or make it.

        Raises:
            ConfigError: it cannot be written, or is no file of answers.
        """
        self.path, self._known = path, known
        self._file = SharedFile(path, _SCHEMA, _TROUBLE)
        with self._base() as base:
            base.execute("SELECT key, body FROM answer LIMIT 1")

    def get(self, query: str) -> bytes | None:
        """Return the body that answered a query; None if none is kept.

        Raises:
            ConfigError: the file cannot be read.
        """
        with self._base() as base:
            row = base.execute("SELECT body FROM answer WHERE key = ?", (self._key(query),)).fetchone()
        return None if row is None else zlib.decompress(row[0])

    def put(self, query: str, body: bytes) -> None:
        """Keep a whole answer, unless it is large or belongs to a query that asks for chance or time.

        Raises:
            ConfigError: the file cannot be written.
        """
        if len(body) > LARGEST or _CHANGING.search(query):
            return
        row = (self._key(query), zlib.compress(body))
        with self._base() as base:
            base.execute("INSERT OR REPLACE INTO answer VALUES (?, ?)", row)

    def close(self) -> None:
        """Close the file; asking again opens it."""
        self._file.close()

    def _key(self, query: str) -> str:
        return hashlib.sha256(f"{self._known}\n{query}".encode(errors="surrogatepass")).hexdigest()

    def _base(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._file.base(zlib.error)
