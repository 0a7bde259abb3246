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

from chattykg.service.datasets import Dataset, Desk
from chattykg.service.origins import SameOrigin
from chattykg.service.page import page
from chattykg.service.request_limits import RETRY, Bounded, InFlight, Limits, refusal
from chattykg.service.sessions import Session, Sessions
from chattykg.service.turns import reply

T = TypeVar("T")
QUEUE = 1_000
"""Requests that may wait for one of the workers; of more, each is told to come again."""
WAITING = 8
"""Requests that may wait for one conversation while it answers another."""

_MISSING = (
    "the {} missing: GET /?question=...&dataset=... returns a query; the page to talk on is this address in a browser "
    "(Accept: text/html), and POST /chat is the conversation for programs"
)
_NO_JSON = 'send a JSON object with Content-Type: application/json, such as {"question": "..."}'
router = APIRouter()


@dataclass(frozen=True)
class Said:
    """What is said in a conversation: about a data set (the only one unless named), in a session (a new one unless
    named)."""

    question: str
    dataset: str = ""
    session: str = ""


class Crew:
    """Answers questions in threads, a few at a time; the event loop stays free for those who wait."""

    def __init__(self, workers: int) -> None:
        self._workers, self._waiting = workers, 0
        self._limiter: anyio.CapacityLimiter | None = None
        self._talks: dict[str, tuple[asyncio.Lock, int]] = {}

    async def do(self, function: Callable[[], T]) -> T:
        """Run a function when a worker is free; once begun, it is run to its end even if the client has gone.

        Raises:
            HTTPException: 503, too many wait already.
        """
        self._limiter = self._limiter or anyio.CapacityLimiter(self._workers)
        if self._waiting >= QUEUE:
            raise HTTPException(503, "too many questions are waiting: ask again in some seconds", RETRY)
        self._waiting += 1
        try:
            return await anyio.to_thread.run_sync(function, limiter=self._limiter)
        finally:
            self._waiting -= 1

    @asynccontextmanager
    async def alone(self, session: str) -> AsyncIterator[None]:
        """Let one request at a time work on a conversation ("": a new one); others wait in order, and hold no worker.

        Raises:
            HTTPException: 429, too many wait for this conversation already.
        """
        if not session:
            yield
            return
        lock, present = self._talks.get(session, (asyncio.Lock(), 0))
        if present > WAITING:
            raise HTTPException(429, "too many questions wait for this session: ask again when it has answered", RETRY)
        self._talks[session] = lock, present + 1
        try:
            async with lock:
                yield
        finally:
            lock, present = self._talks.pop(session)
            if present > 1:
                self._talks[session] = lock, present - 1


@dataclass(frozen=True, slots=True)
class Serving:
    """What the addresses work with."""

    desk: Desk
    sessions: Sessions
    crew: Crew
    version: str


def make_app(  # noqa: PLR0913
    desk: Desk,
    sessions: Sessions,
    *,
    workers: int = 4,
    version: str = "",
    hosts: Iterable[str] = (),
    limits: Limits | None = None,
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
    app.state.serving = Serving(desk, sessions, Crew(workers), version)
    app.state.limits, app.state.in_flight = limits or Limits(), InFlight()
    app.include_router(router)
    app.add_middleware(SameOrigin, names=hosts)
    app.add_middleware(Bounded, limits=app.state.limits, in_flight=app.state.in_flight)
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
        html, policy = page()
        return HTMLResponse(html, headers={"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"})
    if question is None or dataset is None:
        missing = [name for name, given in (("question", question), ("dataset", dataset)) if given is None]
        named = f"parameter {missing[0]} is" if len(missing) == 1 else f"parameters {' and '.join(missing)} are"
        raise HTTPException(422, _MISSING.format(named))
    found = serving.desk.datasets.get(dataset)
    if found is None:
        raise HTTPException(404, f"unknown dataset {dataset[:200]!r}: {serving.desk.known()}")
    text = await serving.crew.do(partial(found.query, _clean(question)))
    return {"dataset": dataset, "question": question, "query": text}


@router.post("/chat")
async def chat(request: Request, said: Said) -> dict[str, Any]:
    """Ask the next question of a conversation."""
    serving = _serving(request)
    question = _clean(said.question)
    if not question.strip():
        raise HTTPException(422, "the question is empty")

    async with serving.crew.alone(said.session):
        session = await anyio.to_thread.run_sync(_session, serving, said)
        about = _dataset(serving, session.dataset)
        session = await serving.crew.do(partial(serving.sessions.ask, session, question, about.turn))
    return {**_about(session), **reply(session.turns[-1], len(session.turns))}


@router.get("/chat/{id}")
async def told(request: Request, id: str) -> dict[str, Any]:
    """Return a conversation so far."""
    session = await anyio.to_thread.run_sync(_serving(request).sessions.get, id)
    if session is None:
        raise HTTPException(404, "there is no such session")
    return {**_about(session), "turns": [reply(turn, number) for number, turn in enumerate(session.turns, 1)]}


@router.delete("/chat/{id}", status_code=204)
async def forget(request: Request, id: str) -> None:
    """Delete a conversation, when it has answered what it was asked before."""
    serving = _serving(request)
    async with serving.crew.alone(id):
        await anyio.to_thread.run_sync(serving.sessions.forget, id)


@router.get("/health")
async def health(request: Request) -> dict[str, Any]:
    """Say that the service is there, and what it serves."""
    serving = _serving(request)
    datasets = [dataset.about() for dataset in serving.desk.datasets.values()]
    return {"status": "ok", "datasets": datasets, "model": serving.desk.model, "version": serving.version}


def _serving(request: Request) -> Serving:
    serving: Serving = request.app.state.serving
    return serving


def _session(serving: Serving, said: Said) -> Session:
    """Return the conversation that is gone on with, or a new one."""
    if not said.session:
        return serving.sessions.begin(_dataset(serving, said.dataset).name)
    found = serving.sessions.get(said.session)
    if found is None:
        raise HTTPException(404, "there is no such session: leave it out to begin one")
    if said.dataset not in ("", found.dataset):
        raise HTTPException(409, f"this session is about the dataset {found.dataset}: leave it out to begin another")
    if serving.sessions.is_full(found):
        raise HTTPException(
            409, f"this session has {len(found.turns)} turns, which fill it: leave it out to begin another"
        )
    return found


def _dataset(serving: Serving, name: str) -> Dataset:
    found = serving.desk.find(name)
    if found is None and not name:
        raise HTTPException(422, f"name the dataset: {serving.desk.known()}")
    if found is None:
        raise HTTPException(404, f"unknown dataset {name[:200]!r}: {serving.desk.known()}")
    return found


def _about(session: Session) -> dict[str, Any]:
    return {"session": session.id, "dataset": session.dataset}


def _clean(text: str) -> str:
    """Return text that can be written as UTF-8: JSON may bring half a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, StarletteHTTPException)
    return refusal(error.status_code, str(error.detail), error.headers)


async def _invalid(_: Request, error: Exception) -> Response:
    """Say what is wrong with a request, the first thing that is."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:] if isinstance(part, str))
    if first["type"] == "json_invalid":
        return refusal(422, f"the body is not JSON: {_NO_JSON}")
    # What is wrong with the body as a whole is said by the validator in names of Python's.
    return refusal(422, f"{place}: {first['msg']}" if place else _NO_JSON)


async def _failed(_: Request, error: Exception) -> Response:
    """Say what of the world failed: 503 where it may pass, 502 where the question alone could not be answered."""
    passing = isinstance(error, EndpointUnavailable | ModelUnavailable | BudgetSpent)
    said = " ".join(str(error).split())[:500]
    return refusal(503, said, RETRY) if passing else refusal(502, said)


async def _broken(_: Request, error: Exception) -> Response:
    return refusal(500, f"the service failed at this request ({type(error).__name__}); its log tells more")
