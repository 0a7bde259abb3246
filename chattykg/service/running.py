"""The service on a socket, until it is interrupted."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from chattyshared.errors import ConfigError
from fastapi import FastAPI

_BACKLOG = 2_048
_LONGEST_HEAD = 256 << 10
"""Bytes of a request's line and headers; what is longer is refused before anything reads it."""


def run(app: FastAPI, host: str, port: int, told: Callable[[str], None] = lambda _: None) -> None:
    """Serve at an address until the process is interrupted; ``told`` hears the URL once clients can connect.

    Raises:
        ConfigError: the address cannot be used.
    """
    with listening(host, port) as sock:
        told(address(sock))
        with suppress(KeyboardInterrupt):  # uvicorn has ended well, and hands the signal on
            server(app).run(sockets=[sock])


def server(app: FastAPI) -> uvicorn.Server:
    """Make a server for ``run``, or for a thread of a test."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            backlog=_BACKLOG,
            h11_max_incomplete_event_size=_LONGEST_HEAD,
            http="h11",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=10,
        )  # fmt: skip
    )


def listening(host: str, port: int) -> socket.socket:
    """Open a socket that listens; port 0 takes any that is free.

    Raises:
        ConfigError: the address cannot be used.
    """
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(place[:2], family=family, backlog=_BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        raise ConfigError(
            f"cannot serve at {host}, port {port}: {getattr(error, 'strerror', None) or error}"
        ) from error


def address(sock: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
