"""What all tests share: no network beyond the loopback, a SPARQL server on it, and an endpoint that counts."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chattyshared.endpoint import Endpoint, Row
from hypothesis import settings
from wire.server import SparqlServer

settings.register_profile("project", deadline=None)  # a busy machine is no error
settings.load_profile("project")


def _is_loopback(address: object) -> bool:
    if not isinstance(address, tuple):
        return True  # a path of a Unix socket
    host = str(address[0])
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection and every name look-up beyond the loopback."""
    connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def refused(place: object) -> None:
        if not _is_loopback(place):
            raise PermissionError(f"tests do not leave the loopback: {place}")

    def guarded_connect(self: socket.socket, place: object) -> None:
        refused(place)
        connect(self, place)

    def guarded_connect_ex(self: socket.socket, place: object) -> int:
        refused(place)
        return connect_ex(self, place)

    def guarded_look_up(host: object, *rest: object, **options: object) -> object:
        if host is not None:
            refused((host.decode() if isinstance(host, bytes) else host,))
        return look_up(host, *rest, **options)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def no_settings_of_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what a developer's shell sets for the commands out of the tests."""
    for name in ("CHATTY_KG", "CHATTY_CONTACT", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def sparql_server(tmp_path: Path) -> Iterator[Callable[..., SparqlServer]]:
    """Make servers: ``sparql_server(path, ...)`` serves files, ``sparql_server("<a> <b> ...")`` a piece of Turtle."""
    running: list[SparqlServer] = []

    def serve(*sources: Path | str) -> SparqlServer:
        files = []
        for number, source in enumerate(sources):
            if isinstance(source, str):
                path = tmp_path / f"served-{len(running)}-{number}.ttl"
                path.write_text(source, encoding="utf-8")
                files.append(path)
            else:
                files.append(source)
        running.append(SparqlServer(files).start())
        return running[-1]

    yield serve
    for server in running:
        server.stop()


class Counting:
    """An endpoint that counts the requests made through it."""

    def __init__(self, inner: Endpoint) -> None:
        self.inner, self.name, self.count = inner, inner.name, 0

    def select(self, query: str) -> list[Row]:
        self.count += 1
        return self.inner.select(query)

    def ask(self, query: str) -> bool:
        self.count += 1
        return self.inner.ask(query)

    def untrusted_view(self, stop: object = None) -> Endpoint:
        return self.inner.untrusted_view()


@pytest.fixture
def counting() -> type[Counting]:
    return Counting
