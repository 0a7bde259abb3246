"""Conversations that outlive the service: each a thread of a LangGraph graph, checkpointed in a SQLite file."""

from __future__ import annotations

import operator
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, TypedDict

from chattyshared.dialogue import History
from chattyshared.errors import ConfigError
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from chattykg.service.turns import Turn, exchange

Answering = Callable[[str, History], Turn]
"""Takes a question and the conversation so far, returns the turn; may raise what an engine raises."""
_LONGEST_ID = 64


class Talk(TypedDict, total=False):
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


class Sessions:
    """All conversations of one file (None: of this process's memory). Safe to use from many threads.

    Turns of one conversation are answered one after the other. A turn that fails is not kept. Of each conversation
    the newest checkpoint alone stays: it holds all turns.

    Raises:
        ConfigError: the file cannot be used.
    """

    def __init__(self, path: Path | None = None) -> None:
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path or ":memory:", check_same_thread=False, timeout=30)
            # Plain JSON alone is written, so nothing else is ever to be read back: the file cannot name code to run.
            self._saver = SqliteSaver(self._connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
            self._saver.setup()
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"{path}: conversations cannot be kept there ({error})") from error
        self._graph = _compiled(self._saver)
        self._locks: dict[str, tuple[threading.Lock, int]] = {}
        self._lock = threading.Lock()

    def begin(self, dataset: str) -> Session:
        """Open a conversation about a data set; it is kept from its first turn on."""
        return Session(secrets.token_urlsafe(18), dataset)

    def get(self, id: str) -> Session | None:
        """Return a conversation; None if there is none of this id."""
        if not id or len(id) > _LONGEST_ID or not id.isprintable():
            return None
        found = self._graph.get_state(_thread(id)).values
        return Session(id, found["dataset"], tuple(found.get("turns", ()))) if found.get("dataset") else None

    def ask(self, session: Session, question: str, answering: Answering) -> Session:
        """Ask the next question of a conversation, and return the conversation with it.

        Raises:
            ChattyError: as ``answering`` does; the conversation stays as it was.
        """
        with self._alone(session.id):
            asked: Talk = {"dataset": session.dataset, "question": question}
            made = self._graph.invoke(asked, _thread(session.id), context=answering, durability="exit")
            self._forget_older(session.id)
        return Session(session.id, session.dataset, tuple(made["turns"]))

    def forget(self, id: str) -> None:
        """Delete a conversation, if it is there."""
        with self._alone(id):
            self._saver.delete_thread(id)

    def close(self) -> None:
        """Close the file."""
        with self._saver.lock:
            self._connection.close()

    def __enter__(self) -> Sessions:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _alone(self, id: str) -> Iterator[None]:
        """Let one thread at a time work on a conversation; locks that nobody waits for are dropped."""
        with self._lock:
            lock, waiting = self._locks.get(id, (threading.Lock(), 0))
            self._locks[id] = lock, waiting + 1
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, waiting = self._locks.pop(id)
                if waiting > 1:
                    self._locks[id] = lock, waiting - 1

    def _forget_older(self, id: str) -> None:
        """Drop the checkpoints before the newest, which the saver would keep for ever (ids grow with time)."""
        newest = "(SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = ?)"
        with self._saver.lock, closing(self._connection.cursor()) as cursor:
            for table in ("checkpoints", "writes"):
                cursor.execute(f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_id < {newest}", (id, id))  # noqa: S608
            self._connection.commit()


def _compiled(saver: SqliteSaver) -> Any:
    builder: Any = StateGraph(Talk, context_schema=Any)
    builder.add_node("turn", _turn)
    builder.add_edge(START, "turn")
    builder.add_edge("turn", END)
    return builder.compile(checkpointer=saver)


def _turn(state: Talk, runtime: Any) -> Talk:
    answering: Answering = runtime.context
    made = answering(state["question"], tuple(map(exchange, state.get("turns", ()))))
    return {"turns": [made.kept()]}


def _thread(id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": id}}
