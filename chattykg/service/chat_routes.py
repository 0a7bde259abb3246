"""The routes of conversations: ask, whole or as a stream of steps; read; delete."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import anyio
from chattyshared.errors import ChattyError
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response, StreamingResponse

from chattykg.service.access.accounts import account_of
from chattykg.service.access.admission import admit_question
from chattykg.service.dependencies import ServiceParts, find_dataset, open_session, parts_of, require_question
from chattykg.service.errors import describe_failure
from chattykg.service.sessions import Session
from chattykg.service.turns import to_reply
from chattykg.steps import AnswerProgress, AnswerStep

EVENT_STREAM = "text/event-stream"
router = APIRouter()
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ChatRequest:
    """The body of POST /chat: a question, a data set (default: the only one), and a session (default: a new one)."""

    question: str
    dataset: str = ""
    session: str = ""


@router.post("/chat", response_model=None)
async def chat(request: Request, body: ChatRequest) -> dict[str, Any] | Response:
    """Ask the next question of a conversation; a client that accepts an event stream gets the steps too."""
    parts, question = parts_of(request), require_question(body.question)
    if EVENT_STREAM in request.headers.get("accept", ""):
        session = await _open_session(request, body)  # errors have their status here
        await admit_question(request, "chat", session.dataset).check_limits()
        return StreamingResponse(
            _stream_events(request, body, question), media_type=EVENT_STREAM, headers={"Cache-Control": "no-store"}
        )
    async with parts.pool.hold_session(body.session):
        session = await _open_session(request, body)
        async with admit_question(request, "chat", session.dataset) as admitted:
            reply = _last_turn(await parts.pool.run(partial(_answer, parts, session, question), admitted))
            admitted.record_status(reply["status"])
    return reply


async def _open_session(request: Request, body: ChatRequest) -> Session:
    parts, owner = parts_of(request), account_of(request).name
    return await anyio.to_thread.run_sync(open_session, parts, body.session, body.dataset, owner)


def _answer(parts: ServiceParts, session: Session, question: str, progress: AnswerProgress) -> Session:
    served = find_dataset(parts, session.dataset)
    return parts.sessions.ask_question(session, question, served.answer_turn, progress)


async def _stream_events(request: Request, body: ChatRequest, question: str) -> AsyncIterator[str]:
    """Yield the events ``step``, and ``answer`` or ``error``, as they happen; comments keep the connection alive."""
    parts = parts_of(request)
    try:
        async with parts.pool.hold_session(body.session):
            session = await _open_session(request, body)
            answer = partial(_answer, parts, session, question)
            async with admit_question(request, "chat", session.dataset) as admitted:
                yield _event("session", _session_header(session))
                async for item in parts.pool.stream(
                    lambda progress: catch_unexpected(partial(answer, progress)), admitted
                ):
                    reply = _last_turn(item) if isinstance(item, Session) else item
                    if isinstance(reply, dict):
                        admitted.record_status(reply["status"])
                    yield _render_item(reply)
    except (ChattyError, HTTPException) as error:
        failure = describe_failure(error)
        yield _event("error", {"status": failure.status, "detail": failure.message})


def _render_item(item: AnswerStep | dict[str, Any] | UnexpectedError | None) -> str:
    if item is None:
        return ": waiting\n\n"
    if isinstance(item, UnexpectedError):
        _logger.error("a question failed: %s\n%s", item, item.traceback)
        return _event("error", {"status": 500, "detail": item.sentence})
    return _event("step", asdict(item)) if isinstance(item, AnswerStep) else _event("answer", item)


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


@router.get("/chat/{id}")
async def get_conversation(request: Request, id: str) -> dict[str, Any]:
    """Return the turns of a conversation."""
    session = await anyio.to_thread.run_sync(parts_of(request).sessions.find_session, id, account_of(request).name)
    if session is None:
        raise HTTPException(404, "there is no such session")
    turns = [to_reply(turn, number) for number, turn in enumerate(session.turns, 1)]
    return {**_session_header(session), "turns": turns}


@router.delete("/chat/{id}", status_code=204)
async def delete_conversation(request: Request, id: str) -> None:
    """Delete a conversation after its running requests."""
    parts = parts_of(request)
    async with parts.pool.hold_session(id):
        if await anyio.to_thread.run_sync(parts.sessions.find_session, id, account_of(request).name) is not None:
            await anyio.to_thread.run_sync(parts.sessions.delete_session, id)


def _session_header(session: Session) -> dict[str, Any]:
    return {"session": session.id, "dataset": session.dataset}


def _last_turn(session: Session) -> dict[str, Any]:
    return {**_session_header(session), **to_reply(session.turns[-1], len(session.turns))}
