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
MAX_CONVERSATION_BYTES = 1 << 20
"""Bytes of a body that holds a conversation."""
MAX_HELD_BYTES = 128 << 20
"""Bytes of all bodies in memory; requests beyond it are refused with 503."""
MAX_DRAINED_BYTES = 64 << 20
"""Bytes that are read of a refused body: a client that is cut off while it sends does not see the response."""
RETRY_HEADERS = {"Retry-After": "5"}
_CLOSE_HEADERS = {"Connection": "close"}
OPENAI_PREFIX = "/v1/"
"""How the paths of OpenAI's API begin."""
_CONVERSATION_PATHS = frozenset({f"{OPENAI_PREFIX}chat/completions"})
_FINAL_STATUSES = (500, 501, 502)
"""Failures of one question, which would fail again."""
_OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_OPENAI_CODES = {401: "invalid_api_key", 404: "not_found", 413: "request_too_large", 429: "rate_limit_exceeded"}


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits in seconds for the head of a request (from the connection), its body, the pause between two requests and
    the reading of a response, and for the work on one answer; the open connections of all clients. A stop waits
    ``grace_seconds`` for responses."""

    head_seconds: float = 10
    body_seconds: float = 30
    idle_seconds: int = 5
    unread_seconds: float = 30
    answer_seconds: float = 120
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
        self._held_bytes = 0

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
        body, is_conversation = bytearray(), scope["path"] in _CONVERSATION_PATHS
        try:
            problem = await self._read(receive, body, MAX_CONVERSATION_BYTES if is_conversation else MAX_BODY_BYTES)
            if problem is None:
                await self._pass_on(scope, _ReplayedBody(bytes(body), receive), receive, send)
            else:
                await problem(scope, receive, send)
        except _ClientLeft:
            return
        finally:
            self._held_bytes -= len(body)

    async def _pass_on(self, scope: Scope, body: Receive, receive: Receive, send: Send) -> None:
        with anyio.CancelScope() as answering:
            watch = asyncio.create_task(_cancel_when_gone(receive, answering))
            try:
                await self._app(scope, body, send)
            finally:
                watch.cancel()

    async def _read(self, receive: Receive, body: bytearray, limit: int) -> ErrorResponse | None:
        """Read a body of at most ``limit`` bytes; return the response that refuses it, or None.

        Raises:
            _ClientLeft: the client is gone.
        """
        seconds = self._limits.body_seconds
        try:
            async with asyncio.timeout(seconds):
                size = await self._read_chunks(receive, body, limit)
        except TimeoutError:
            return error_response(408, f"the body took more than {seconds:g} s", _CLOSE_HEADERS)
        if size > limit:
            message = f"the body has more than {limit >> 10:,} kB; a question is shorter"
            return error_response(413, message, _CLOSE_HEADERS if size > MAX_DRAINED_BYTES else None)
        if size > len(body):
            return error_response(503, "too many long requests are open: ask again in some seconds", RETRY_HEADERS)
        return None

    async def _read_chunks(self, receive: Receive, body: bytearray, limit: int) -> int:
        """Append a body to ``body``, as far as it is within the limits, and return its size in bytes."""
        size = 0
        while size <= MAX_DRAINED_BYTES:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _ClientLeft
            chunk = message.get("body", b"")
            size += len(chunk)
            if size <= limit and self._held_bytes + len(chunk) <= MAX_HELD_BYTES:
                body += chunk
                self._held_bytes += len(chunk)
            if not message.get("more_body", False):
                break
        return size


class _ClientLeft(Exception):
    """The client closed the connection before its request was complete."""


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


def error_response(
    status: int, message: str, headers: Mapping[str, str] | None = None, *, param: str = "", code: str = ""
) -> ErrorResponse:
    """Return an error response with a message of one sentence; ``param`` and ``code`` are only shown under /v1/."""
    return ErrorResponse(status, message, headers, param=param, code=code)


class ErrorResponse(JSONResponse):
    """An error in the form that the clients of the requested path read: OpenAI's under /v1/, else ``{"detail"}``."""

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, *, param: str = "", code: str = ""
    ) -> None:
        super().__init__({"detail": message}, status, headers)
        self._extra_headers = dict(headers or {})
        self._error = {"error": describe_openai_error(status, message, param, code)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the error."""
        if not scope["path"].startswith(OPENAI_PREFIX):
            await super().__call__(scope, receive, send)
            return
        # OpenAI's clients repeat a request after each status from 500 on, unless this header forbids it.
        final = {"x-should-retry": "false"} if self.status_code in _FINAL_STATUSES else {}
        await JSONResponse(self._error, self.status_code, {**self._extra_headers, **final})(scope, receive, send)


def describe_openai_error(status: int, message: str, param: str = "", code: str = "") -> dict[str, Any]:
    """Return an error as OpenAI's clients read it."""
    kind = "server_error" if status >= 500 else _OPENAI_TYPES.get(status, "invalid_request_error")
    return {
        "message": message,
        "type": kind,
        "param": param or None,
        "code": code or _OPENAI_CODES.get(status) or None,
    }
