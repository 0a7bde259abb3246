"""What a SPARQL server's refusals mean: which pass, how long to wait, and which of our errors they are."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from chattyshared.errors import EndpointError, EndpointTimeout, EndpointUnavailable, QueryRejected

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
class Refusal:
    """An HTTP answer that is no 200: its status, what the body says as one line, seconds to wait if it names them."""

    status: int
    text: str = ""
    retry_after: float | None = None

    @property
    def is_passing(self) -> bool:
        """Whether the same query may well succeed later; a server that says that the query timed out is not busy."""
        return self.status in _PASSING and not _OF_THE_QUERY.search(self.text)

    @property
    def kind(self) -> type[EndpointError]:
        """The error that it is to us, where waiting did not help."""
        if (self.status >= 500 or self.status == 429) and _TIMED_OUT.search(self.text):
            return EndpointTimeout
        return _ERRORS.get(self.status, EndpointUnavailable)

    def __str__(self) -> str:
        return f"HTTP {self.status}" + (f": {self.text}" if self.text else "")


def refusal(status: int, body: bytes, retry_after: str | None, shown: Callable[[str], str]) -> Refusal:
    """Read a refusal off an HTTP answer: its status, its body without secrets, its header Retry-After."""
    return Refusal(status, one_line(body, shown), waiting(retry_after))


def one_line(body: bytes, shown: Callable[[str], str]) -> str:
    """Return what a body says: the first 300 characters of its text, tags and line breaks taken out.

    ``shown`` takes secrets out, before a cut could leave a part of one.
    """
    text = shown(body[:20_000].decode("utf-8", "replace"))
    if re.search(r"<(?:html|!doctype|\?xml)", text, re.IGNORECASE):
        text = re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL | re.IGNORECASE)
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))[:300]


def waiting(header: str | None) -> float | None:
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
