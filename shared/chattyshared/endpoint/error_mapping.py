"""What a request that brought no result means: which of our errors it is, and whose fault it may be."""

from __future__ import annotations

import http.client
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal
from urllib.error import HTTPError, URLError

from chattyshared.endpoint import Row
from chattyshared.endpoint.results import InvalidResult, parse_result_json
from chattyshared.endpoint.transport import HttpResponse
from chattyshared.errors import (
    EndpointError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryRejected,
    ResultCut,
    ResultUnreadable,
)

Fault = Literal["query", "server", "either"]
_OWN_LIMIT = re.compile(r"\blimit\s+(\d{1,18})(?:\s+offset\s+\d+)?\s*$", re.IGNORECASE)
_COUNT = re.compile(r"[0-9]{1,18}")
_GAVE_UP = re.compile(r"TimeoutException|S1T00")
_LONGEST_REASON = 200
"""Characters of what is wrong with a result: it may name a piece of it."""


class EndpointFailure(Exception):
    """One request without a result: the kind of our error and its sentence.

    ``fault``: the query's (asking again brings the same), the server's (it may pass), or either (a word with the server
    tells). ``wait`` are the seconds that the server asks for; ``rows`` the most that it sends, if it cut the answer.
    """

    def __init__(
        self,
        error_type: type[EndpointError],
        message: str,
        fault: Fault,
        *,
        retry_after: float | None = None,
        row_limit: int = 0,
    ) -> None:
        super().__init__(message)
        self.error_type, self.message, self.fault, self.retry_after, self.row_limit = (
            error_type,
            message,
            fault,
            retry_after,
            row_limit,
        )

    @property
    def is_busy(self) -> bool:
        """Whether the server counts our requests, and has had too many."""
        return self.message.startswith("HTTP 429")

    def as_server_failure(self) -> EndpointFailure:
        """Return what it is where a server does not answer another query either."""
        if self.error_type is EndpointUnavailable:
            return self
        gone = EndpointFailure(EndpointUnavailable, f"{self.message}; nor does it answer anything else", "server")
        gone.__cause__ = self
        return gone

    def as_query_failure(self) -> EndpointFailure:
        """Return what it is where a server answers another query: one alone may be refused, or bring a proxy down."""
        if self.error_type is not EndpointUnavailable:
            return self
        alone = EndpointFailure(QueryRejected, f"{self.message}, though it answers other queries", "query")
        alone.__cause__ = self
        return alone

    def to_error(self, endpoint: str, query: str, redact: Callable[[str], str]) -> EndpointError:
        """Return our error; ``shown`` takes secrets out of the sentence."""
        said = redact(self.message)
        if self.error_type is ResultCut:
            return ResultCut(said, endpoint=endpoint, query=query, rows=self.row_limit)
        return self.error_type(said, endpoint=endpoint, query=query)


def failure_from_http_error(
    error: HTTPError, *, has_credentials: bool, redact: Callable[[str], str]
) -> EndpointFailure:
    """Read a refusal by status; ``named`` tells whether credentials were sent, ``shown`` takes secrets out."""
    told = parse_error_response(error.code, _start(error), error.headers.get("Retry-After"), redact)
    said = str(told)
    if 300 <= told.status < 400:
        said += " (a redirect that cannot be followed)"
    if told.status == 401:
        hint = "these credentials are not taken" if has_credentials else "set CHATTY_KG_USER and CHATTY_KG_PASSWORD"
        said += f" ({hint}, or CHATTY_KG_TOKEN)" if not has_credentials else f" ({hint})"
    if told.is_transient:
        return EndpointFailure(told.error_type, said, "server", retry_after=told.retry_after)
    # A server in trouble says 500 to everything, and a healthy one to a query that it cannot run; a firewall refuses
    # single queries by 403 or 404.
    is_doubtful = told.status == 500 or (told.error_type is EndpointUnavailable and told.status != 401)
    return EndpointFailure(
        told.error_type, said, "either" if is_doubtful and told.error_type is not EndpointTimeout else "query"
    )


def failure_from_connection_error(error: OSError | http.client.HTTPException, timeout: float) -> EndpointFailure:
    """Read what went wrong on the way to the server or back."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        return EndpointFailure(EndpointTimeout, f"no answer within {timeout:g} s", "either")
    if isinstance(reason, http.client.IncompleteRead):
        return EndpointFailure(ResultUnreadable, "the answer breaks off", "either")
    said = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    fault: Fault = "server" if isinstance(reason, OSError) else "either"
    return EndpointFailure(EndpointUnavailable, f"cannot be reached ({said})", fault)


def parse_response(
    response: HttpResponse, query: str, server_timeout: float | None = None, *, redact: Callable[[str], str]
) -> list[Row] | bool:
    """Read a reply with status 200: rows of a SELECT, or the truth of an ASK.

    ``shown`` takes secrets out of what a message names of it, before that is cut. ``limit`` are the seconds after which
    the address lets the server stop: Virtuoso then sends what rows it has.

    Raises:
        Failure: it is none, or not whole; Virtuoso tells by headers that it gave up, or cut the rows.
    """
    state = response.headers.get("X-SQL-State")
    if (
        server_timeout is not None
        and response.seconds >= server_timeout
        and "virtuoso" in (response.headers.get("Server") or "").casefold()
    ):
        # Plain rows it cuts without any header.
        said = f"the answer took longer than timeout={1000 * server_timeout:.0f} in the address, and need not be whole"
        raise EndpointFailure(EndpointTimeout, said, "query")
    if state == "S1TAT":
        said = "the server gave up at its time limit; the answer is not whole"
        raise EndpointFailure(EndpointTimeout, said, "query")
    if state:
        raise EndpointFailure(ResultUnreadable, f"the server reports the state {state}", "query")
    try:
        result = parse_result_json(response.body)
    except InvalidResult as error:
        raise _unreadable(response, redact(str(error))[:_LONGEST_REASON], redact) from error
    if not isinstance(result, bool) and _is_cut(len(result), query, response.headers.get("X-SPARQL-MaxRows")):
        raise EndpointFailure(
            ResultCut, f"the server cut the answer at {len(result)} rows", "query", row_limit=len(result)
        )
    return result


def _unreadable(reply: HttpResponse, why: str, shown: Callable[[str], str]) -> EndpointFailure:
    if _GAVE_UP.search(reply.body[-4_000:].decode("utf-8", "replace")):
        return EndpointFailure(EndpointTimeout, "the server gave up in the middle of its answer", "query")
    said, kind = body_excerpt(reply.body, shown), shown(reply.headers.get("Content-Type") or "no content type")
    return EndpointFailure(ResultUnreadable, f"the answer ({kind[:100]}) is {why}: {said[:120]}", "either")


def _start(error: HTTPError) -> bytes:
    try:
        return error.read(20_000)
    except (OSError, http.client.HTTPException):
        return b""


def _is_cut(rows: int, query: str, most: str | None) -> bool:
    """Tell whether Virtuoso's limit of rows, rather than the query's own, ended a result."""
    if most is None or not _COUNT.fullmatch(most.strip()) or rows < int(most):
        return False
    own = _OWN_LIMIT.search(query)
    return own is None or rows < int(own[1])


LONGEST_WAIT = 60.0
"""Seconds that a server may make us wait by Retry-After before one further try."""

_PASSING = frozenset((429, 502, 503, 504))
_TIMED_OUT = re.compile(
    r"S1T00|TimeoutException|timed[ -]?out|query timeout|took too long|estimated execution time .* exceeds|"
    r"exceeded .*(?:timeout|time limit)",
    re.IGNORECASE,
)
_OF_THE_QUERY = re.compile(
    r"S1T00|query.{0,40}(?:timed out|timeout|took too long)|evaluation.{0,40}took", re.IGNORECASE
)
_ERRORS: dict[int, type[EndpointError]] = {
    400: QueryRejected, 413: QueryRejected, 414: QueryRejected, 422: QueryRejected, 431: QueryRejected,
    500: QueryRejected, 501: QueryRejected, 408: EndpointTimeout, 504: EndpointTimeout, 524: EndpointTimeout,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class HttpErrorResponse:
    """An HTTP answer that is no 200: its status, what the body says as one line, seconds to wait if it names them."""

    status: int
    text: str = ""
    retry_after: float | None = None

    @property
    def is_transient(self) -> bool:
        """Whether the same query may well succeed later; a server that says that the query timed out is not busy."""
        return self.status in _PASSING and not _OF_THE_QUERY.search(self.text)

    @property
    def error_type(self) -> type[EndpointError]:
        """The error that it is to us, where waiting did not help."""
        if (self.status >= 500 or self.status == 429) and _TIMED_OUT.search(self.text):
            return EndpointTimeout
        return _ERRORS.get(self.status, EndpointUnavailable)

    def __str__(self) -> str:
        return f"HTTP {self.status}" + (f": {self.text}" if self.text else "")


def parse_error_response(
    status: int, body: bytes, retry_after: str | None, redact: Callable[[str], str]
) -> HttpErrorResponse:
    """Read a refusal off an HTTP answer: its status, its body without secrets, its header Retry-After."""
    return HttpErrorResponse(status, body_excerpt(body, redact), parse_retry_after(retry_after))


def body_excerpt(body: bytes, redact: Callable[[str], str]) -> str:
    """Return what a body says: the first 300 characters of its text, tags and line breaks taken out.

    ``shown`` takes secrets out, before a cut could leave a part of one.
    """
    text = redact(body[:20_000].decode("utf-8", "replace"))
    if re.search(r"<(?:html|!doctype|\?xml)", text, re.IGNORECASE):
        text = re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL | re.IGNORECASE)
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))[:300]


def parse_retry_after(header: str | None) -> float | None:
    """Return the seconds that Retry-After asks for (a number or an HTTP date), within 0 and the longest wait."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return min(max(seconds, 0.0), LONGEST_WAIT) if seconds == seconds else None
