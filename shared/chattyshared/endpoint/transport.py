"""One HTTP request and its whole answer: authentication, redirects, limits of time and size; standard library only."""

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
from chattyshared.http_client import BoundedHandler, make_decoder, read_bounded

_MAX_SIGNATURES = 3
"""Signatures of one request: plain, for the server's challenge, and for a new challenge after a stale one."""
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MAX_REDIRECTS = 5
_FORM_CONTENT_TYPE = "application/x-www-form-urlencoded"
_BODY_HEADERS = frozenset(("content-type", "content-length"))
_SECRET_HEADERS = frozenset(("authorization", "proxy-authorization", "host"))


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole body with status 200, the headers, and the seconds from the request to the end of the body."""

    body: bytes
    headers: http.client.HTTPMessage
    seconds: float = 0.0


class HttpTransport:
    """Sends requests to one server, which may redirect; thread-safe.

    ``url`` is where requests go: the address, or the target of its redirect. Credentials and ``private_parameters`` go
    only to the origin of the address: its scheme, host and port, or the same host with https instead of http on default
    ports. A redirect to another origin is followed without them, and each later request starts at the address again.
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
        # urllib's default opener is shared by the whole process and follows redirects by itself.
        self._opener = OpenerDirector()
        for handler in (ProxyHandler, BoundedHandler, HTTPDefaultErrorHandler, HTTPErrorProcessor):
            self._opener.add_handler(handler())

    @property
    def authentication(self) -> str:
        """The method of authentication, for messages."""
        return self._authorization.description

    def send(self, request: Request, timeout: float) -> HttpResponse:
        """Send a request and read its answer, both within ``timeout`` seconds, redirects included.

        Raises:
            HTTPError: the server answers with another status than 200.
            OSError, HTTPException: it cannot be reached, is too slow, or the connection breaks.
            ReplyTooLarge: the answer has more than ``max_bytes`` bytes.
        """
        began = time.monotonic()
        deadline = began + timeout
        signatures_left, redirects_left, is_home = _MAX_SIGNATURES - 1, _MAX_REDIRECTS, self._is_home(request.full_url)
        while True:
            if is_home:
                self._authorization.sign(request)
            try:
                with self._opener.open(request, timeout=_remaining_seconds(deadline)) as response:
                    body = _read_body(response, deadline, self.max_bytes)
                self._follow(request.full_url, is_home)
                return HttpResponse(body, response.headers, time.monotonic() - began)
            except HTTPError as error:
                target = _redirect_target(request, error) if redirects_left else None
                if target is not None:
                    redirects_left -= 1
                    is_home = is_home and self._is_home(target)
                    request = self._redirect(request, target, error.code, is_home)
                elif is_home and signatures_left and self._is_challenge(request, error):
                    signatures_left -= 1
                else:
                    raise
                error.close()

    def _is_home(self, url: str) -> bool:
        origin = parse_origin(url)
        return origin == self._home or is_upgrade(self._home, origin)

    def _is_challenge(self, request: Request, error: HTTPError) -> bool:
        """Tell whether a refusal is an authentication challenge that the credentials can answer."""
        challenges = error.headers.get_all("WWW-Authenticate") or ()
        return error.code == 401 and self._authorization.handle_challenge(
            request.get_header("Authorization") or "", challenges
        )

    def _redirect(self, request: Request, target: str, status: int, is_home: bool) -> Request:
        """Return the redirected request; to another origin without secrets in headers, URL and body."""
        body = None if status == 303 else request.data
        dropped = _SECRET_HEADERS | (_BODY_HEADERS if body is None else frozenset())
        headers = {name: value for name, value in request.headers.items() if name.lower() not in dropped}
        if not is_home:
            parts = urlsplit(target)
            target = urlunsplit((*parts[:3], remove_parameters(parts.query, self._private), ""))
            if isinstance(body, bytes) and headers.get("Content-type", "").startswith(_FORM_CONTENT_TYPE):
                body = remove_parameters(body.decode(), self._private).encode()
        return Request(target, body, headers, method="GET" if body is None else request.get_method())

    def _follow(self, url: str, is_home: bool) -> None:
        """Send later requests directly to the target of a redirect, unless secrets may not go there."""
        if is_home or not (self._authorization.credentials or self._private):
            self.url = url.partition("?")[0]


def _redirect_target(request: Request, error: HTTPError) -> str | None:
    """Return the target URL of a redirect, without user and password; None if the error is no redirect."""
    location = error.headers.get("Location")
    if error.code not in _REDIRECTS or not location:
        return None
    try:
        parts = urlsplit(urljoin(request.full_url, quote(location, encoding="iso-8859-1", safe=string.punctuation)))
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
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("the answer takes too long")
    return seconds


def _read_body(response: http.client.HTTPResponse, deadline: float, max_bytes: int) -> bytes:
    """Read a whole body by ``deadline``; the timeout of the socket holds for a single read only."""
    chunks = []
    for chunk in read_bounded(response, max_bytes, decoder=make_decoder(response)):
        chunks.append(chunk)
        if time.monotonic() > deadline:
            raise TimeoutError("the answer drips")
    return b"".join(chunks)
