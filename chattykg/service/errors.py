"""Failures of requests as responses: a status and one sentence, as JSON or as an event of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chattyshared.errors import (
    AnswerStopped,
    BudgetSpent,
    ChattyError,
    EndpointUnavailable,
    ModelUnavailable,
    StorageFailed,
    WorkersLost,
)
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from chattykg.service.access.daily_limits import DailyLimitReached

OPENAI_PREFIX = "/v1/"
"""How the paths of OpenAI's API begin, whose clients read errors in another form."""
RETRY_HEADERS = {"Retry-After": "5"}
_NO_RETRY_HEADERS = {"x-should-retry": "false"}
"""OpenAI's clients repeat a request after 429 and after each status from 500 on, unless this header forbids it."""
_FINAL_STATUSES = (500, 501, 502)
"""Failures of one question, which would fail again."""
_INVALID = "invalid_request_error"
_OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_OPENAI_CODES = {401: "invalid_api_key", 404: "not_found", 413: "request_too_large", 429: "rate_limit_exceeded"}
_TEMPORARY = (EndpointUnavailable, ModelUnavailable, BudgetSpent, AnswerStopped, WorkersLost, StorageFailed)


class Failure(HTTPException):
    """A failed request: the HTTP status, one sentence for people, the headers of the response, and for clients of
    OpenAI's API the part at fault and a word for programs ("" for none). As an ASGI application it sends itself."""

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, *, param: str = "", code: str = ""
    ) -> None:
        super().__init__(status, message, headers)
        self.param, self.code = param, code

    def to_openai(self) -> dict[str, Any]:
        """Return the error as OpenAI's clients read it."""
        kind = "server_error" if self.status_code >= 500 else _OPENAI_TYPES.get(self.status_code, _INVALID)
        code = self.code or _OPENAI_CODES.get(self.status_code)
        return {"error": {"message": self.detail, "type": kind, "param": self.param or None, "code": code}}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the error in the form that the clients of the requested path read."""
        status, headers = self.status_code, self.headers or {}
        if not scope["path"].startswith(OPENAI_PREFIX):
            response = JSONResponse({"detail": self.detail}, status, headers)
        else:
            final = _NO_RETRY_HEADERS if status in _FINAL_STATUSES else {}
            response = JSONResponse(self.to_openai(), 400 if status == 422 else status, {**headers, **final})
        await response(scope, receive, send)


def describe_failure(error: Exception) -> Failure:
    """Return what a client is told of an error: 429 if a limit a day is reached, 503 if it may pass, 502 if only this
    question failed, 500 if it was not expected."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, HTTPException):  # of Starlette
        return Failure(error.status_code, error.detail, error.headers)
    if isinstance(error, DailyLimitReached):
        return Failure(429, str(error), {"Retry-After": str(error.seconds), **_NO_RETRY_HEADERS})
    if isinstance(error, ChattyError):
        message = " ".join(str(error).split())[:500]
        return Failure(503, message, RETRY_HEADERS) if isinstance(error, _TEMPORARY) else Failure(502, message)
    return Failure(500, f"the service failed at this request ({type(error).__name__}); its log tells more")


def add_error_handlers(app: Starlette) -> None:
    """Let an application reply to every error as ``describe_failure`` says."""
    for kind in (HTTPException, ChattyError, Exception):
        app.add_exception_handler(kind, _reply_failure)


async def _reply_failure(_: Request, error: Exception) -> Any:
    return describe_failure(error)
