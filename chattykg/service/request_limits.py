"""Limits on request bodies, connections and time; a request beyond a limit is refused with one sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 64 << 10
"""Bytes of a body; a question has some hundreds."""
MAX_DRAINED_BYTES = 64 << 20
"""Bytes that are read of a refused body: a client that is cut off while it sends does not see the response."""
RETRY_HEADERS = {"Retry-After": "5"}
_CLOSE_HEADERS = {"Connection": "close"}


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits in seconds for the head of a request (from the connection), its body, the pause between two requests and
    the reading of a response; the open connections of all clients. A stop waits ``grace_seconds`` for responses."""

    head_seconds: float = 10
    body_seconds: float = 30
    idle_seconds: int = 5
    unread_seconds: float = 30
    grace_seconds: float = 10
    connections: int = 1_000


class InFlightRequests:
    """The requests that are being answered; the end of the service may cut them off."""

    def __init__(self) -> None:
        self.is_cut = False
        self.cut_count = 0
        self.tasks: set[asyncio.Task[Any]] = set()

    def cut_off(self) -> None:
        """Cancel every request, so that it is answered with 503."""
        self.is_cut, self.cut_count = True, len(self.tasks)
        for task in self.tasks:
            task.cancel()


class RequestLimitsMiddleware:
    """Middleware that accepts only small bodies that arrive in time.

    If the client disconnects, its request is canceled and leaves the queue; a thread that already answers it continues
    to its end.
    """

    def __init__(self, app: ASGIApp, limits: RequestLimits, in_flight: InFlightRequests) -> None:
        self._app, self._limits, self._in_flight = app, limits, in_flight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, and pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        task = asyncio.current_task()
        assert task is not None
        response = _TrackedSend(send)
        self._in_flight.tasks.add(task)
        try:
            await self._answer(scope, receive, response)
        except asyncio.CancelledError:
            if not self._in_flight.is_cut:
                raise
            task.uncancel()
            if not response.has_started:
                message = "the service stops: ask again in some seconds"
                await error_response(503, message, {**RETRY_HEADERS, **_CLOSE_HEADERS})(scope, receive, send)
        finally:
            self._in_flight.tasks.discard(task)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        seconds = self._limits.body_seconds
        try:
            async with asyncio.timeout(seconds):
                body, size = await _read_body(receive)
        except TimeoutError:
            await error_response(408, f"the body took more than {seconds:g} s", _CLOSE_HEADERS)(scope, receive, send)
            return
        if body is None:
            return
        if size > MAX_BODY_BYTES:
            message = f"the body has more than {MAX_BODY_BYTES >> 10} kB; a question is shorter"
            await error_response(413, message, _CLOSE_HEADERS if size > MAX_DRAINED_BYTES else None)(
                scope, receive, send
            )
            return
        with anyio.CancelScope() as answering:
            watch = asyncio.create_task(_cancel_when_gone(receive, answering))
            try:
                await self._app(scope, _ReplayedBody(body, receive), send)
            finally:
                watch.cancel()


class _TrackedSend:
    """Sends a response, and records whether it has started."""

    def __init__(self, send: Send) -> None:
        self._send, self.has_started = send, False

    async def __call__(self, message: Message) -> None:
        self.has_started = True
        await self._send(message)


async def _cancel_when_gone(receive: Receive, answering: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    answering.cancel()


class _ReplayedBody:
    """Returns a body that was read already, then the further messages."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body, self._receive, self._is_replayed = body, receive, False

    async def __call__(self) -> Message:
        if self._is_replayed:
            return await self._receive()
        self._is_replayed = True
        return {"type": "http.request", "body": self._body, "more_body": False}


async def _read_body(receive: Receive) -> tuple[bytes | None, int]:
    """Return a body, cut at ``MAX_BODY_BYTES``, and its size in bytes; None if the client is gone."""
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
    """Return an error response with a message of one sentence."""
    content: dict[str, Any] = {"detail": message}
    return JSONResponse(content, status, headers=dict(headers or {}))
