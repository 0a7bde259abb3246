"""A server of chat completions on the loopback, scripted reply by reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from wire.model_server import Fault, ModelServer, completion, error

Script = Callable[[dict[str, Any]], Fault]


def said(text: Any, finish: str = "stop", **more: Any) -> Fault:
    """A completion as OpenAI sends it."""
    message = more.pop("message", {})
    return Fault(body=completion(text, finish, **message) | more)


def refused(status: int, message: str, **more: Any) -> Fault:
    """An error as OpenAI sends it; retries, if any, come at once."""
    return Fault(status, error(message, **more), {"retry-after-ms": "1"})


@pytest.fixture
def serve() -> Iterator[Callable[[Script], ModelServer]]:
    """Start servers by script; they end with the test."""
    servers: list[ModelServer] = []

    def start(script: Script) -> ModelServer:
        servers.append(ModelServer().start())
        servers[-1].says = script
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def reply() -> Callable[..., Fault]:
    return said


@pytest.fixture
def refusal() -> Callable[..., Fault]:
    return refused
