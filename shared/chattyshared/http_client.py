"""HTTP replies that are bounded: the whole exchange in time, the decoded body in size; over the standard library.

Every server that a user names may be slow, broken or hostile. The timeouts of HTTP libraries hold for a single read, so
a reply that drips never ends; and a few compressed bytes become any amount. Here every wait ends at one deadline, and
no more is decoded than is taken.
"""

from __future__ import annotations

import base64
import http.client
import io
import selectors
import socket
import ssl
import string
import threading
import time
import weakref
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit
from urllib.request import HTTPHandler, Request, getproxies, proxy_bypass

from chattyshared.endpoint.address import is_upgrade, parse_origin

MAX_REPLY_BYTES = 16 << 20
"""Bytes of the largest reply that is taken, decoded."""
_ERROR_PAGE = 1 << 16
"""Bytes of the body of an error or a redirect, whose status says most; the rest is left unread."""
_CHUNK = 1 << 16
_REDIRECTS = 5
_PRIVATE = frozenset({"authorization", "cookie", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key"})
"""Headers that stay with the server that they were meant for."""
_IDLE = 5.0
"""Seconds for which an open connection waits for its next use."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A whole reply: its status, headers (names in lower case) and body, decoded; ``url`` is where it came from."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    url: str


class ReplyTooLarge(Exception):
    """A reply of more bytes than are taken, or in a coding that nobody asked for; nothing of it is kept."""


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
        zlib.error: ``decoder`` cannot decode it.
    """
    left = max_bytes
    while chunk := response.read1(chunk_size):
        part = chunk if decoder is None else decoder.decompress(chunk, left + 1)
        if len(part) > left:
            if truncates:
                yield part[:left]
                return
            raise ReplyTooLarge(f"the reply is larger than {_size(max_bytes)}")
        left -= len(part)
        yield part
    if response.length or (decoder is not None and not decoder.eof):  # read1 accepts a body that ends too early
        raise http.client.IncompleteRead(b"", response.length)


class HttpClient:
    """Sends requests, each of which ends within ``timeout`` seconds; keeps connections open; safe for many threads.

    ``largest`` are the bytes of the largest body. Proxies are those of the environment, unless ``use_proxies`` is
    false. ``tls`` decides which servers are trusted; without it the system's certificates do.
    """

    def __init__(
        self,
        *,
        timeout: float,
        max_bytes: int = MAX_REPLY_BYTES,
        use_proxies: bool = True,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.timeout, self.max_bytes = timeout, max_bytes
        self._use_proxies, self._tls = use_proxies, tls
        self._idle: dict[tuple[str, str], list[BoundedConnection]] = {}
        self._lock = threading.Lock()
        weakref.finalize(self, _close_all, self._idle)

    def send(self, method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes = b"") -> HttpReply:
        """Send a request, follow where it is redirected to, and return the reply, whatever its status.

        Headers that say who asks do not follow to another server.

        Raises:
            TimeoutError: the whole takes longer than it may.
            ReplyTooLarge: the reply is.
            OSError, HTTPException: the server cannot be reached, breaks off, or does not speak HTTP.
            ValueError: the URL is none of HTTP.
        """
        deadline = time.monotonic() + self.timeout
        sent = {name.lower(): value for name, value in (headers or {}).items()}
        for left in reversed(range(_REDIRECTS + 1)):
            reply = self._exchange(method, url, sent, body, deadline)
            target = reply.headers.get("location")
            if reply.status not in (301, 302, 303, 307, 308) or not target or not left:
                return reply
            if reply.status == 303 or (reply.status in (301, 302) and method == "POST"):
                method, body = "GET", b""
                sent = {name: value for name, value in sent.items() if not name.startswith("content-")}
            followed = _followed(url, target)
            if parse_origin(followed) != parse_origin(url) and not is_upgrade(
                parse_origin(url), parse_origin(followed)
            ):
                sent = {name: value for name, value in sent.items() if name not in _PRIVATE}
            url = followed
        raise AssertionError("the last reply is returned")

    def close(self) -> None:
        """Close the connections that are not in use."""
        with self._lock:
            _close_all(self._idle)

    def _exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes, deadline: float) -> HttpReply:
        """Make one exchange with one server, on a connection that is open already if there is one."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"not an address of HTTP: {url!r}")
        key = (parts.scheme, parts.netloc.rpartition("@")[2])
        proxy = self._proxy(parts)
        asked = (method, parts, headers, body, proxy if parts.scheme == "http" else None)
        connection, response = self._taken(key), None
        if connection is not None:
            connection.deadline = deadline
            with suppress(ConnectionResetError, BrokenPipeError):  # the server has closed it meanwhile
                response = _ask(connection, *asked)
        if connection is None or response is None:
            connection = self._opened(parts, proxy, deadline)
            response = _ask(connection, *asked)
        is_done = False
        try:
            with response:
                read = b"".join(self._decoded(response))
                is_done = not response.will_close and (response.isclosed() or response.length == 0)
        finally:
            if is_done:
                connection.idle_since = time.monotonic()
                self._keep(key, connection)
            else:
                connection.close()
        named = {name.lower(): value for name, value in response.getheaders()}
        return HttpReply(response.status, response.reason, named, read, url)

    def _decoded(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        """Yield the body in parts, decoded, as long as it is no larger than it may be; of an error, how it begins."""
        is_error = not 200 <= response.status < 300
        coding = (response.getheader("Content-Encoding") or "identity").strip().lower()
        if coding not in ("identity", "gzip", "x-gzip", "deflate"):
            if is_error:
                return
            raise ReplyTooLarge(f"the reply is compressed, as {coding[:40]}")
        # Compression was not asked for; some servers compress nevertheless.
        decoder = None if coding == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32)
        max_bytes = min(self.max_bytes, _ERROR_PAGE) if is_error else self.max_bytes
        try:
            yield from read_bounded(response, max_bytes, decoder=decoder, truncates=is_error)
        except zlib.error as error:
            raise http.client.HTTPException(f"the reply is not {coding}: {error}") from error

    def _keep(self, key: tuple[str, str], connection: BoundedConnection) -> None:
        """Keep a connection open for its next use, and close those that nobody has used for long."""
        with self._lock:
            self._idle.setdefault(key, []).append(connection)
            oldest = time.monotonic() - _IDLE
            for server, several in list(self._idle.items()):
                for stale in [each for each in several if each.idle_since < oldest]:
                    several.remove(stale)
                    stale.close()
                if not several:
                    del self._idle[server]

    def _taken(self, key: tuple[str, str]) -> BoundedConnection | None:
        """Return an open connection to a server, if there is one that is still good."""
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
        """Return the proxy for an address."""
        if not self._use_proxies or proxy_bypass(str(parts.hostname)):
            return None
        known = getproxies()
        through = known.get(parts.scheme) or known.get("all")
        if not through:
            return None
        proxy = urlsplit(through if "://" in through else f"http://{through}")
        if proxy.scheme != "http":
            raise OSError(f"a proxy of the kind {proxy.scheme} cannot be used, only http")
        return proxy

    def _opened(self, parts: SplitResult, proxy: SplitResult | None, deadline: float) -> BoundedConnection:
        if parts.scheme == "https" and self._tls is None:
            self._tls = ssl.create_default_context()
        tls = self._tls if parts.scheme == "https" else None
        timeout = deadline - time.monotonic()
        if proxy is None:
            return BoundedConnection(*_address(parts), timeout=timeout, tls=tls)
        connection = BoundedConnection(*_address(proxy), timeout=timeout, tls=tls)
        if tls is not None:
            connection.set_tunnel(*_address(parts), headers=_proxy_login(proxy))
        return connection


class BoundedConnection(http.client.HTTPConnection):
    """A connection of http.client whose every wait ends at ``deadline``, a time of the monotonic clock."""

    def __init__(
        self, host: str, port: int | None = None, *, timeout: float, tls: ssl.SSLContext | None = None
    ) -> None:
        """Set the deadline; with ``tls`` the connection is one of HTTPS."""
        if tls is not None:
            self.default_port = http.client.HTTPS_PORT
        super().__init__(host, port)
        self._tls = tls
        self.deadline = time.monotonic() + timeout
        self.idle_since = 0.0

    def remaining_seconds(self) -> float:
        """Return the seconds until the deadline.

        Raises:
            TimeoutError: there are none.
        """
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        return left

    def connect(self) -> None:
        """Connect to the server, through a tunnel if one is set."""
        plain = self._reached()
        with ExitStack() as failing:
            failing.callback(plain.close)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock = cast(Any, _TimedSocket(plain, self))
            base = cast(Any, self)  # what subclasses of it use is in no stub
            if base._tunnel_host:
                base._tunnel()
            if self._tls is not None:
                plain.settimeout(self.remaining_seconds())
                name = base._tunnel_host or self.host
                self.sock = cast(Any, _TimedSocket(self._tls.wrap_socket(plain, server_hostname=name), self))
            failing.pop_all()

    def is_good(self) -> bool:
        """Tell whether the server has kept the connection open and said nothing since."""
        if self.sock is None or time.monotonic() - self.idle_since > _IDLE:
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(self.sock, selectors.EVENT_READ)
            return not selector.select(0)

    def _reached(self) -> socket.socket:
        """Return a socket that is connected to the first address of the host that takes it."""
        failure: OSError = OSError(f"no address of {self.host} is known")
        try:
            addresses = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except UnicodeError:  # a name that no server may have
            raise failure from None
        for family, kind, protocol, _, address in addresses:
            tried = socket.socket(family, kind, protocol)
            try:
                tried.settimeout(self.remaining_seconds())
                tried.connect(address)
                return tried
            except OSError as error:
                tried.close()
                failure = error
        raise failure


class BoundedHandler(HTTPHandler):
    """What an opener of urllib opens http and https with, so that the time of a request is that of its reply too."""

    https_request = HTTPHandler.http_request
    connection_factory: Any = BoundedConnection
    """What makes a connection, from a host, ``timeout`` and ``tls``."""
    _tls: ssl.SSLContext | None = None

    def http_open(self, req: Request) -> http.client.HTTPResponse:
        """Open a request."""
        return self.do_open(self.connection_factory, req)

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        """Open a request over TLS."""
        self._tls = self._tls or ssl.create_default_context()
        return self.do_open(self.connection_factory, req, tls=self._tls)


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
    """What http.client reads from; the socket stays open until this is closed, too."""

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


def _followed(url: str, target: str) -> str:
    """Return where a redirect leads to."""
    try:
        followed = urljoin(url, quote(target, safe=string.punctuation, encoding="latin-1"))
        parts = urlsplit(followed)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return followed
    except ValueError:
        pass
    raise http.client.HTTPException(f"redirected to {target[:100]!r}, which is no address of HTTP")


def _ask(  # noqa: PLR0913
    connection: BoundedConnection, method: str, parts: SplitResult, headers: Mapping[str, str], body: bytes,
    proxy: SplitResult | None,
) -> http.client.HTTPResponse:  # fmt: skip
    """Send a request, and return the reply with its headers read; without one the connection is closed.

    Nothing but the plain coding is asked for. ``proxy`` is told the whole address.
    """
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    host = parts.netloc.rpartition("@")[2]
    named = {**headers, "host": host, "accept-encoding": "identity", "connection": "keep-alive"}
    if proxy is not None:
        target = f"http://{host}{target}"
        named |= _proxy_login(proxy)
    if body or method == "POST":
        named["content-length"] = str(len(body))
    with ExitStack() as failing:
        failing.callback(connection.close)
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in named.items():
            connection.putheader(name, value)
        connection.endheaders(body or None)
        response = connection.getresponse()
        failing.pop_all()
    return response


def _proxy_login(proxy: SplitResult) -> dict[str, str]:
    if not proxy.username:
        return {}
    login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"proxy-authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}


def _size(number: int) -> str:
    return f"{number >> 20} MB" if number >= 1 << 20 else f"{number} bytes"
