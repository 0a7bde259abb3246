"""Paid replies in one SQLite file, by request, as JSON; safe for many threads and processes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from chattyshared.model import Completion, Request, Usage
from chattyshared.sqlite_file import KeptRows

FILE_NAME = "replies.sqlite"
"""The name of the file in a cache folder."""


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


class ReplyStore(KeptRows):
    """The file of replies. What ``put`` has stored survives a kill; a forked process reopens the file."""

    table, columns, chosen = "reply", "model TEXT, agent TEXT, asked TEXT, said TEXT", "model = ?"
    size = "length(CAST(asked AS BLOB)) + length(CAST(said AS BLOB))"
    trouble = "{path}: the replies in it cannot be used ({error}): take it away, or name another folder"

    def get(self, key: str) -> Completion | None:
        """Return the reply of a key, and count the hit; None if there is none.

        Raises:
            ConfigError: the file cannot be read.
        """
        return self._find("said", key, _parse_completion)

    def put(self, request: Mapping[str, Any], agent: str, completion: Completion) -> None:
        """Store a reply, unless the request has one.

        Raises:
            ConfigError: the file cannot be written.
        """
        row = request["model"], agent, _to_json(request), _to_json(asdict(completion))
        self._keep(request_key(request), *map(_valid_text, row), replaces=False)

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
                f"SELECT model, agent, count(*), sum(hits), sum(hits * ({tokens})), sum(hits * {usd}),"
                f" sum({self.size}), min(stored), max(used) FROM reply GROUP BY model, agent ORDER BY model, agent"
            ).fetchall()
        return tuple(StoreSummary(*row) for row in rows)


def _to_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _valid_text(text: str) -> str:
    """Return text that SQLite accepts: a lone surrogate becomes a JSON escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _parse_completion(text: str) -> Completion:
    value = json.loads(text)
    return Completion(value["text"], Usage(**value["usage"]), value["finish"])
