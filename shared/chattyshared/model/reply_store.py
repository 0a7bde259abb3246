"""Paid replies in one SQLite file, by request, as JSON; safe for many threads and processes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chattyshared.model import Completion, Request, Usage
from chattyshared.sqlite_file import SQLiteFile, eviction_statement

FILE_NAME = "replies.sqlite"
"""The name of the file in a cache folder."""
_ERROR_MESSAGE = "{path}: the replies in it cannot be used ({error}): take it away, or name another folder"
_SIZE = "length(CAST(asked AS BLOB)) + length(CAST(said AS BLOB))"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS reply(
    key TEXT PRIMARY KEY, model TEXT, agent TEXT, asked TEXT, said TEXT, stored REAL, used REAL, hits INTEGER
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class StoredReply:
    """One stored reply: key, request (as JSON), completion, times (epoch seconds), and number of uses."""

    key: str
    model: str
    agent: str
    request: Mapping[str, Any]
    completion: Completion
    stored_at: float
    used_at: float
    hits: int


@dataclass(frozen=True, slots=True)
class StoreSummary:
    """The stored replies of one model for one agent: replies, hits, the tokens and dollars that the hits have saved,
    the bytes of requests and replies, and the times (epoch seconds) of the first reply and the latest use."""

    model: str
    agent: str
    replies: int
    hits: int
    spared_tokens: int
    spared_usd: float
    bytes: int
    first: float
    latest: float


def cached_request(model: str, request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything that a reply depends on, as JSON: model, messages, schema, parameters, attempt, and tools."""
    return {
        "model": model,
        "parameters": dict(parameters),
        "attempt": request.attempt,
        "schema": request.schema,
        "messages": [[message.role, message.content] for message in request.messages],
        **({"tools": request.tools_as_json()} if request.tools else {}),
    }


def request_key(request: Mapping[str, Any]) -> str:
    """Return the digest of a cached request, 32 hexadecimal digits."""
    return hashlib.sha256(_to_json(request).encode(errors="surrogatepass")).hexdigest()[:32]


class ReplyStore:
    """The file of replies. What ``put`` has stored survives a kill; a forked process reopens the file."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        """Open the file, or create it.

        Raises:
            ConfigError: it cannot be written, or is not a reply store.
        """
        self.path, self._clock = path, clock
        self._file = SQLiteFile(path, _SCHEMA, _ERROR_MESSAGE)
        with self._connect() as connection:
            connection.execute("SELECT key, model, agent, asked, said, stored, used, hits FROM reply LIMIT 1")

    def get(self, key: str) -> Completion | None:
        """Return the reply of a key, and count the hit; None if there is none.

        Raises:
            ConfigError: the file cannot be read.
        """
        with self._file.connect(ValueError, KeyError, TypeError) as connection:
            row = connection.execute("SELECT said FROM reply WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            completion = _parse_completion(row[0])
            connection.execute("UPDATE reply SET hits = hits + 1, used = ? WHERE key = ?", (self._clock(), key))
        return completion

    def put(self, request: Mapping[str, Any], agent: str, completion: Completion) -> None:
        """Store a reply, unless the request has one.

        Raises:
            ConfigError: the file cannot be written.
        """
        now = self._clock()
        row = (
            request_key(request),
            request["model"],
            agent,
            _to_json(request),
            _to_json(asdict(completion)),
            now,
            now,
            0,
        )
        with self._connect() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO reply VALUES (?, ?, ?, ?, ?, ?, ?, ?)", tuple(map(_valid_text, row))
            )

    def find_replies(
        self, *, agent: str | None = None, key: str = "", before: StoredReply | None = None, limit: int = 1000
    ) -> Iterator[StoredReply]:
        """Yield replies, latest first: of one agent, with a key prefix, stored before another reply."""
        pattern = "".join(letter for letter in key if letter.isalnum()) + "%"
        latest = (float("inf"), "") if before is None else (before.stored_at, before.key)
        sql = (
            "SELECT * FROM reply WHERE key LIKE ? AND (? IS NULL OR agent = ?) AND (stored, key) < (?, ?)"
            " ORDER BY stored DESC, key DESC LIMIT ?"
        )
        with self._connect() as connection:
            rows = connection.execute(sql, (pattern, agent, agent, *latest, limit)).fetchall()
        for found_key, model, agent_name, request, reply, stored_at, used_at, hits in rows:
            yield StoredReply(
                found_key, model, agent_name, json.loads(request), _parse_completion(reply), stored_at, used_at, hits
            )

    def summarize(self) -> tuple[StoreSummary, ...]:
        """Return a summary for each model and agent."""
        tokens = "json_extract(said, '$.usage.prompt_tokens') + json_extract(said, '$.usage.completion_tokens')"
        usd = "coalesce(json_extract(said, '$.usage.usd'), 0)"
        with self._connect() as connection:
            rows = connection.execute(
                f"SELECT model, agent, count(*), sum(hits), sum(hits * ({tokens})), sum(hits * {usd}), sum({_SIZE}),"
                " min(stored), max(used) FROM reply GROUP BY model, agent ORDER BY model, agent"
            ).fetchall()
        return tuple(StoreSummary(*row) for row in rows)

    def prune(self, *, unused_for: float | None = None, model: str | None = None, max_bytes: int | None = None) -> int:
        """Delete replies that were not used for ``unused_for`` seconds, or of one model, or both; then the least
        recently used, until at most ``max_bytes`` are left. Return the number of deleted replies.

        Raises:
            ValueError: all arguments are None.
        """
        if unused_for is None and model is None and max_bytes is None:
            raise ValueError("nothing says which replies shall go")
        unused_before = float("inf") if unused_for is None else self._clock() - unused_for
        number = 0
        with self._connect() as connection:
            if unused_for is not None or model is not None:
                sql = "DELETE FROM reply WHERE used < ? AND (? IS NULL OR model = ?)"
                number += connection.execute(sql, (unused_before, model, model)).rowcount
            if max_bytes is not None:
                number += connection.execute(eviction_statement("reply", _SIZE), (max_bytes,)).rowcount
            connection.execute("VACUUM")
        return number

    def close(self) -> None:
        """Close the file; the next use reopens it."""
        self._file.close()

    def _connect(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._file.connect()


def _to_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _valid_text(value: Any) -> Any:
    """Return text that SQLite accepts: a lone surrogate becomes a JSON escape."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


def _parse_completion(text: str) -> Completion:
    value = json.loads(text)
    return Completion(value["text"], Usage(**value["usage"]), value["finish"])
