"""Failures of requests as responses: a status and one sentence, as JSON or as an event of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chattyshared.errors import (
    AnswerStopped,
    BudgetSpent,
    ChattyError,
    EndpointUnavailable,
    ModelUnavailable,
    StorageFailed,
    WorkersLost,
)
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from chattykg.service.access.daily_limits import DailyLimitReached
from chattykg.service.request_limits import RETRY_HEADERS, error_response

NO_RETRY_HEADERS = {"x-should-retry": "false"}
"""OpenAI's clients would ask again at once and wait."""
_NO_JSON = 'send a JSON object with Content-Type: application/json, such as {"question": "..."}'
_TEMPORARY = (EndpointUnavailable, ModelUnavailable, BudgetSpent, AnswerStopped, WorkersLost, StorageFailed)


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed request: the HTTP status, one sentence for people, the headers of the response, and for clients of
    OpenAI's API the parameter at fault and a code."""

    status: int
    message: str
    headers: Mapping[str, str] | None = None
    param: str = ""
    code: str = ""


class InvalidParameter(HTTPException):
    """A request whose parameter ``param`` is wrong, with a code for programs."""

    def __init__(self, message: str, param: str = "", *, status: int = 400, code: str = "") -> None:
        super().__init__(status, message)
        self.param, self.code = param, code


def describe_failure(error: Exception) -> Failure:
    """Return what a client is told of an error: 429 if a limit a day is reached, 503 if it may pass, 502 if only this
    question failed, 500 if it was not expected."""
    if isinstance(error, InvalidParameter):
        return Failure(error.status_code, error.detail, param=error.param, code=error.code)
    if isinstance(error, HTTPException):
        return Failure(error.status_code, str(error.detail), error.headers)
    if isinstance(error, RequestValidationError):
        return Failure(422, _describe_invalid(error))
    if isinstance(error, DailyLimitReached):
        return Failure(429, str(error), {"Retry-After": str(error.seconds), **NO_RETRY_HEADERS})
    if isinstance(error, ChattyError):
        message = " ".join(str(error).split())[:500]
        return Failure(503, message, RETRY_HEADERS) if isinstance(error, _TEMPORARY) else Failure(502, message)
    return Failure(500, f"the service failed at this request ({type(error).__name__}); its log tells more")


def _describe_invalid(error: RequestValidationError) -> str:
    """Return the first problem of an invalid request."""
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"][1:] if isinstance(part, str))
    if first["type"] == "json_invalid":
        return f"the body is not JSON: {_NO_JSON}"
    # The validator's message about the whole body uses Python's names.
    return f"{path}: {first['msg']}" if path else _NO_JSON


def add_error_handlers(app: FastAPI) -> None:
    """Let an application reply to every error as ``describe_failure`` says."""
    for kind in (HTTPException, RequestValidationError, ChattyError, Exception):
        app.add_exception_handler(kind, _reply_failure)


async def _reply_failure(_: Request, error: Exception) -> Response:
    failure = describe_failure(error)
    return error_response(failure.status, failure.message, failure.headers, param=failure.param, code=failure.code)
