"""The routes of questions: TEXT2SPARQL's GET, and conversations, whole or as a stream of steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

import anyio
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from chattykg.service.access.accounts import account_of
from chattykg.service.dependencies import Question, find_dataset, open_session, parts_of, read_body
from chattykg.service.errors import Failure
from chattykg.service.page_routes import PAGE
from chattykg.service.questions import (
    EVENT_STREAM,
    Answered,
    follow,
    follow_session,
    last_answer,
    render_event,
    stream_events,
)
from chattykg.service.sessions import Session
from chattykg.service.turns import to_reply
from chattykg.steps import AnswerProgress, AnswerStep

_USAGE = (
    "GET /?question=...&dataset=... returns a query; the page to talk on is this address in a browser (Accept: "
    "text/html), and POST /chat is the conversation for programs"
)


class ChatRequest(BaseModel):
    """The body of POST /chat: a question, a data set (default: the only one), and a session (default: a new one)."""

    question: Question
    dataset: str = ""
    session: str = ""


async def get_query(request: Request) -> Response:
    """Return the query that answers a question over a data set (TEXT2SPARQL's API); to a browser, the page."""
    parts, given = parts_of(request), request.query_params
    missing = [name for name in ("question", "dataset") if name not in given]
    if len(missing) == 2 and "text/html" in request.headers.get("accept", ""):
        return await PAGE.get_response("index.html", request.scope)
    if missing:
        raise Failure(422, f"missing: {' and '.join(missing)}; {_USAGE}")
    served = find_dataset(parts, given["dataset"])

    def work(progress: AnswerProgress) -> Answered:
        return Answered(served.find_query(given["question"], progress))

    items = follow(parts, account_of(request), "text2sparql", Session("", served.name), work)
    answer = (await last_answer(items)).turn.result.answer
    query = answer.sparql if answer.status in ("answered", "clarification") else ""
    return JSONResponse({"dataset": given["dataset"], "question": given["question"], "query": query})


async def chat(request: Request) -> Response:
    """Ask the next question of a conversation; a client that accepts an event stream gets the steps too."""
    parts, body, account = parts_of(request), await read_body(request, ChatRequest), account_of(request)
    find = partial(open_session, parts, body.session, body.dataset, account.name)
    items = follow_session(parts, account, "chat", body.question, body.session, find)
    if EVENT_STREAM in request.headers.get("accept", ""):
        return await stream_events(items, _render_item)
    return JSONResponse(_describe_answer(await last_answer(items)))


def _render_item(item: Session | AnswerStep | Answered | Failure) -> Iterator[str]:
    if isinstance(item, Session):
        yield render_event(_describe_session(item), "session")
    elif isinstance(item, AnswerStep):
        yield render_event(asdict(item), "step")
    elif isinstance(item, Answered):
        yield render_event(_describe_answer(item), "answer")
    else:
        yield render_event({"status": item.status_code, "detail": item.detail}, "error")


async def get_conversation(request: Request) -> Response:
    """Return the turns of a conversation."""
    session = await _find_session(request)
    if session is None:
        raise Failure(404, "there is no such conversation")
    turns = [to_reply(turn, number) for number, turn in enumerate(session.turns, 1)]
    return JSONResponse({**_describe_session(session), "turns": turns})


async def delete_conversation(request: Request) -> Response:
    """Delete a conversation after its running requests."""
    parts, id = parts_of(request), request.path_params["id"]
    async with parts.pool.hold_session(id):
        if await _find_session(request) is not None:
            await anyio.to_thread.run_sync(parts.sessions.delete_session, id)
    return Response(status_code=204)


async def _find_session(request: Request) -> Session | None:
    find, id = parts_of(request).sessions.find_session, request.path_params["id"]
    return await anyio.to_thread.run_sync(find, id, account_of(request).name)


def _describe_session(session: Session) -> dict[str, Any]:
    return {"session": session.id, "dataset": session.dataset}


def _describe_answer(answered: Answered) -> dict[str, Any]:
    assert answered.session is not None
    return {**_describe_session(answered.session), **to_reply(answered.session.turns[-1], len(answered.session.turns))}
