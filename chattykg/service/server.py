"""The service on a socket, until it is interrupted: HTTP/1.1 with deadlines, a bound on connections, and an end that
answers everybody."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import math
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from types import FrameType
from typing import Any

import h11
import uvicorn
from chattyshared.errors import ConfigError
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from chattykg.service.request_limits import InFlightRequests, RequestLimits

_BACKLOG = 2_048
_LONGEST_HEAD = 256 << 10
"""Bytes of a request's line and headers; what is longer is refused before anything reads it."""
_WARNING_PAUSE = 60
"""Seconds between two warnings that the process may open no more files."""
_log = logging.getLogger(__name__)


def serve_app(app: FastAPI, host: str, port: int, on_ready: Callable[[str], None] = lambda _: None) -> int:
    """Serve at an address until the process is interrupted; ``told`` hears the URL once clients can connect.

    Return how many requests the end cut off: threads may still work on those.

    Raises:
        ConfigError: the address cannot be used.
    """
    with open_listener(host, port) as sock:
        on_ready(url_of(sock))
        with suppress(KeyboardInterrupt):
            make_server(app).run(sockets=[sock])
    in_flight: InFlightRequests = app.state.in_flight
    return in_flight.cut_count


def make_server(app: FastAPI) -> Server:
    """Make a server for ``run``, or for a thread of a test."""
    return Server(app, app.state.limits, app.state.in_flight)


class Server(uvicorn.Server):
    """A server that ends in its time of grace: one signal lets requests in flight finish, a second cuts them off."""

    def __init__(self, app: FastAPI, limits: RequestLimits, in_flight: InFlightRequests) -> None:
        super().__init__(_Config(app, limits))
        self._grace, self._in_flight, self._is_hurried = limits.grace_seconds, in_flight, False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; at a second signal, at once. No signal is raised again: the process ends in order."""
        self._is_hurried = self.should_exit
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, with a longer queue than is accepted at a time."""
        await super().startup(sockets)
        for sock in sockets or ():
            sock.listen(_BACKLOG)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, give requests in flight their time, and cut off the others."""
        end = asyncio.create_task(self._cut_off())
        await super().shutdown(sockets)
        end.cancel()

    async def _cut_off(self) -> None:
        end = time.monotonic() + self._grace
        while time.monotonic() < end and not self._is_hurried:
            await asyncio.sleep(0.05)
        self._abort(lambda transport: transport.get_write_buffer_size() > 0)
        await asyncio.sleep(0.05)
        self._in_flight.cut_off()
        await asyncio.sleep(1)
        self._abort(lambda _: True)

    def _abort(self, which: Callable[[asyncio.Transport], bool]) -> None:
        for connection in list(self.server_state.connections):
            if which(connection.transport):
                connection.transport.abort()


class _Config(uvicorn.Config):
    """The settings of a server, with limits that leave files for graphs and models."""

    def __init__(self, app: FastAPI, limits: RequestLimits) -> None:
        files = _open_files()
        self.limits = replace(limits, connections=min(limits.connections, files * 3 // 4))
        super().__init__(
            app,
            log_level="error",
            access_log=False,
            # So many connections are accepted at a time, before one of them can be refused.
            backlog=max(1, min(_BACKLOG, files // 32)),
            h11_max_incomplete_event_size=_LONGEST_HEAD,
            http=Connection,
            loop="asyncio",
            ws="none",
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=limits.idle_seconds,
            timeout_graceful_shutdown=int(limits.grace_seconds) + 5,
        )


def _open_files() -> int:
    """Return how many files the process may have open."""
    try:
        import resource
    except ImportError:  # not a Unix
        return 512
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 16 if files == resource.RLIM_INFINITY else files


class Connection(H11Protocol):
    """The connection of one client, which sends the head of each request in time and reads its answers in time.

    Of too many connections, the one that has waited longest for its client is closed.
    """

    def __init__(self, config: _Config, *arguments: Any, **more: Any) -> None:
        super().__init__(config, *arguments, **more)
        self._limits = config.limits
        self._since = 0.0
        self._head: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the head of a request; make room if there are too many connections."""
        super().connection_made(transport)
        self._expect_head()
        if len(self.connections) > self._limits.connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what was waited for."""
        for timer in (self._head, self._unread):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._expect_head()

    def on_response_complete(self) -> None:
        """Wait until the answer is read, and for the next request."""
        super().on_response_complete()
        self._expect_head()
        self._expect_reading()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, if nothing was answered yet."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(400, "this is no valid HTTP/1.1 request, or its head is too long")
        else:
            self.transport.close()

    def _expect_head(self) -> None:
        """Set the deadline of a head while one is waited for."""
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            if self._head is None:
                self._since = self.loop.time()
                self._head = self.loop.call_later(self._limits.head_seconds, self._end_head)
        elif self._head is not None:
            self._head.cancel()
            self._head = None

    def _end_head(self) -> None:
        if self.conn.trailing_data[0]:
            self._refuse(408, f"the head of the request took more than {self._limits.head_seconds:g} s")
        else:
            self.transport.abort()

    def _expect_reading(self) -> None:
        """Set the deadline at which everything has to be read that was answered."""
        if self._unread is not None:
            self._unread.cancel()
        self._unread = self.loop.call_later(self._limits.unread_seconds, self._end_reading)

    def _end_reading(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()

    def _make_room(self) -> None:
        waiting = [each for each in self.connections if isinstance(each, Connection) and each._is_waiting()]
        oldest = min(waiting, key=lambda each: each._since)
        if oldest is self:
            self._refuse(503, "too many connections are open: ask again in some seconds")
        else:
            self.connections.discard(oldest)
            oldest.transport.abort()

    def _is_waiting(self) -> bool:
        """Say whether the client has not sent the whole of its request."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _refuse(self, status: int, said: str) -> None:
        """Answer in place of the application, and close."""
        body = json.dumps({"detail": said}).encode()
        self.transport.write(
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
            + body
        )
        self.transport.close()
        self._expect_reading()


class Listener(socket.socket):
    """A socket that listens; while the process may open no more files it closes who connects, and warns of it."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(fileno=sock.detach())
        self._spare, self._warned = os.open(os.devnull, os.O_RDONLY), -math.inf

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection.

        Raises:
            ConnectionAbortedError: it was closed again.
        """
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            self._close_next()
            raise ConnectionAbortedError from error

    def close(self) -> None:
        """Close the socket and the file that is kept for a connection too many."""
        self._free_spare()
        super().close()

    def _close_next(self) -> None:
        self._free_spare()
        with suppress(OSError):
            super().accept()[0].close()
            self._spare = os.open(os.devnull, os.O_RDONLY)
        if time.monotonic() - self._warned > _WARNING_PAUSE:
            self._warned = time.monotonic()
            _log.warning("connections are closed: the process may open no more files (ulimit -n)")

    def _free_spare(self) -> None:
        if self._spare >= 0:
            os.close(self._spare)
        self._spare = -1


def open_listener(host: str, port: int) -> Listener:
    """Open a socket that listens; port 0 takes any that is free.

    Raises:
        ConfigError: the address cannot be used.
    """
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return Listener(socket.create_server(place[:2], family=family, backlog=_BACKLOG))
    except (OSError, OverflowError, UnicodeError) as error:
        raise ConfigError(
            f"cannot serve at {host}, port {port}: {getattr(error, 'strerror', None) or error}"
        ) from error


def url_of(sock: socket.socket) -> str:
    """Return the URL of a listening socket; of one that listens at all addresses, that of this machine."""
    host, port = sock.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
