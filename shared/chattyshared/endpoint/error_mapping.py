"""Failed requests mapped to our errors: the error type, and whether query or server is at fault."""

from __future__ import annotations

import http.client
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from chattyshared.endpoint import Row
from chattyshared.endpoint.results import InvalidResult, parse_result
from chattyshared.errors import (
    EndpointError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryRejected,
    ResultCut,
    ResultUnreadable,
)
from chattyshared.http_client import HttpReply
from chattyshared.rate_limit import parse_retry_after

Fault = Literal["query", "server", "either"]
_QUERY_LIMIT = re.compile(r"\blimit\s+(\d{1,18})(?:\s+offset\s+\d+)?\s*$", re.IGNORECASE)
_COUNT = re.compile(r"[0-9]{1,18}")
_GAVE_UP_MARK = re.compile(r"TimeoutException|S1T00")
_TAGS = re.compile(r"<(style|script)\b.*?(?:</\1>|\Z)|<[^>]*(?:>|\Z)", re.DOTALL | re.IGNORECASE)
"""Tags, with the text of styles and scripts; the end of a page that was cut closes them."""
_MAX_REASON_LENGTH = 200
"""Characters of the reason why a result cannot be read, which may quote a part of it."""

_TRANSIENT_STATUSES = frozenset((429, 502, 503, 504))
_TIMED_OUT = re.compile(
    r"S1T00|TimeoutException|timed[ -]?out|query timeout|took too long|estimated execution time .* exceeds|"
    r"exceeded .*(?:timeout|time limit)",
    re.IGNORECASE,
)
_QUERY_TIMED_OUT = re.compile(
    r"S1T00|query.{0,40}(?:timed out|timeout|took too long)|evaluation.{0,40}took", re.IGNORECASE
)
_ERROR_TYPES: dict[int, type[EndpointError]] = {
    400: QueryRejected, 413: QueryRejected, 414: QueryRejected, 422: QueryRejected, 431: QueryRejected,
    500: QueryRejected, 501: QueryRejected, 408: EndpointTimeout, 504: EndpointTimeout, 524: EndpointTimeout,
}  # fmt: skip


@dataclass(eq=False)
class EndpointFailure(Exception):
    """One request without a result: the type of our error and its message.

    ``fault`` is the query (a retry fails as well), the server (a retry may succeed), or either (a probe query decides).
    ``retry_after`` are the seconds that the server asks for; ``row_limit`` is the server's, if it cut the answer.
    """

    error_type: type[EndpointError]
    message: str
    fault: Fault
    retry_after: float | None = None
    row_limit: int = 0

    @property
    def is_busy(self) -> bool:
        """Whether the server limits the rate of our requests."""
        return self.message.startswith("HTTP 429")

    def judge(self, *, is_alive: bool) -> EndpointFailure:
        """Return the failure by whether the server answers another query: a single one may be refused or crash it."""
        if is_alive != (self.error_type is EndpointUnavailable):
            return self
        failure = EndpointFailure(EndpointUnavailable, f"{self.message}; nor does it answer anything else", "server")
        if is_alive:
            failure = EndpointFailure(QueryRejected, f"{self.message}, though it answers other queries", "query")
        return failure

    def to_error(self, endpoint: str, query: str, redact: Callable[[str], str]) -> EndpointError:
        """Return our error; ``redact`` removes secrets from the message."""
        message = redact(self.message)
        if self.error_type is ResultCut:
            return ResultCut(message, endpoint=endpoint, query=query, rows=self.row_limit)
        return self.error_type(message, endpoint=endpoint, query=query)


def failure_from_status(reply: HttpReply, *, has_credentials: bool, redact: Callable[[str], str]) -> EndpointFailure:
    """Map a reply with another status than 200.

    ``has_credentials`` tells whether credentials were sent, ``redact`` removes secrets.
    """
    status, text = reply.status, body_excerpt(reply.body, redact)
    message = f"HTTP {status}" + (f": {text}" if text else "")
    if 300 <= status < 400:
        message += " (a redirect that cannot be followed)"
    if status == 401 and has_credentials:
        message += " (these credentials are not taken)"
    elif status == 401:
        message += " (set CHATTY_KG_USER and CHATTY_KG_PASSWORD, or CHATTY_KG_TOKEN)"
    error_type = _ERROR_TYPES.get(status, EndpointUnavailable)
    if (status >= 500 or status == 429) and _TIMED_OUT.search(text):
        error_type = EndpointTimeout
    if status in _TRANSIENT_STATUSES and not _QUERY_TIMED_OUT.search(text):  # else the query is at fault
        retry_after = parse_retry_after(reply.headers.get("retry-after"))
        return EndpointFailure(error_type, message, "server", retry_after=retry_after)
    # A broken server answers 500 to every query, a healthy one to a query that it cannot run; a firewall refuses single
    # queries with 403 or 404.
    is_doubtful = status == 500 or (error_type is EndpointUnavailable and status != 401)
    fault: Fault = "either" if is_doubtful and error_type is not EndpointTimeout else "query"
    return EndpointFailure(error_type, message, fault)


def failure_from_connection_error(error: OSError | http.client.HTTPException, timeout: float) -> EndpointFailure:
    """Map an error of the connection; ``timeout`` is in seconds."""
    if isinstance(error, TimeoutError):
        return EndpointFailure(EndpointTimeout, f"no answer within {timeout:g} s", "either")
    if isinstance(error, http.client.IncompleteRead):
        return EndpointFailure(ResultUnreadable, "the answer breaks off", "either")
    message = getattr(error, "strerror", None) or str(error) or type(error).__name__
    fault: Fault = "server" if isinstance(error, OSError) else "either"
    return EndpointFailure(EndpointUnavailable, f"cannot be reached ({message})", fault)


def parse_response(
    response: HttpReply, query: str, server_timeout: float | None = None, *, redact: Callable[[str], str]
) -> list[Row] | bool:
    """Parse a response with status 200: rows of a SELECT, or the truth value of an ASK.

    ``redact`` removes secrets from quoted parts before they are shortened. ``server_timeout`` are the seconds after
    which the server stops by a parameter of the URL: Virtuoso then sends the rows that it has.

    Raises:
        EndpointFailure: it is no result, or incomplete; Virtuoso reports by headers that it gave up or cut the rows.
    """
    state = response.headers.get("X-SQL-State")
    if (
        server_timeout is not None
        and response.seconds >= server_timeout
        and "virtuoso" in (response.headers.get("Server") or "").casefold()
    ):
        # It cuts plain rows without any header.
        message = (
            f"the answer took longer than timeout={1000 * server_timeout:.0f} in the address, and need not be whole"
        )
        raise EndpointFailure(EndpointTimeout, message, "query")
    if state == "S1TAT":
        message = "the server gave up at its time limit; the answer is not whole"
        raise EndpointFailure(EndpointTimeout, message, "query")
    if state:
        raise EndpointFailure(ResultUnreadable, f"the server reports the state {state}", "query")
    try:
        content_type, charset = response.headers.get_content_type(), response.headers.get_content_charset("utf-8")
        result = parse_result(response.body, content_type, charset)
    except InvalidResult as error:
        raise _unreadable(response, redact(str(error))[:_MAX_REASON_LENGTH], redact) from error
    if not isinstance(result, bool) and _is_cut(len(result), query, response.headers.get("X-SPARQL-MaxRows")):
        raise EndpointFailure(
            ResultCut, f"the server cut the answer at {len(result)} rows", "query", row_limit=len(result)
        )
    return result


def _unreadable(response: HttpReply, reason: str, redact: Callable[[str], str]) -> EndpointFailure:
    if _GAVE_UP_MARK.search(response.body[-4_000:].decode("utf-8", "replace")):
        return EndpointFailure(EndpointTimeout, "the server gave up in the middle of its answer", "query")
    excerpt, content_type = (
        body_excerpt(response.body, redact),
        redact(response.headers.get("Content-Type") or "no content type"),
    )
    return EndpointFailure(
        ResultUnreadable, f"the answer ({content_type[:100]}) is {reason}: {excerpt[:120]}", "either"
    )


def _is_cut(row_count: int, query: str, max_rows: str | None) -> bool:
    """Tell whether Virtuoso's row limit, and not the query's own LIMIT, ended a result."""
    if max_rows is None or not _COUNT.fullmatch(max_rows.strip()) or row_count < int(max_rows):
        return False
    query_limit = _QUERY_LIMIT.search(query)
    return query_limit is None or row_count < int(query_limit[1])


def body_excerpt(body: bytes, redact: Callable[[str], str]) -> str:
    """Return the first 300 characters of a body's text, without tags and line breaks.

    ``redact`` removes secrets before the text is shortened, which could leave a part of one.
    """
    text = redact(body[:20_000].decode("utf-8", "replace"))
    if re.search(r"<(?:html|!doctype|\?xml)", text, re.IGNORECASE):
        text = _TAGS.sub(" ", text)
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))[:300]
