"""How much one client may send: bodies that are too large are read to their end, thrown away, and refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST = 64 << 10
"""Bytes of a body; a question has some hundred."""
DRAINED = 64 << 20
"""Bytes that are read of a body that is refused: a client that is cut off while it sends does not see the answer."""


class Bounded:
    """An application whose requests have small bodies; a client that hangs up while it sends is forgotten."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, and hand the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body, size = await _body(receive)
        if body is None:
            return
        if size > LARGEST:
            said = f"the body has more than {LARGEST >> 10} kB; a question is shorter"
            await refusal(413, said)(scope, receive, send)
            return
        await self._app(scope, _Again(body, receive), send)


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
    while size <= DRAINED:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None, size
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= LARGEST:
            body += chunk
        if not message.get("more_body", False):
            break
    return bytes(body), size


def refusal(status: int, said: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return an answer that says in one sentence why there is none."""
    shown: dict[str, Any] = {"detail": said}
    return JSONResponse(shown, status, headers=dict(headers or {}))
