"""Stored conversations: each is a thread of a LangGraph graph, checkpointed in a SQLite file."""

from __future__ import annotations

import json
import operator
import secrets
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, TypedDict

from chattyshared.dialogue import History
from chattyshared.errors import ConfigError
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from chattykg.service.turns import ServedTurn, to_exchange
from chattykg.steps import AnswerProgress

TurnAnswerer = Callable[[str, History, AnswerProgress], ServedTurn]
"""Takes a question, the history and the progress, returns the turn; may raise what an engine raises."""
MAX_SESSIONS = 10_000
MAX_BYTES = 1 << 30
"""Conversations in one file, and their size in bytes; beyond these, the longest idle ones are deleted."""
MAX_TURNS = 200
MAX_TURN_BYTES = 4 << 20
"""Turns of one conversation, and their size in bytes; all are written again with each turn."""
_MAX_ID_LENGTH = 64
_UUID_EPOCH_OFFSET = 12_219_292_800
"""Seconds from the epoch of UUIDs to the Unix epoch."""


class SessionState(TypedDict, total=False):
    """The state of one conversation: its data set, its owner, and its turns as JSON."""

    dataset: str
    owner: str
    turns: Annotated[list[dict[str, Any]], operator.add]


@dataclass(frozen=True, slots=True)
class Session:
    """A stored conversation: its id, the name of its data set, its turns as plain JSON, and its owner.

    The owner is the name of the API key that opened it; "" where no keys are asked for.
    """

    id: str
    dataset: str
    turns: tuple[dict[str, Any], ...] = ()
    owner: str = ""


class SessionStore:
    """All conversations of one file (None: in memory). It is thread-safe.

    The caller asks the turns of one conversation one after the other. A failed turn is not stored. Only the newest
    checkpoint of a conversation is kept, because it holds all turns. A conversation expires ``hours`` after its last
    turn and is deleted (0: never).

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
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path or ":memory:", check_same_thread=False, timeout=30)
            # Only plain JSON is written, so nothing else is read back: the file cannot name code to run.
            self._saver = SqliteSaver(self._connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
            self._saver.setup()
            self._hours, self._max_sessions, self._max_turns = hours, max_sessions, max_turns
            self.delete_expired()
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"{path}: conversations cannot be kept there ({error})") from error
        self._graph = _compile_graph(self._saver)

    def open_session(self, dataset: str, owner: str = "") -> Session:
        """Open a conversation about a data set; it is stored from its first turn on."""
        return Session(secrets.token_urlsafe(18), dataset, owner=owner)

    def find_session(self, id: str, owner: str = "") -> Session | None:
        """Return a conversation of an owner; None if there is none with this id, or if it has expired."""
        if not id or len(id) > _MAX_ID_LENGTH or not id.isprintable():
            return None
        state = self._graph.get_state(_thread_config(id))
        if not state.values.get("dataset") or state.values.get("owner", "") != owner:
            return None
        if state.config["configurable"]["checkpoint_id"] < self._oldest_valid_id():
            self.delete_session(id)
            return None
        return Session(id, state.values["dataset"], tuple(state.values.get("turns", ())), owner)

    def ask_question(
        self, session: Session, question: str, answer_turn: TurnAnswerer, progress: AnswerProgress | None = None
    ) -> Session:
        """Ask the next question of a conversation and return the conversation with the new turn.

        Raises:
            ChattyError: as ``answer_turn`` does; or ``progress`` is stopped. The conversation is unchanged.
        """
        progress = progress or AnswerProgress()
        turn = answer_turn(question, tuple(map(to_exchange, session.turns)), progress)
        progress.check_stop()
        state: SessionState = {"dataset": session.dataset, "owner": session.owner, "turns": [turn.to_json()]}
        result = self._graph.invoke(state, _thread_config(session.id), durability="exit")
        self._delete_older(session.id)
        if len(result["turns"]) == 1:
            self.delete_expired()
        return Session(session.id, session.dataset, tuple(result["turns"]), session.owner)

    def is_full(self, session: Session) -> bool:
        """Tell whether a conversation cannot take another turn."""
        size = sum(len(json.dumps(turn)) for turn in session.turns)
        return len(session.turns) >= self._max_turns or size > MAX_TURN_BYTES

    def delete_session(self, id: str) -> None:
        """Delete a conversation, if it exists."""
        self._saver.delete_thread(id)

    def count_sessions(self) -> int:
        """Return the number of stored conversations."""
        with self._saver.cursor(transaction=False) as cursor:
            row: tuple[int] = cursor.execute("SELECT COUNT(DISTINCT thread_id) FROM checkpoints").fetchone()
        return row[0]

    def delete_expired(self) -> None:
        """Delete expired conversations and, beyond the limits, the longest idle ones."""
        newest_first = "OVER (ORDER BY checkpoint_id DESC)"
        expired = (
            f"SELECT thread_id FROM (SELECT thread_id, checkpoint_id, ROW_NUMBER() {newest_first} AS number, "  # noqa: S608
            f"SUM(LENGTH(checkpoint)) {newest_first} AS size FROM checkpoints) "
            "WHERE checkpoint_id < ? OR number > ? OR (size > ? AND number > 1)"
        )
        with self._saver.cursor() as cursor:
            thread_ids = cursor.execute(expired, (self._oldest_valid_id(), self._max_sessions, MAX_BYTES)).fetchall()
            for table in ("checkpoints", "writes"):
                cursor.executemany(f"DELETE FROM {table} WHERE thread_id = ?", thread_ids)  # noqa: S608

    def _oldest_valid_id(self) -> str:
        """Return the smallest checkpoint id that is not expired.

        The ids are UUIDs of version 6, which begin with the time in units of 100 ns.
        """
        if not self._hours:
            return ""
        ticks = int((time.time() - self._hours * 3600 + _UUID_EPOCH_OFFSET) * 10_000_000)
        return f"{ticks >> 28:08x}-{ticks >> 12 & 0xFFFF:04x}-6{ticks & 0xFFF:03x}"

    def close(self) -> None:
        """Close the file."""
        with self._saver.lock:
            self._connection.close()

    def __enter__(self) -> SessionStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _delete_older(self, id: str) -> None:
        """Delete the checkpoints before the newest, which the saver would never delete (ids grow with time)."""
        newest = "(SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = ?)"
        with self._saver.cursor() as cursor:
            for table in ("checkpoints", "writes"):
                cursor.execute(f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_id < {newest}", (id, id))  # noqa: S608


def _compile_graph(saver: SqliteSaver) -> Any:
    builder: Any = StateGraph(SessionState)
    builder.add_node("turn", lambda _: {})
    builder.add_edge(START, "turn")
    builder.add_edge("turn", END)
    return builder.compile(checkpointer=saver)


def _thread_config(id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": id}}
