"""One request to a server and its whole answer: who asks, redirects, time and size, over the standard library."""

from __future__ import annotations

import http.client
import time
from dataclasses import dataclass
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, build_opener

from chattyshared.endpoint.credentials import Authorization, Credentials

LARGEST = 64 << 20
"""Bytes of the largest answer that is taken: some hundred thousand rows."""
_SIGNED = 3
"""Times that one request is signed anew: for the server's challenge, and where that has gone stale."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole body with status 200, the headers, and the seconds from the request to its end."""

    body: bytes
    headers: http.client.HTTPMessage
    seconds: float = 0.0


class TooLarge(Exception):
    """An answer of more bytes than are taken; nothing of it is kept."""


class Transport:
    """Sends requests to one server, which may lie elsewhere than its address says; usable from many threads.

    ``url`` is where requests go: the address, or where it has led to. Credentials never follow to another host.
    """

    def __init__(self, url: str, credentials: Credentials, *, largest: int = LARGEST) -> None:
        self.url = url
        self.largest = largest
        self._authorization = Authorization(credentials)
        # An opener of our own: urllib's common one is for the whole process, and whoever needs Digest would change it.
        self._opener = build_opener()

    @property
    def access(self) -> str:
        """In what way the server is told who asks."""
        return self._authorization.way

    def send(self, request: Request, timeout: float) -> Reply:
        """Send a request and read its answer, both within ``timeout`` seconds.

        Raises:
            HTTPError: the server answers by another status than 200.
            OSError, HTTPException: it cannot be reached, is too slow, or breaks off.
            TooLarge: the answer is.
        """
        began = time.monotonic()
        for left in reversed(range(_SIGNED)):
            self._authorization.sign(request)
            try:
                with self._opener.open(request, timeout=timeout) as response:
                    self._follow(response.url)
                    body = _body(response, began + timeout, self.largest)
                    return Reply(body, response.headers, time.monotonic() - began)
            except HTTPError as error:
                wants = error.headers.get_all("WWW-Authenticate") or ()
                sent = request.get_header("Authorization") or ""
                if error.code != 401 or not left or not self._authorization.learn(sent, wants):
                    raise
                error.close()
        raise AssertionError("the last refusal is raised")

    def _follow(self, answered: str) -> None:
        """Ask at once where a redirect has led to: a long query, which is posted, would be lost on the way."""
        place, known = urlsplit(answered), urlsplit(self.url)
        same = place.hostname == known.hostname and (place.scheme, known.scheme) != ("http", "https")
        if same or not self._authorization.credentials:
            self.url = answered.partition("?")[0]


def _body(response: http.client.HTTPResponse, end: float, largest: int) -> bytes:
    """Read a whole body; the socket's own timeout does not end an answer that drips."""
    chunks, size = [], 0
    while chunk := response.read1(1 << 16):
        chunks.append(chunk)
        size += len(chunk)
        if size > largest:
            raise TooLarge
        if time.monotonic() > end:
            raise TimeoutError("the answer drips")
    if response.length:  # read1 does not mind a body shorter than promised
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(chunks)
