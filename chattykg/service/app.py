"""The service's addresses: TEXT2SPARQL's GET, conversations, health, and the page. Whatever fails says so in JSON."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import anyio
from chattyshared.errors import BudgetSpent, ChattyError, EndpointUnavailable, ModelUnavailable
from fastapi import APIRouter, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import HTMLResponse

from chattykg.service.datasets import DatasetRegistry, ServedDataset
from chattykg.service.origins import SameOriginMiddleware
from chattykg.service.page import load_page
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
"""Requests that may wait for one of the workers; of more, each is told to come again."""
MAX_WAITING_PER_SESSION = 8
"""Requests that may wait for one conversation while it answers another."""

_MISSING = (
    "the {} missing: GET /?question=...&dataset=... returns a query; the page to talk on is this address in a browser "
    "(Accept: text/html), and POST /chat is the conversation for programs"
)
_NO_JSON = 'send a JSON object with Content-Type: application/json, such as {"question": "..."}'
router = APIRouter()


@dataclass(frozen=True)
class ChatRequest:
    """What is said in a conversation: about a data set (the only one unless named), in a session (a new one unless
    named)."""

    question: str
    dataset: str = ""
    session: str = ""


class RequestPool:
    """Answers questions in threads, a few at a time; the event loop stays free for those who wait."""

    def __init__(self, workers: int) -> None:
        self._workers, self._waiting = workers, 0
        self._limiter: anyio.CapacityLimiter | None = None
        self._talks: dict[str, tuple[asyncio.Lock, int]] = {}

    async def run_in_thread(self, function: Callable[[], T]) -> T:
        """Run a function when a worker is free; once begun, it is run to its end even if the client has gone.

        Raises:
            HTTPException: 503, too many wait already.
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
        """Let one request at a time work on a conversation ("": a new one); others wait in order, and hold no worker.

        Raises:
            HTTPException: 429, too many wait for this conversation already.
        """
        if not session:
            yield
            return
        lock, present = self._talks.get(session, (asyncio.Lock(), 0))
        if present > MAX_WAITING_PER_SESSION:
            raise HTTPException(
                429, "too many questions wait for this session: ask again when it has answered", RETRY_HEADERS
            )
        self._talks[session] = lock, present + 1
        try:
            async with lock:
                yield
        finally:
            lock, present = self._talks.pop(session)
            if present > 1:
                self._talks[session] = lock, present - 1


@dataclass(frozen=True, slots=True)
class ServiceParts:
    """What the addresses work with."""

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
    """Make the application: ``workers`` questions are answered at a time. Sessions are closed when it ends.

    ``hosts`` are the names besides localhost and IP addresses by which clients may reach it.
    """

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        sessions.close()

    app = FastAPI(
        title="chattykg", version=version or "0", openapi_url=None, redirect_slashes=False, lifespan=life,
        strict_content_type=True,
    )  # fmt: skip
    app.state.serving = ServiceParts(registry, sessions, RequestPool(workers), version)
    app.state.limits, app.state.in_flight = limits or RequestLimits(), InFlightRequests()
    app.include_router(router)
    app.add_middleware(SameOriginMiddleware, names=hosts)
    app.add_middleware(RequestLimitsMiddleware, limits=app.state.limits, in_flight=app.state.in_flight)
    app.add_exception_handler(StarletteHTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ChattyError, _failed)
    app.add_exception_handler(Exception, _broken)
    return app


@router.get("/", response_model=None)
async def query(request: Request, question: str | None = None, dataset: str | None = None) -> Response | dict[str, str]:
    """Return the query that answers a question over a data set, as TEXT2SPARQL asks for it; to a browser, the page."""
    serving = _serving(request)
    if question is None and dataset is None and "text/html" in request.headers.get("accept", ""):
        html, policy = load_page()
        return HTMLResponse(html, headers={"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"})
    if question is None or dataset is None:
        missing = [name for name, given in (("question", question), ("dataset", dataset)) if given is None]
        named = f"parameter {missing[0]} is" if len(missing) == 1 else f"parameters {' and '.join(missing)} are"
        raise HTTPException(422, _MISSING.format(named))
    found = serving.registry.datasets.get(dataset)
    if found is None:
        raise HTTPException(404, f"unknown dataset {dataset[:200]!r}: {serving.registry.describe_names()}")
    text = await serving.pool.run_in_thread(partial(found.query_for, _clean(question)))
    return {"dataset": dataset, "question": question, "query": text}


@router.post("/chat")
async def chat(request: Request, body: ChatRequest) -> dict[str, Any]:
    """Ask the next question of a conversation."""
    serving = _serving(request)
    question = _clean(body.question)
    if not question.strip():
        raise HTTPException(422, "the question is empty")

    async with serving.pool.hold_session(body.session):
        session = await anyio.to_thread.run_sync(_session, serving, body)
        about = _dataset(serving, session.dataset)
        session = await serving.pool.run_in_thread(
            partial(serving.sessions.ask_question, session, question, about.answer_turn)
        )
    return {**_about(session), **to_reply(session.turns[-1], len(session.turns))}


@router.get("/chat/{id}")
async def get_conversation(request: Request, id: str) -> dict[str, Any]:
    """Return a conversation so far."""
    session = await anyio.to_thread.run_sync(_serving(request).sessions.find_session, id)
    if session is None:
        raise HTTPException(404, "there is no such session")
    return {**_about(session), "turns": [to_reply(turn, number) for number, turn in enumerate(session.turns, 1)]}


@router.delete("/chat/{id}", status_code=204)
async def delete_conversation(request: Request, id: str) -> None:
    """Delete a conversation, when it has answered what it was asked before."""
    serving = _serving(request)
    async with serving.pool.hold_session(id):
        await anyio.to_thread.run_sync(serving.sessions.delete_session, id)


@router.get("/health")
async def health(request: Request) -> dict[str, Any]:
    """Say that the service is there, and what it serves."""
    serving = _serving(request)
    datasets = [dataset.to_json() for dataset in serving.registry.datasets.values()]
    return {"status": "ok", "datasets": datasets, "model": serving.registry.model, "version": serving.version}


def _serving(request: Request) -> ServiceParts:
    serving: ServiceParts = request.app.state.serving
    return serving


def _session(serving: ServiceParts, said: ChatRequest) -> Session:
    """Return the conversation that is gone on with, or a new one."""
    if not said.session:
        return serving.sessions.open_session(_dataset(serving, said.dataset).name)
    found = serving.sessions.find_session(said.session)
    if found is None:
        raise HTTPException(404, "there is no such session: leave it out to begin one")
    if said.dataset not in ("", found.dataset):
        raise HTTPException(409, f"this session is about the dataset {found.dataset}: leave it out to begin another")
    if serving.sessions.is_full(found):
        raise HTTPException(
            409, f"this session has {len(found.turns)} turns, which fill it: leave it out to begin another"
        )
    return found


def _dataset(serving: ServiceParts, name: str) -> ServedDataset:
    found = serving.registry.find(name)
    if found is None and not name:
        raise HTTPException(422, f"name the dataset: {serving.registry.describe_names()}")
    if found is None:
        raise HTTPException(404, f"unknown dataset {name[:200]!r}: {serving.registry.describe_names()}")
    return found


def _about(session: Session) -> dict[str, Any]:
    return {"session": session.id, "dataset": session.dataset}


def _clean(text: str) -> str:
    """Return text that can be written as UTF-8: JSON may bring half a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, StarletteHTTPException)
    return error_response(error.status_code, str(error.detail), error.headers)


async def _invalid(_: Request, error: Exception) -> Response:
    """Say what is wrong with a request, the first thing that is."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:] if isinstance(part, str))
    if first["type"] == "json_invalid":
        return error_response(422, f"the body is not JSON: {_NO_JSON}")
    # What is wrong with the body as a whole is said by the validator in names of Python's.
    return error_response(422, f"{place}: {first['msg']}" if place else _NO_JSON)


async def _failed(_: Request, error: Exception) -> Response:
    """Say what of the world failed: 503 where it may pass, 502 where the question alone could not be answered."""
    passing = isinstance(error, EndpointUnavailable | ModelUnavailable | BudgetSpent)
    said = " ".join(str(error).split())[:500]
    return error_response(503, said, RETRY_HEADERS) if passing else error_response(502, said)


async def _broken(_: Request, error: Exception) -> Response:
    return error_response(500, f"the service failed at this request ({type(error).__name__}); its log tells more")
