"""The routes of the service: TEXT2SPARQL's GET, conversations, health, and the page. Errors are replied as JSON."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.resources import files
from typing import Any, TypeVar

import anyio
from chattyshared.errors import BudgetSpent, ChattyError, EndpointUnavailable, ModelUnavailable
from fastapi import APIRouter, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import HTMLResponse

from chattykg.service.datasets import DatasetRegistry, ServedDataset
from chattykg.service.origins import SameOriginMiddleware
from chattykg.service.request_limits import (
    RETRY_HEADERS,
    InFlightRequests,
    RequestLimits,
    RequestLimitsMiddleware,
    error_response,
)
from chattykg.service.sessions import Session, SessionStore
from chattykg.service.turns import to_reply

T = TypeVar("T")
MAX_QUEUED_REQUESTS = 1_000
"""Requests that may wait for one of the workers; further ones are refused with 503."""
MAX_WAITING_PER_SESSION = 8
"""Requests that may wait for one conversation while it answers; further ones are refused with 429."""

_MISSING = (
    "the {} missing: GET /?question=...&dataset=... returns a query; the page to talk on is this address in a browser "
    "(Accept: text/html), and POST /chat is the conversation for programs"
)
_NO_JSON = 'send a JSON object with Content-Type: application/json, such as {"question": "..."}'
router = APIRouter()


@dataclass(frozen=True)
class ChatRequest:
    """The body of POST /chat: a question, a data set (default: the only one), and a session (default: a new one)."""

    question: str
    dataset: str = ""
    session: str = ""


@lru_cache(maxsize=1)
def load_page() -> tuple[str, str]:
    """Return the page and its Content-Security-Policy, which allows its own script, style and requests."""
    html = files("chattykg.service").joinpath("page.html").read_text(encoding="utf-8")
    script, style = (_content_digest(html, tag) for tag in ("script", "style"))
    policy = (
        f"default-src 'none'; script-src {script}; style-src {style}; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return html, policy


def _content_digest(html: str, tag: str) -> str:
    match = re.search(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
    assert match is not None
    return f"'sha256-{base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()}'"


class RequestPool:
    """Answers questions in threads, a limited number at a time, so that the event loop stays free."""

    def __init__(self, workers: int) -> None:
        self._workers, self._waiting = workers, 0
        self._limiter: anyio.CapacityLimiter | None = None
        self._session_locks: dict[str, tuple[asyncio.Lock, int]] = {}

    async def run_in_thread(self, function: Callable[[], T]) -> T:
        """Run a function when a worker is free; it runs to its end even if the client disconnects.

        Raises:
            HTTPException: 503, too many requests wait already.
        """
        self._limiter = self._limiter or anyio.CapacityLimiter(self._workers)
        if self._waiting >= MAX_QUEUED_REQUESTS:
            raise HTTPException(503, "too many questions are waiting: ask again in some seconds", RETRY_HEADERS)
        self._waiting += 1
        try:
            return await anyio.to_thread.run_sync(function, limiter=self._limiter)
        finally:
            self._waiting -= 1

    @asynccontextmanager
    async def hold_session(self, session: str) -> AsyncIterator[None]:
        """Let one request at a time work on a session ("": a new one); others wait in order without a worker.

        Raises:
            HTTPException: 429, too many requests wait for this session already.
        """
        if not session:
            yield
            return
        lock, users = self._session_locks.get(session, (asyncio.Lock(), 0))
        if users > MAX_WAITING_PER_SESSION:
            raise HTTPException(
                429, "too many questions wait for this session: ask again when it has answered", RETRY_HEADERS
            )
        self._session_locks[session] = lock, users + 1
        try:
            async with lock:
                yield
        finally:
            lock, users = self._session_locks.pop(session)
            if users > 1:
                self._session_locks[session] = lock, users - 1


@dataclass(frozen=True, slots=True)
class ServiceParts:
    """The parts that the routes use."""

    registry: DatasetRegistry
    sessions: SessionStore
    pool: RequestPool
    version: str


def make_app(  # noqa: PLR0913
    registry: DatasetRegistry,
    sessions: SessionStore,
    *,
    workers: int = 4,
    version: str = "",
    hosts: Iterable[str] = (),
    limits: RequestLimits | None = None,
) -> FastAPI:
    """Return the application, which answers ``workers`` questions at a time and closes ``sessions`` at its end.

    ``hosts`` are the names by which clients may reach it, in addition to localhost and IP addresses.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        sessions.close()

    app = FastAPI(
        title="chattykg", version=version or "0", openapi_url=None, redirect_slashes=False, lifespan=lifespan,
        strict_content_type=True,
    )  # fmt: skip
    app.state.serving = ServiceParts(registry, sessions, RequestPool(workers), version)
    app.state.limits, app.state.in_flight = limits or RequestLimits(), InFlightRequests()
    app.include_router(router)
    app.add_middleware(SameOriginMiddleware, names=hosts)
    app.add_middleware(RequestLimitsMiddleware, limits=app.state.limits, in_flight=app.state.in_flight)
    app.add_exception_handler(StarletteHTTPException, _reply_http_error)
    app.add_exception_handler(RequestValidationError, _reply_invalid)
    app.add_exception_handler(ChattyError, _reply_failure)
    app.add_exception_handler(Exception, _reply_unexpected)
    return app


@router.get("/", response_model=None)
async def query(request: Request, question: str | None = None, dataset: str | None = None) -> Response | dict[str, str]:
    """Return the query that answers a question over a data set (TEXT2SPARQL's API); to a browser, the page."""
    parts = _parts(request)
    if question is None and dataset is None and "text/html" in request.headers.get("accept", ""):
        html, policy = load_page()
        return HTMLResponse(html, headers={"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"})
    if question is None or dataset is None:
        missing = [name for name, value in (("question", question), ("dataset", dataset)) if value is None]
        parameters = f"parameter {missing[0]} is" if len(missing) == 1 else f"parameters {' and '.join(missing)} are"
        raise HTTPException(422, _MISSING.format(parameters))
    served = parts.registry.datasets.get(dataset)
    if served is None:
        raise HTTPException(404, f"unknown dataset {dataset[:200]!r}: {parts.registry.describe_names()}")
    text = await parts.pool.run_in_thread(partial(served.query_for, _encodable(question)))
    return {"dataset": dataset, "question": question, "query": text}


@router.post("/chat")
async def chat(request: Request, body: ChatRequest) -> dict[str, Any]:
    """Ask the next question of a conversation."""
    parts = _parts(request)
    question = _encodable(body.question)
    if not question.strip():
        raise HTTPException(422, "the question is empty")

    async with parts.pool.hold_session(body.session):
        session = await anyio.to_thread.run_sync(_session, parts, body)
        served = _dataset(parts, session.dataset)
        session = await parts.pool.run_in_thread(
            partial(parts.sessions.ask_question, session, question, served.answer_turn)
        )
    return {**_session_header(session), **to_reply(session.turns[-1], len(session.turns))}


@router.get("/chat/{id}")
async def get_conversation(request: Request, id: str) -> dict[str, Any]:
    """Return the turns of a conversation."""
    session = await anyio.to_thread.run_sync(_parts(request).sessions.find_session, id)
    if session is None:
        raise HTTPException(404, "there is no such session")
    return {
        **_session_header(session),
        "turns": [to_reply(turn, number) for number, turn in enumerate(session.turns, 1)],
    }


@router.delete("/chat/{id}", status_code=204)
async def delete_conversation(request: Request, id: str) -> None:
    """Delete a conversation after its running requests."""
    parts = _parts(request)
    async with parts.pool.hold_session(id):
        await anyio.to_thread.run_sync(parts.sessions.delete_session, id)


@router.get("/health")
async def health(request: Request) -> dict[str, Any]:
    """Return the status of the service, its data sets, and its model."""
    parts = _parts(request)
    datasets = [dataset.to_json() for dataset in parts.registry.datasets.values()]
    return {"status": "ok", "datasets": datasets, "model": parts.registry.model, "version": parts.version}


def _parts(request: Request) -> ServiceParts:
    parts: ServiceParts = request.app.state.serving
    return parts


def _session(parts: ServiceParts, body: ChatRequest) -> Session:
    """Return the session of a request, or a new one."""
    if not body.session:
        return parts.sessions.open_session(_dataset(parts, body.dataset).name)
    session = parts.sessions.find_session(body.session)
    if session is None:
        raise HTTPException(404, "there is no such session: leave it out to begin one")
    if body.dataset not in ("", session.dataset):
        raise HTTPException(409, f"this session is about the dataset {session.dataset}: leave it out to begin another")
    if parts.sessions.is_full(session):
        raise HTTPException(
            409, f"this session has {len(session.turns)} turns, which fill it: leave it out to begin another"
        )
    return session


def _dataset(parts: ServiceParts, name: str) -> ServedDataset:
    served = parts.registry.find(name)
    if served is None and not name:
        raise HTTPException(422, f"name the dataset: {parts.registry.describe_names()}")
    if served is None:
        raise HTTPException(404, f"unknown dataset {name[:200]!r}: {parts.registry.describe_names()}")
    return served


def _session_header(session: Session) -> dict[str, Any]:
    return {"session": session.id, "dataset": session.dataset}


def _encodable(text: str) -> str:
    """Return text that can be encoded as UTF-8; JSON may hold half a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


async def _reply_http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, StarletteHTTPException)
    return error_response(error.status_code, str(error.detail), error.headers)


async def _reply_invalid(_: Request, error: Exception) -> Response:
    """Reply with the first problem of an invalid request."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"][1:] if isinstance(part, str))
    if first["type"] == "json_invalid":
        return error_response(422, f"the body is not JSON: {_NO_JSON}")
    # The validator's message about the whole body uses Python's names.
    return error_response(422, f"{path}: {first['msg']}" if path else _NO_JSON)


async def _reply_failure(_: Request, error: Exception) -> Response:
    """Reply to a failed endpoint or model: 503 if it may pass, 502 if only this question failed."""
    is_temporary = isinstance(error, EndpointUnavailable | ModelUnavailable | BudgetSpent)
    message = " ".join(str(error).split())[:500]
    return error_response(503, message, RETRY_HEADERS) if is_temporary else error_response(502, message)


async def _reply_unexpected(_: Request, error: Exception) -> Response:
    return error_response(500, f"the service failed at this request ({type(error).__name__}); its log tells more")
