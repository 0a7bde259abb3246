"""Limits on request bodies, connections and time; a request beyond a limit is refused with one sentence."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import anyio
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chattykg.service.errors import OPENAI_PREFIX, RETRY_HEADERS, Failure

MAX_BODY_BYTES = 64 << 10
"""Bytes of a body; a question has some hundreds."""
MAX_CONVERSATION_BYTES = 1 << 20
"""Bytes of a body that holds a conversation, as those of OpenAI's API do."""
MAX_HELD_BYTES = 128 << 20
"""Bytes of all bodies in memory; requests beyond it are refused with 503."""
MAX_DRAINED_BYTES = 64 << 20
"""Bytes that are read of a refused body: a client that is cut off while it sends does not see the response."""
_CLOSE_HEADERS = {"Connection": "close"}


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


@dataclass(slots=True)
class InFlightRequests:
    """The number of requests that are being answered, and of those that the end of the service cut off."""

    count: int = 0
    cut_count: int = 0


class RequestLimitsMiddleware:
    """Middleware that accepts only small bodies that arrive in time.

    If the client disconnects, its request is canceled and leaves the queue.
    """

    def __init__(self, app: ASGIApp, limits: RequestLimits, in_flight: InFlightRequests) -> None:
        self._app, self._limits, self._in_flight = app, limits, in_flight
        self._held_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, and pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_started = False

        async def send_response(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        self._in_flight.count += 1
        try:
            await self._answer(scope, receive, send_response)
        except asyncio.CancelledError:  # the service stops
            self._in_flight.cut_count += 1
            if not has_started:
                message = "the service stops: ask again in some seconds"
                await Failure(503, message, {**RETRY_HEADERS, **_CLOSE_HEADERS})(scope, receive, send)
        finally:
            self._in_flight.count -= 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, is_conversation = bytearray(), scope["path"].startswith(OPENAI_PREFIX)
        try:
            failure = await self._read(receive, body, MAX_CONVERSATION_BYTES if is_conversation else MAX_BODY_BYTES)
            if failure is not None:
                await failure(scope, receive, send)
            else:
                await self._pass_on(scope, bytes(body), receive, send)
        except ClientDisconnect:
            return
        finally:
            self._held_bytes -= len(body)

    async def _pass_on(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        async def watch(answering: anyio.CancelScope) -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            answering.cancel()

        with anyio.CancelScope() as answering:
            watching = asyncio.create_task(watch(answering))
            try:
                await self._app(scope, replay, send)
            finally:
                watching.cancel()

    async def _read(self, receive: Receive, body: bytearray, limit: int) -> Failure | None:
        """Read a body of at most ``limit`` bytes into ``body``; return what refuses it, or None.

        Raises:
            ClientDisconnect: the client is gone.
        """
        size = 0
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while size <= MAX_DRAINED_BYTES:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    chunk = message.get("body", b"")
                    size += len(chunk)
                    if size <= limit and self._held_bytes + len(chunk) <= MAX_HELD_BYTES:
                        body += chunk
                        self._held_bytes += len(chunk)
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            return Failure(408, f"the body took more than {self._limits.body_seconds:g} s", _CLOSE_HEADERS)
        if size > limit:
            problem = f"the body has more than {limit >> 10:,} kB; a question is shorter"
            return Failure(413, problem, _CLOSE_HEADERS if size > MAX_DRAINED_BYTES else {})
        if size > len(body):
            return Failure(503, "too many long requests are open: ask again in some seconds", RETRY_HEADERS)
        return None
