"""HTTP with limits: a deadline for the whole exchange and a maximum size of the decoded body; standard library only.

A server that a user names may be slow, broken or hostile. The timeouts of HTTP libraries hold for a single read, so
that a slow reply may never end, and a few compressed bytes may expand without limit. Here every wait ends at one
deadline, and decoding stops at the maximum size.
"""

from __future__ import annotations

import base64
import http.client
import io
import math
import selectors
import socket
import ssl
import string
import threading
import time
import weakref
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, cast
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from chattyshared.endpoint.address import is_upgrade, parse_origin, remove_parameters
from chattyshared.endpoint.credentials import Authorization, Credentials

PRODUCT = f"chattykg/{version('chattykg')}"
"""The name and the version of this program in the header User-Agent."""
MAX_REPLY_BYTES = 16 << 20
"""Bytes of the largest accepted reply, decoded."""
_MAX_ERROR_BYTES = 1 << 16
"""Bytes that are read of the body of an error or a redirect."""
_CHUNK = 1 << 16
_MAX_REDIRECTS = 5
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MAX_SIGNATURES = 3
"""Signatures of one request: plain, for the server's challenge, and for a new challenge after a stale one."""
_FORM = "application/x-www-form-urlencoded"
_QUERY_TYPES = (_FORM, "application/sparql-query")
"""Types of bodies that are sent to another server after a redirect; others may hold a prompt."""
_PRIVATE_HEADERS = frozenset(
    {"authorization", "cookie", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key"}
)
"""Headers that are not sent to another server after a redirect."""
_IDLE_SECONDS = 5.0
"""Seconds for which an idle connection is kept open."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A whole reply: status, headers (names in lower case), decoded body, and the address after redirects.

    ``seconds`` are those from the request to the end of the body.
    """

    status: int
    reason: str
    headers: http.client.HTTPMessage
    body: bytes
    url: str
    seconds: float = 0.0


class ReplyTooLarge(Exception):
    """A reply has too many bytes; its body is discarded."""


class UnknownCoding(ReplyTooLarge):
    """A reply has a content coding that was not requested, and may have any size; its body is discarded."""


def read_bounded(
    response: http.client.HTTPResponse,
    max_bytes: int,
    *,
    decoder: Any = None,
    truncates: bool = False,
    chunk_size: int = _CHUNK,
) -> Iterator[bytes]:
    """Yield a body in chunks of at most ``max_bytes`` bytes in all, decoded by ``decoder`` of zlib if there is one.

    With ``truncates``, a larger body is cut instead of refused.

    Raises:
        ReplyTooLarge: the body is larger.
        IncompleteRead: the body ends before its announced length.
        HTTPException: ``decoder`` cannot decode it.
    """
    left = max_bytes
    while chunk := response.read1(chunk_size):
        try:
            part = chunk if decoder is None else decoder.decompress(chunk, left + 1)
        except zlib.error as error:
            raise http.client.HTTPException(f"the reply is not compressed as it says: {error}") from error
        if len(part) > left:
            if truncates:
                yield part[:left]
                return
            raise ReplyTooLarge(f"the reply is larger than {_format_size(max_bytes)}")
        left -= len(part)
        yield part
    if response.length or (decoder is not None and not decoder.eof):  # read1 accepts a body that ends too early
        raise http.client.IncompleteRead(b"", response.length)


def make_decoder(response: http.client.HTTPResponse) -> Any:
    """Return the decoder of zlib for the content coding of a reply: some compress without being asked to.

    Raises:
        UnknownCoding: the coding is neither gzip nor deflate.
    """
    coding = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if coding not in ("identity", "gzip", "x-gzip", "deflate"):
        raise UnknownCoding(f"the reply is compressed, as {coding[:40]}, which nobody asked for")
    return None if coding == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32)


class HttpClient:
    """Sends requests, each of at most ``timeout`` seconds, and keeps connections open; thread-safe.

    ``max_bytes`` limits the body, ``pause`` the seconds of a server's silence. Proxies of the environment are used
    unless ``use_proxies`` is false. ``tls`` decides which servers are trusted; by default the system's certificates do.

    ``credentials``, headers that hold some, and the parameters called ``private`` go only to the origin of a request:
    scheme, host and port of its URL, or the same host with https instead of http on default ports. A redirect to
    another origin is followed without them, and not at all with a body that is no query.
    """

    def __init__(  # noqa: PLR0913
        self,
        *,
        timeout: float,
        max_bytes: int = MAX_REPLY_BYTES,
        use_proxies: bool = True,
        tls: ssl.SSLContext | None = None,
        credentials: Credentials | None = None,
        private: Collection[str] = (),
        pause: float = math.inf,
    ) -> None:
        self.timeout, self.max_bytes = timeout, max_bytes
        self._use_proxies, self._tls = use_proxies, tls
        self._authorization, self._private, self._pause = Authorization(credentials or Credentials()), private, pause
        self._idle: dict[tuple[str, str], list[BoundedConnection]] = {}
        self._lock = threading.Lock()
        weakref.finalize(self, _close_all, self._idle)

    @property
    def authentication(self) -> str:
        """The method of authentication, for messages."""
        return self._authorization.description

    def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        *,
        timeout: float | None = None,
    ) -> HttpReply:
        """Send a request, follow redirects, and return the reply with any status.

        Raises:
            TimeoutError: the exchange takes longer than ``timeout``, or that of the client.
            ReplyTooLarge: the body has more than ``max_bytes`` bytes.
            OSError, HTTPException: the server cannot be reached, closes the connection, or does not speak HTTP.
            ValueError: ``url`` is no HTTP URL.
        """
        began = time.monotonic()
        request = _Request(method, url, dict(headers or {}), body)
        with self._respond(request, self.timeout if timeout is None else timeout) as (response, last_url):
            content = b"".join(self._read_body(response))
        reply_headers = http.client.HTTPMessage()
        for name, value in response.getheaders():
            reply_headers[name.lower()] = value
        return HttpReply(
            response.status, response.reason, reply_headers, content, last_url, time.monotonic() - began
        )  # fmt: skip

    def open(
        self, url: str, headers: Mapping[str, str]
    ) -> AbstractContextManager[tuple[http.client.HTTPResponse, str]]:
        """Send a GET request as ``send`` does, and give the response, unread, with the address after redirects."""
        return self._respond(_Request("GET", url, dict(headers), b""), self.timeout)

    @contextmanager
    def _respond(self, request: _Request, timeout: float) -> Iterator[tuple[http.client.HTTPResponse, str]]:
        """Send a request, and follow redirects and challenges."""
        deadline = time.monotonic() + timeout
        request = replace(request, headers={name.lower(): value for name, value in request.headers.items()})
        redirects_left, signatures_left = _MAX_REDIRECTS, _MAX_SIGNATURES - 1
        while True:
            if request.is_home and (signature := self._authorization.sign(request.method, request.url)):
                request.headers["authorization"] = signature
            with self._exchange(request, deadline) as response:
                redirected = self._redirect(request, response) if redirects_left else None
                if redirected is not None:
                    redirects_left -= 1
                elif request.is_home and signatures_left and self._is_challenge(request, response):
                    signatures_left -= 1
                else:
                    yield response, request.url
                    return
                for _ in self._read_body(response):  # so that the connection can be used again
                    pass
            request = redirected or replace(request, headers=_without(request.headers, ("authorization",)))

    def close(self) -> None:
        """Close all idle connections."""
        with self._lock:
            _close_all(self._idle)

    def _is_challenge(self, request: _Request, response: http.client.HTTPResponse) -> bool:
        """Tell whether a refusal is a challenge that the credentials can answer."""
        return response.status == 401 and self._authorization.handle_challenge(
            request.headers.get("authorization", ""), response.headers.get_all("www-authenticate") or ()
        )

    def _redirect(self, request: _Request, response: http.client.HTTPResponse) -> _Request | None:
        """Return the request that a redirect asks for; None if it is none, or is not followed."""
        target = _redirect_target(request.url, response.getheader("location") or "")
        if response.status not in _REDIRECTS or not target:
            return None
        method, headers, body = request.method, request.headers, request.body
        if response.status == 303:
            method, body = "GET", b""
            headers = {name: value for name, value in headers.items() if not name.startswith("content-")}
        home, origin = parse_origin(request.url), parse_origin(target)
        is_home = request.is_home and (origin == home or is_upgrade(home, origin))
        if not is_home:
            content_type = headers.get("content-type", "")
            if body and not content_type.startswith(_QUERY_TYPES):
                return None
            headers = _without(headers, _PRIVATE_HEADERS)
            parts = urlsplit(target)
            target = urlunsplit((*parts[:3], remove_parameters(parts.query, self._private), ""))
            if content_type.startswith(_FORM):
                body = remove_parameters(body.decode(), self._private).encode()
        return _Request(method, target, headers, body, is_home)

    @contextmanager
    def _exchange(self, request: _Request, deadline: float) -> Iterator[http.client.HTTPResponse]:
        """Make one exchange with one server, on an open connection if there is one."""
        parts = urlsplit(request.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"not an address of HTTP: {request.url!r}")
        key = (parts.scheme, parts.netloc.rpartition("@")[2])
        proxy = self._proxy(parts)
        sent = (request.method, parts, request.headers, request.body, proxy if parts.scheme == "http" else None)
        connection, response = self._take_idle(key), None
        if connection is not None:
            connection.deadline = deadline
            with suppress(ConnectionResetError, BrokenPipeError):  # the server has closed the connection
                response = _send_request(connection, *sent)
        if connection is None or response is None:
            connection = self._open(parts, proxy, deadline)
            response = _send_request(connection, *sent)
        is_complete = False
        try:
            with response:
                yield response
                is_complete = not response.will_close and (response.isclosed() or response.length == 0)
        finally:
            if is_complete:
                connection.idle_since = time.monotonic()
                self._keep(key, connection)
            else:
                connection.close()

    def _read_body(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        """Yield the decoded body in chunks; of an error only the first bytes, as far as they come."""
        if 200 <= response.status < 300:
            yield from read_bounded(response, self.max_bytes, decoder=make_decoder(response))
            return
        with suppress(OSError, http.client.HTTPException, UnknownCoding):
            max_bytes = min(self.max_bytes, _MAX_ERROR_BYTES)
            yield from read_bounded(response, max_bytes, decoder=make_decoder(response), truncates=True)

    def _keep(self, key: tuple[str, str], connection: BoundedConnection) -> None:
        """Keep a connection open for its next use, and close those that have been idle too long."""
        with self._lock:
            self._idle.setdefault(key, []).append(connection)
            oldest = time.monotonic() - _IDLE_SECONDS
            for server, connections in list(self._idle.items()):
                for stale in [idle for idle in connections if idle.idle_since < oldest]:
                    connections.remove(stale)
                    stale.close()
                if not connections:
                    del self._idle[server]

    def _take_idle(self, key: tuple[str, str]) -> BoundedConnection | None:
        """Return an open connection to a server that is still usable; None without one."""
        while True:
            with self._lock:
                several = self._idle.get(key)
                if not several:
                    return None
                connection = several.pop()
            if connection.is_good():
                return connection
            connection.close()

    def _proxy(self, parts: SplitResult) -> SplitResult | None:
        """Return the proxy for a URL; None without one."""
        if not self._use_proxies or proxy_bypass(str(parts.hostname)):
            return None
        proxies = getproxies()
        proxy_url = proxies.get(parts.scheme) or proxies.get("all")
        if not proxy_url:
            return None
        proxy = urlsplit(proxy_url if "://" in proxy_url else f"http://{proxy_url}")
        if proxy.scheme != "http":
            raise OSError(f"a proxy of the kind {proxy.scheme} cannot be used, only http")
        return proxy

    def _open(self, parts: SplitResult, proxy: SplitResult | None, deadline: float) -> BoundedConnection:
        if parts.scheme == "https" and self._tls is None:
            self._tls = ssl.create_default_context()
        tls = self._tls if parts.scheme == "https" else None
        timeout = deadline - time.monotonic()
        address = _address(proxy or parts)
        connection = BoundedConnection(*address, timeout=timeout, tls=tls, pause=self._pause)
        if proxy is not None and tls is not None:
            connection.set_tunnel(*_address(parts), headers=_proxy_authorization(proxy))
        return connection


class BoundedConnection(http.client.HTTPConnection):
    """An HTTP connection whose every wait ends at ``deadline``, a time of the monotonic clock."""

    def __init__(
        self, host: str, port: int, *, timeout: float, tls: ssl.SSLContext | None = None, pause: float = math.inf
    ) -> None:
        """Set the deadline ``timeout`` seconds from now, and the longest pause of the server; ``tls`` means HTTPS."""
        if tls is not None:
            self.default_port = http.client.HTTPS_PORT
        super().__init__(host, port)
        self._tls, self._pause = tls, pause
        self.deadline = time.monotonic() + timeout
        self.idle_since = 0.0

    def remaining_seconds(self) -> float:
        """Return the seconds that the next wait may take.

        Raises:
            TimeoutError: there are none.
        """
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        return min(left, self._pause)

    def connect(self) -> None:
        """Connect to the server, through a tunnel if one is set."""
        plain = self._connect_socket()
        with ExitStack() as failing:
            failing.callback(plain.close)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock = cast(Any, _TimedSocket(plain, self))
            base = cast(Any, self)  # these attributes are missing in the type stub
            if base._tunnel_host:
                base._tunnel()
            if self._tls is not None:
                plain.settimeout(self.remaining_seconds())
                name = base._tunnel_host or self.host
                self.sock = cast(Any, _TimedSocket(self._tls.wrap_socket(plain, server_hostname=name), self))
            failing.pop_all()

    def is_good(self) -> bool:
        """Tell whether the connection is still open and the server has sent nothing since its last use."""
        if self.sock is None or time.monotonic() - self.idle_since > _IDLE_SECONDS:
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(self.sock, selectors.EVENT_READ)
            return not selector.select(0)

    def _connect_socket(self) -> socket.socket:
        """Return a socket that is connected to the first reachable address of the host."""
        failure: OSError = OSError(f"no address of {self.host} is known")
        try:
            addresses = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except UnicodeError:  # an invalid host name
            raise failure from None
        for family, kind, protocol, _, address in addresses:
            candidate = socket.socket(family, kind, protocol)
            try:
                candidate.settimeout(self.remaining_seconds())
                candidate.connect(address)
                return candidate
            except OSError as error:
                candidate.close()
                failure = error
        raise failure


@dataclass(frozen=True, slots=True)
class _Request:
    """One request on its way; ``is_home``: no redirect has led to another origin."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes
    is_home: bool = True


class _TimedSocket:
    """A socket whose reads and writes end at the deadline of its connection."""

    def __init__(self, plain: socket.socket, connection: BoundedConnection) -> None:
        self._plain, self._connection = plain, connection

    def sendall(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._plain.settimeout(self._connection.remaining_seconds())
            view = view[self._plain.send(view[:_CHUNK]) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._plain, self._connection))

    def fileno(self) -> int:
        return self._plain.fileno()

    def close(self) -> None:
        self._plain.close()


class _TimedReader(io.RawIOBase):
    """The stream that http.client reads; the socket stays open until the stream is closed as well."""

    def __init__(self, plain: socket.socket, connection: BoundedConnection) -> None:
        self._plain, self._connection = plain, connection
        self._file = plain.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._plain.settimeout(self._connection.remaining_seconds())
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def _close_all(idle: dict[tuple[str, str], list[BoundedConnection]]) -> None:
    while idle:
        for connection in idle.popitem()[1]:
            connection.close()


def _address(parts: SplitResult) -> tuple[str, int]:
    return str(parts.hostname), parts.port or (443 if parts.scheme == "https" else 80)


def _without(headers: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in names}


def _redirect_target(url: str, location: str) -> str:
    """Return the target URL of a redirect, without user and password; "" if it is no address of HTTP."""
    try:
        parts = urlsplit(urljoin(url, quote(location, safe=string.punctuation, encoding="latin-1")))
        if not location or parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            return ""
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path or "/", parts.query, ""))


def _send_request(  # noqa: PLR0913
    connection: BoundedConnection, method: str, parts: SplitResult, headers: Mapping[str, str], body: bytes,
    proxy: SplitResult | None,
) -> http.client.HTTPResponse:  # fmt: skip
    """Send a request and return the response after its headers; the connection is closed on an error.

    Only the identity coding is requested. ``proxy`` receives the absolute URL.
    """
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    host = parts.netloc.rpartition("@")[2]
    sent_headers = {**headers, "host": host, "accept-encoding": "identity", "connection": "keep-alive"}
    if proxy is not None:
        target = f"http://{host}{target}"
        sent_headers |= _proxy_authorization(proxy)
    if body or method == "POST":
        sent_headers["content-length"] = str(len(body))
    with ExitStack() as failing:
        failing.callback(connection.close)
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in sent_headers.items():
            connection.putheader(name, value)
        connection.endheaders(body or None)
        response = connection.getresponse()
        failing.pop_all()
    return response


def _proxy_authorization(proxy: SplitResult) -> dict[str, str]:
    if not proxy.username:
        return {}
    credentials = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"proxy-authorization": f"Basic {base64.b64encode(credentials.encode()).decode()}"}


def _format_size(number: int) -> str:
    return f"{number >> 20} MB" if number >= 1 << 20 else f"{number} bytes"
