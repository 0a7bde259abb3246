"""The way of a question, from any door: it is let in, waits for its conversation, is answered in a thread, and counted.

    items = follow_session(parts, account, "chat", question, id, open)
    reply = await last_answer(items)          # or: return await stream_events(items, render)

The items are the session, once the question is let in; then the steps as they happen, with None after some seconds of
silence; and the answer.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import anyio
from chattyshared.errors import ChattyError
from starlette.responses import StreamingResponse

from chattykg.service.access.accounts import Account
from chattykg.service.access.admission import AdmittedQuestion, Door
from chattykg.service.dependencies import ServiceParts, find_dataset
from chattykg.service.errors import Failure, describe_failure
from chattykg.service.sessions import Session
from chattykg.service.turns import ServedTurn
from chattykg.steps import AnswerProgress, AnswerStep

EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Answered:
    """An answered question; ``session`` is its conversation with this turn, ``read`` the numbers (from 1) of earlier
    turns whose answers are only known as text."""

    turn: ServedTurn
    session: Session | None = None
    read: tuple[int, ...] = ()


Items = AsyncGenerator[Session | AnswerStep | Answered | None]
Work = Callable[[AnswerProgress], Answered]


async def follow(parts: ServiceParts, account: Account, door: Door, session: Session, work: Work) -> Items:
    """Let a question in, let ``work`` answer it, and yield what happens.

    Raises:
        ChattyError: as the engine raises it; DailyLimitReached: a limit a day is reached.
        Failure: 503, too many questions wait; 504, it takes too long; 500, it failed unexpectedly.
    """
    async with AdmittedQuestion(parts.metrics, parts.budget, account, door, session.dataset) as admitted:
        parts.pool.require_room()
        yield session
        async with aclosing(parts.pool.stream(work, admitted)) as items:
            async for item in items:
                if isinstance(item, Answered):
                    admitted.record_status(item.turn.result.answer.status)
                yield item


async def follow_session(
    parts: ServiceParts, account: Account, door: Door, question: str, id: str, find: Callable[[], Session]
) -> Items:
    """Ask the next question of the stored conversation with an id ("": a new one), which ``find`` returns.

    Raises:
        ChattyError, Failure: as ``follow`` and ``find`` do; 429, too many questions wait for the conversation;
            409, it is full.
    """
    async with parts.pool.hold_session(id):
        session = await anyio.to_thread.run_sync(find)
        if parts.sessions.is_full(session):
            raise Failure(409, f"this session has {len(session.turns)} turns, which fill it: begin another")

        def work(progress: AnswerProgress) -> Answered:
            turn = find_dataset(parts, session.dataset).answer_turn(question, session.history, progress)
            progress.check_stop()
            return Answered(turn, parts.sessions.add_turn(session, turn))

        async with aclosing(follow(parts, account, door, session, work)) as items:
            async for item in items:
                yield item


async def last_answer(items: Items) -> Answered:
    """Return the answer.

    Raises:
        ChattyError, Failure: as ``follow_session`` does.
    """
    answers = [item async for item in items if isinstance(item, Answered)]
    return answers[-1]


async def stream_events(
    items: Items, render: Callable[[Session | AnswerStep | Answered | Failure], Iterable[str]]
) -> StreamingResponse:
    """Return the events of a question as they happen; a comment for each silence. A failure is the last event.

    Raises:
        ChattyError, Failure: as ``follow_session`` does, before the question is let in.
    """
    session = await anext(items)
    assert isinstance(session, Session)

    async def render_items() -> AsyncIterator[str]:
        try:
            for event in render(session):
                yield event
            async with aclosing(items):
                async for item in items:
                    for event in (": waiting\n\n",) if item is None else render(item):
                        yield event
        except (ChattyError, Failure) as error:
            for event in render(describe_failure(error)):
                yield event

    return StreamingResponse(render_items(), media_type=EVENT_STREAM, headers={"Cache-Control": "no-store"})


def render_event(data: Any, name: str = "") -> str:
    """Return one event of a stream."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n"
