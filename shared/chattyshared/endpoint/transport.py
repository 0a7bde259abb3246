"""One request to a server and its whole answer: who asks, redirects, time and size, over the standard library."""

from __future__ import annotations

import http.client
import string
import time
from collections.abc import Collection
from dataclasses import dataclass
from urllib.error import HTTPError
from urllib.parse import quote, urljoin, urlsplit, urlunsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from chattyshared.endpoint.address import is_upgrade, parse_origin, remove_parameters
from chattyshared.endpoint.credentials import Authorization, Credentials
from chattyshared.endpoint.results import MAX_RESULT_BYTES
from chattyshared.http_client import BoundedHandler, read_bounded

_SIGNED = 3
"""Times that one request is signed anew: for the server's challenge, and where that has gone stale."""
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MOST_REDIRECTS = 5
_FORM = "application/x-www-form-urlencoded"
_OF_THE_BODY = frozenset(("content-type", "content-length"))
_SECRET_HEADERS = frozenset(("authorization", "proxy-authorization", "host"))


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole body with status 200, the headers, and the seconds from the request to its end."""

    body: bytes
    headers: http.client.HTTPMessage
    seconds: float = 0.0


class HttpTransport:
    """Sends requests to one server, which may lie elsewhere than its address says; usable from many threads.

    ``url`` is where requests go: the address, or where it has led to. Credentials, and the parameters named
    ``private``, go to the address's own origin only: its scheme, host and port, or the same host by https where the
    address says http and both ports are the usual ones. A redirect to elsewhere is followed without them, and each
    later request begins at the address again.
    """

    def __init__(
        self,
        url: str,
        credentials: Credentials,
        *,
        private_parameters: Collection[str] = (),
        max_bytes: int = MAX_RESULT_BYTES,
    ) -> None:
        self.url = url
        self.max_bytes = max_bytes
        self._home = parse_origin(url)
        self._private = frozenset(private_parameters)
        self._authorization = Authorization(credentials)
        # An opener of our own: urllib's common one is for the whole process, and follows redirects by itself.
        self._opener = OpenerDirector()
        for handler in (ProxyHandler, BoundedHandler, HTTPDefaultErrorHandler, HTTPErrorProcessor):
            self._opener.add_handler(handler())

    @property
    def authentication(self) -> str:
        """In what way the server is told who asks."""
        return self._authorization.description

    def send(self, request: Request, timeout: float) -> HttpResponse:
        """Send a request and read its answer, both within ``timeout`` seconds, redirects included.

        Raises:
            HTTPError: the server answers by another status than 200.
            OSError, HTTPException: it cannot be reached, is too slow, or breaks off.
            ReplyTooLarge: the answer is.
        """
        began = time.monotonic()
        deadline = began + timeout
        signs, redirects, is_home = _SIGNED - 1, _MOST_REDIRECTS, self._is_home(request.full_url)
        while True:
            if is_home:
                self._authorization.sign(request)
            try:
                with self._opener.open(request, timeout=_remaining_seconds(deadline)) as response:
                    body = _read_body(response, deadline, self.max_bytes)
                self._follow(request.full_url, is_home)
                return HttpResponse(body, response.headers, time.monotonic() - began)
            except HTTPError as error:
                place = _place(request, error) if redirects else None
                if place is not None:
                    redirects -= 1
                    is_home = is_home and self._is_home(place)
                    request = self._redirected(request, place, error.code, is_home)
                elif is_home and signs and self._is_challenge(request, error):
                    signs -= 1
                else:
                    raise
                error.close()

    def _is_home(self, url: str) -> bool:
        place = parse_origin(url)
        return place == self._home or is_upgrade(self._home, place)

    def _is_challenge(self, request: Request, error: HTTPError) -> bool:
        """Tell whether a refusal asks who asks, in a way that can be answered now."""
        wants = error.headers.get_all("WWW-Authenticate") or ()
        return error.code == 401 and self._authorization.handle_challenge(
            request.get_header("Authorization") or "", wants
        )

    def _redirected(self, request: Request, place: str, status: int, is_home: bool) -> Request:
        """Return the request at another place; away from home without what is secret in headers, address and body."""
        body = None if status == 303 else request.data
        dropped = _SECRET_HEADERS | (_OF_THE_BODY if body is None else frozenset())
        headers = {name: value for name, value in request.headers.items() if name.lower() not in dropped}
        if not is_home:
            parts = urlsplit(place)
            place = urlunsplit((*parts[:3], remove_parameters(parts.query, self._private), ""))
            if isinstance(body, bytes) and headers.get("Content-type", "").startswith(_FORM):
                body = remove_parameters(body.decode(), self._private).encode()
        return Request(place, body, headers, method="GET" if body is None else request.get_method())

    def _follow(self, answered: str, is_home: bool) -> None:
        """Ask at once where a redirect has led to, unless secrets may not go there."""
        if is_home or not (self._authorization.credentials or self._private):
            self.url = answered.partition("?")[0]


def _place(request: Request, error: HTTPError) -> str | None:
    """Return where a redirect leads to, without a user and a password that it may name; None if it is none."""
    said = error.headers.get("Location")
    if error.code not in _REDIRECTS or not said:
        return None
    try:
        parts = urlsplit(urljoin(request.full_url, quote(said, encoding="iso-8859-1", safe=string.punctuation)))
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            return None
    except ValueError:
        return None
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path or "/", parts.query, ""))


def _remaining_seconds(deadline: float) -> float:
    """Return the seconds until the deadline of a request.

    Raises:
        TimeoutError: there are none.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the answer takes too long")
    return left


def _read_body(response: http.client.HTTPResponse, deadline: float, max_bytes: int) -> bytes:
    """Read a whole body by ``deadline``; the timeout of the socket holds for a single read only."""
    chunks = []
    for chunk in read_bounded(response, max_bytes):
        chunks.append(chunk)
        if time.monotonic() > deadline:
            raise TimeoutError("the answer drips")
    return b"".join(chunks)
