"""Conversations that outlive the service: each a thread of a LangGraph graph, checkpointed in a SQLite file."""

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

TurnAnswerer = Callable[[str, History], ServedTurn]
"""Takes a question and the conversation so far, returns the turn; may raise what an engine raises."""
MAX_SESSIONS = 10_000
MAX_BYTES = 1 << 30
"""Conversations that are kept in one file, and their size; of more, those go first that were idle for longest."""
MAX_TURNS = 200
MAX_TURN_BYTES = 4 << 20
"""Turns of one conversation, and their size: all are written again with each turn."""
_LONGEST_ID = 64
_GREGORIAN = 12_219_292_800
"""Seconds from the epoch of UUIDs to that of Unix."""


class SessionState(TypedDict, total=False):
    """The state of one conversation: what it is about, the question that is being asked, and its turns as JSON."""

    dataset: str
    question: str
    turns: Annotated[list[dict[str, Any]], operator.add]


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation as it is kept: its id, the name of its data set, its turns as plain JSON."""

    id: str
    dataset: str
    turns: tuple[dict[str, Any], ...] = ()


class SessionStore:
    """All conversations of one file (None: of this process's memory). Safe to use from many threads.

    The caller asks the turns of one conversation one after the other. A turn that fails is not kept. Of each
    conversation the newest checkpoint alone stays: it holds all turns. ``hours`` after its last turn a conversation
    expires and is deleted (0: never).

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
            # Plain JSON alone is written, so nothing else is ever to be read back: the file cannot name code to run.
            self._saver = SqliteSaver(self._connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
            self._saver.setup()
            self._hours, self._most, self._most_turns = hours, max_sessions, max_turns
            self.delete_expired()
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"{path}: conversations cannot be kept there ({error})") from error
        self._graph = _compiled(self._saver)

    def open_session(self, dataset: str) -> Session:
        """Open a conversation about a data set; it is kept from its first turn on."""
        return Session(secrets.token_urlsafe(18), dataset)

    def find_session(self, id: str) -> Session | None:
        """Return a conversation; None if there is none of this id, or not any more."""
        if not id or len(id) > _LONGEST_ID or not id.isprintable():
            return None
        state = self._graph.get_state(_thread(id))
        if not state.values.get("dataset"):
            return None
        if state.config["configurable"]["checkpoint_id"] < self._oldest():
            self.delete_session(id)
            return None
        return Session(id, state.values["dataset"], tuple(state.values.get("turns", ())))

    def ask_question(self, session: Session, question: str, answer_turn: TurnAnswerer) -> Session:
        """Ask the next question of a conversation, and return the conversation with it.

        Raises:
            ChattyError: as ``answering`` does; the conversation stays as it was.
        """
        asked: SessionState = {"dataset": session.dataset, "question": question}
        made = self._graph.invoke(asked, _thread(session.id), context=answer_turn, durability="exit")
        self._delete_older(session.id)
        if len(made["turns"]) == 1:
            self.delete_expired()
        return Session(session.id, session.dataset, tuple(made["turns"]))

    def is_full(self, session: Session) -> bool:
        """Say whether a conversation has no room for another turn."""
        size = sum(len(json.dumps(turn)) for turn in session.turns)
        return len(session.turns) >= self._most_turns or size > MAX_TURN_BYTES

    def delete_session(self, id: str) -> None:
        """Delete a conversation, if it is there."""
        self._saver.delete_thread(id)

    def delete_expired(self) -> None:
        """Delete the conversations that have expired, and of too many those that were idle for longest."""
        newest_first = "OVER (ORDER BY checkpoint_id DESC)"
        expired = (
            f"SELECT thread_id FROM (SELECT thread_id, checkpoint_id, ROW_NUMBER() {newest_first} AS number, "  # noqa: S608
            f"SUM(LENGTH(checkpoint)) {newest_first} AS size FROM checkpoints) "
            "WHERE checkpoint_id < ? OR number > ? OR (size > ? AND number > 1)"
        )
        with self._saver.cursor() as cursor:
            gone = cursor.execute(expired, (self._oldest(), self._most, MAX_BYTES)).fetchall()
            for table in ("checkpoints", "writes"):
                cursor.executemany(f"DELETE FROM {table} WHERE thread_id = ?", gone)  # noqa: S608

    def _oldest(self) -> str:
        """Return what the checkpoints of conversations that are not expired have larger ids than.

        The ids are UUIDs of version 6, which begin with the time in units of 100 ns.
        """
        if not self._hours:
            return ""
        ticks = int((time.time() - self._hours * 3600 + _GREGORIAN) * 10_000_000)
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
        """Delete the checkpoints before the newest, which the saver would keep for ever (ids grow with time)."""
        newest = "(SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = ?)"
        with self._saver.cursor() as cursor:
            for table in ("checkpoints", "writes"):
                cursor.execute(f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_id < {newest}", (id, id))  # noqa: S608


def _compiled(saver: SqliteSaver) -> Any:
    builder: Any = StateGraph(SessionState, context_schema=Any)
    builder.add_node("turn", _turn)
    builder.add_edge(START, "turn")
    builder.add_edge("turn", END)
    return builder.compile(checkpointer=saver)


def _turn(state: SessionState, runtime: Any) -> SessionState:
    answering: TurnAnswerer = runtime.context
    made = answering(state["question"], tuple(map(to_exchange, state.get("turns", ()))))
    return {"turns": [made.to_json()]}


def _thread(id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": id}}
