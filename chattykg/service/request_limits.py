"""How much and how long: bounds on bodies, connections and time. What passes a bound is refused in one sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 64 << 10
"""Bytes of a body; a question has some hundred."""
MAX_DRAINED_BYTES = 64 << 20
"""Bytes that are read of a body that is refused: a client that is cut off while it sends does not see the answer."""
RETRY_HEADERS = {"Retry-After": "5"}
_CLOSE = {"Connection": "close"}


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What one client may take: seconds from connecting to the end of a request's head, for its body, between two
    requests, for reading an answer, and open connections of all clients. A stop waits ``grace_seconds`` for answers."""

    head_seconds: float = 10
    body_seconds: float = 30
    idle_seconds: int = 5
    unread_seconds: float = 30
    grace_seconds: float = 10
    connections: int = 1_000


class InFlightRequests:
    """The requests that are being answered, which the end of the service may cut off."""

    def __init__(self) -> None:
        self.is_cut = False
        self.cut_count = 0
        self.tasks: set[asyncio.Task[Any]] = set()

    def cut_off(self) -> None:
        """Have every request answered with 503 now, whatever it waits for."""
        self.is_cut, self.cut_count = True, len(self.tasks)
        for task in self.tasks:
            task.cancel()


class RequestLimitsMiddleware:
    """An application whose requests have small bodies that come in time.

    A request whose client hangs up is canceled: it leaves the queue that it waits in; a thread that answers it already
    goes on to its end.
    """

    def __init__(self, app: ASGIApp, limits: RequestLimits, in_flight: InFlightRequests) -> None:
        self._app, self._limits, self._in_flight = app, limits, in_flight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, and hand the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        task = asyncio.current_task()
        assert task is not None
        answer = _Started(send)
        self._in_flight.tasks.add(task)
        try:
            await self._answer(scope, receive, answer)
        except asyncio.CancelledError:
            if not self._in_flight.is_cut:
                raise
            task.uncancel()
            if not answer.has_started:
                stopping = "the service stops: ask again in some seconds"
                await error_response(503, stopping, {**RETRY_HEADERS, **_CLOSE})(scope, receive, send)
        finally:
            self._in_flight.tasks.discard(task)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        seconds = self._limits.body_seconds
        try:
            async with asyncio.timeout(seconds):
                body, size = await _body(receive)
        except TimeoutError:
            await error_response(408, f"the body took more than {seconds:g} s", _CLOSE)(scope, receive, send)
            return
        if body is None:
            return
        if size > MAX_BODY_BYTES:
            said = f"the body has more than {MAX_BODY_BYTES >> 10} kB; a question is shorter"
            await error_response(413, said, _CLOSE if size > MAX_DRAINED_BYTES else None)(scope, receive, send)
            return
        with anyio.CancelScope() as answering:
            watch = asyncio.create_task(_cancel_when_gone(receive, answering))
            try:
                await self._app(scope, _Again(body, receive), send)
            finally:
                watch.cancel()


class _Started:
    """Sends an answer, and knows whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send, self.has_started = send, False

    async def __call__(self, message: Message) -> None:
        self.has_started = True
        await self._send(message)


async def _cancel_when_gone(receive: Receive, answering: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    answering.cancel()


class _Again:
    """Hands out a body that was read, then what else comes."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body, self._receive, self._told = body, receive, False

    async def __call__(self) -> Message:
        if self._told:
            return await self._receive()
        self._told = True
        return {"type": "http.request", "body": self._body, "more_body": False}


async def _body(receive: Receive) -> tuple[bytes | None, int]:
    """Return a body, cut at the most that is taken, and its size; None if the client is gone."""
    body, size = bytearray(), 0
    while size <= MAX_DRAINED_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None, size
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= MAX_BODY_BYTES:
            body += chunk
        if not message.get("more_body", False):
            break
    return bytes(body), size


def error_response(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return an answer that says in one sentence why there is none."""
    shown: dict[str, Any] = {"detail": message}
    return JSONResponse(shown, status, headers=dict(headers or {}))
