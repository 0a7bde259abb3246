"""Stored conversations: one table of a SQLite file, which several processes may share."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chattyshared.dialogue import History
from chattyshared.errors import ConfigError
from chattyshared.sqlite_file import SQLiteFile

from chattykg.service.errors import Failure
from chattykg.service.turns import ServedTurn, to_exchange

MAX_SESSIONS = 10_000
MAX_BYTES = 1 << 30
"""Conversations in one file, and their size in bytes; beyond these, the longest idle ones are deleted."""
MAX_TURNS = 200
MAX_TURN_BYTES = 4 << 20
"""Turns of one conversation, and their size in bytes; all are written again with each turn."""
_TROUBLE = "{path}: conversations cannot be kept there ({error})"
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS conversations "
    "(id TEXT PRIMARY KEY, dataset TEXT, owner TEXT, used REAL, turn_count INTEGER, turns BLOB)"
)
_WRITE = (
    "INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET used = excluded.used, "
    "turn_count = excluded.turn_count, turns = excluded.turns WHERE turn_count = excluded.turn_count - 1"
)
_DELETE_IDLE = (
    "DELETE FROM conversations WHERE id IN (SELECT id FROM (SELECT id, used, ROW_NUMBER() OVER newest AS number, "
    "SUM(LENGTH(turns)) OVER newest AS size FROM conversations WINDOW newest AS (ORDER BY used "
    "DESC)) WHERE used < ? OR number > ? OR (size > ? AND number > 1))"
)


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation: its id, the name of its data set, its turns as plain JSON with their bytes, and its owner.

    The owner is the name of the API key that opened it; "" where no keys are asked for.
    """

    id: str
    dataset: str
    turns: tuple[dict[str, Any], ...] = ()
    owner: str = ""
    bytes: int = 0

    @property
    def history(self) -> History:
        """The turns as an engine takes them."""
        return tuple(map(to_exchange, self.turns))


class SessionStore:
    """All conversations of one file (None: in memory). It is thread-safe.

    A conversation expires ``hours`` after its last turn and is deleted (0: never).

    Raises:
        ConfigError: the file cannot be used.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        hours: float = 24,
        max_sessions: int = MAX_SESSIONS,
        max_turns: int = MAX_TURNS,
    ) -> None:
        self._file = SQLiteFile(path or Path(":memory:"), _SCHEMA, _TROUBLE)
        self._hours, self._max_sessions, self._max_turns = hours, max_sessions, max_turns
        with self._file.connect() as connection:
            if connection.execute("SELECT name FROM sqlite_master WHERE name = 'checkpoints'").fetchone():
                raise ConfigError(f"{path}: its conversations are of version 0.2: name another file by --sessions")
        self.delete_idle()

    def open_session(self, dataset: str, owner: str = "") -> Session:
        """Open a conversation about a data set; it is stored from its first turn on."""
        return Session(secrets.token_urlsafe(18), dataset, owner=owner)

    def find_session(self, id: str, owner: str = "") -> Session | None:
        """Return a conversation of an owner; None if there is none with this id, or if it has expired."""
        with self._file.connect() as connection:
            statement = "SELECT dataset, turns, used FROM conversations WHERE id = ? AND owner = ?"
            row = connection.execute(statement, (id, owner)).fetchone()
        if row is None:
            return None
        if row[2] < self._oldest_use():
            self.delete_idle()
            return None
        return Session(id, row[0], tuple(json.loads(row[1])), owner, len(row[1]))

    def add_session(self, session: Session) -> None:
        """Store a conversation without a turn.

        Raises:
            Failure: 409, it is stored already.
        """
        self._write(session, [])

    def add_turn(self, session: Session, turn: ServedTurn) -> Session:
        """Add a turn to a conversation, and return the conversation with it.

        Raises:
            Failure: 409, another process added a turn to it meanwhile.
        """
        return self._write(session, [*session.turns, turn.to_json()])

    def forget_turns(self, session: Session) -> None:
        """Begin a conversation anew."""
        self.delete_session(session.id)
        self.add_session(session)

    def _write(self, session: Session, turns: Sequence[dict[str, Any]]) -> Session:
        packed = json.dumps(turns).encode()
        row = (session.id, session.dataset, session.owner, time.time(), len(turns), packed)
        with self._file.connect() as connection:
            if connection.execute(_WRITE, row).rowcount != 1:
                raise Failure(409, "another question of this session was answered meanwhile: ask again")
        if len(turns) <= 1:
            self.delete_idle()
        return replace(session, turns=tuple(turns), bytes=len(packed))

    def is_full(self, session: Session) -> bool:
        """Tell whether a conversation cannot take another turn."""
        return len(session.turns) >= self._max_turns or session.bytes > MAX_TURN_BYTES

    def delete_session(self, id: str) -> None:
        """Delete a conversation, if it exists."""
        self._execute("DELETE FROM conversations WHERE id = ?", id)

    def count_sessions(self) -> int:
        """Return the number of stored conversations."""
        with self._file.connect() as connection:
            return int(connection.execute("SELECT COUNT(*) FROM conversations").fetchone()[0])

    def delete_idle(self) -> None:
        """Delete expired conversations and, beyond the limits, those without a turn and the longest idle ones."""
        self._execute(_DELETE_IDLE, self._oldest_use(), self._max_sessions, MAX_BYTES)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> SessionStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _execute(self, statement: str, *values: object) -> None:
        with self._file.connect() as connection:
            connection.execute(statement, values)

    def _oldest_use(self) -> float:
        return time.time() - self._hours * 3600 if self._hours else 0.0
