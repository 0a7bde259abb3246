"""Runs the service on a socket: HTTP/1.1 with deadlines, a limit on connections, and an orderly end."""

from __future__ import annotations

import asyncio
import errno
import faulthandler
import json
import logging
import math
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
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from chattykg.service.request_limits import InFlightRequests, RequestLimits

_BACKLOG = 2_048
_LONGEST_HEAD = 256 << 10
"""Bytes of a request's line and headers; longer ones are refused before they are parsed."""
_WARNING_PAUSE = 60
"""Seconds between two warnings that the process cannot open more files."""
_LAST_SECONDS = 10
"""Seconds from the end of the grace time until the process is ended by force."""
_logger = logging.getLogger(__name__)


def serve_app(app: Starlette, host: str, port: int, on_ready: Callable[[str], None] = lambda _: None) -> int:
    """Serve at an address until the process is interrupted; ``on_ready`` gets the URL when clients can connect.

    Return the number of requests that the end cut off; threads may still work on them.

    Raises:
        ConfigError: the address cannot be used.
    """
    with open_listener(host, port) as sock:
        on_ready(url_of(sock))
        with suppress(KeyboardInterrupt):
            make_server(app).run(sockets=[sock])
    in_flight: InFlightRequests = app.state.in_flight
    return in_flight.cut_count


def make_server(app: Starlette) -> Server:
    """Return a server for an application whose state has ``limits``."""
    return Server(_Config(app, app.state.limits))


class Server(uvicorn.Server):
    """A server that ends within its grace time: the first signal lets requests finish, a second cuts them off."""

    _warned_at = -math.inf

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; at a second signal, end at once. No signal is raised again, so the process ends normally.

        Where a call into C holds the interpreter beyond that, the process ends all the same, with the lines of its
        threads on stderr and exit code 1.
        """
        faulthandler.dump_traceback_later((self.config.timeout_graceful_shutdown or 0) + _LAST_SECONDS, exit=True)
        for request in self.server_state.tasks if self.should_exit else ():
            request.cancel()
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, with a queue longer than the number of connections accepted at a time."""
        asyncio.get_running_loop().set_exception_handler(self._report)
        await super().startup(sockets)
        for sock in sockets or ():
            sock.listen(_BACKLOG)

    def _report(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log what goes wrong in the loop; once a minute that the process cannot open more files."""
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            loop.default_exception_handler(context)
        elif time.monotonic() - self._warned_at > _WARNING_PAUSE:
            self._warned_at = time.monotonic()
            _logger.warning("connections wait: the process may open no more files (ulimit -n)")


class _Config(uvicorn.Config):
    """The configuration of a server; its limits leave open files for graphs and models."""

    def __init__(self, app: Starlette, limits: RequestLimits) -> None:
        files = _max_open_files()
        self.limits = replace(limits, connections=min(limits.connections, files * 3 // 4))
        logging.getLogger("uvicorn.error").addFilter(_is_unexpected)
        super().__init__(
            app,
            log_level="error",
            access_log=False,
            # This many connections are accepted at a time, before one of them can be refused.
            backlog=max(1, min(_BACKLOG, files // 32)),
            h11_max_incomplete_event_size=_LONGEST_HEAD,
            http=Connection,
            loop="asyncio",
            ws="none",
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=limits.idle_seconds,
            timeout_graceful_shutdown=limits.grace_seconds,  # type: ignore[arg-type] # asyncio takes fractions
        )


def _is_unexpected(record: logging.LogRecord) -> bool:
    """Tell whether a record of the server is no part of an end that cuts requests off."""
    return "graceful shutdown" not in record.getMessage()


def _max_open_files() -> int:
    """Return the number of files that the process may open."""
    try:
        import resource
    except ImportError:  # not a Unix
        return 512
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 16 if files == resource.RLIM_INFINITY else files


class Connection(H11Protocol):
    """The connection of one client, with deadlines for the head of each request and for reading the responses.

    If there are too many connections, the one that has waited longest for its client is closed.
    """

    def __init__(self, config: _Config, *args: Any, **kwargs: Any) -> None:
        super().__init__(config, *args, **kwargs)
        self._limits = config.limits
        self._waiting_since = 0.0
        self._head_deadline: asyncio.TimerHandle | None = None
        self._read_deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the head of a request; make room if there are too many connections."""
        super().connection_made(transport)
        self._expect_head()
        if len(self.connections) > self._limits.connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadlines."""
        for timer in (self._head_deadline, self._read_deadline):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._expect_head()

    def on_response_complete(self) -> None:
        """Start the deadline for the next request."""
        super().on_response_complete()
        self._expect_head()

    def pause_writing(self) -> None:
        """Wait for the client to read what was sent; a client that reads too slowly is cut off."""
        super().pause_writing()
        self._read_deadline = self.loop.call_later(self._limits.unread_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue to send."""
        super().resume_writing()
        if self._read_deadline is not None:
            self._read_deadline.cancel()

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that is no HTTP, unless a response has begun."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(400, "this is no valid HTTP/1.1 request, or its head is too long")
        else:
            self.transport.close()

    def _expect_head(self) -> None:
        """Set the deadline of a request's head while the connection waits for one."""
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            if self._head_deadline is None:
                self._waiting_since = self.loop.time()
                self._head_deadline = self.loop.call_later(self._limits.head_seconds, self._end_head)
        elif self._head_deadline is not None:
            self._head_deadline.cancel()
            self._head_deadline = None

    def _end_head(self) -> None:
        if self.conn.trailing_data[0]:
            self._refuse(408, f"the head of the request took more than {self._limits.head_seconds:g} s")
        else:
            self.transport.abort()

    def _make_room(self) -> None:
        waiting = [peer for peer in self.connections if isinstance(peer, Connection) and peer._is_waiting()]
        oldest = min(waiting, key=lambda peer: peer._waiting_since)
        if oldest is self:
            self._refuse(503, "too many connections are open: ask again in some seconds")
        else:
            self.connections.discard(oldest)
            oldest.transport.abort()

    def _is_waiting(self) -> bool:
        """Tell whether the client has not yet sent a whole request."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _refuse(self, status: int, message: str) -> None:
        """Send an error response in place of the application, and close."""
        body = json.dumps({"detail": message}).encode()
        self.transport.write(
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
            + body
        )
        self.transport.close()


def open_listener(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 takes any free port.

    Raises:
        ConfigError: the address cannot be used.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        raise ConfigError(
            f"cannot serve at {host}, port {port}: {getattr(error, 'strerror', None) or error}"
        ) from error


def url_of(sock: socket.socket) -> str:
    """Return the URL of a listening socket; for all addresses, that of the local machine."""
    host, port = sock.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
