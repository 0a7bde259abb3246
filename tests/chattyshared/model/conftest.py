"""A server of chat completions on the loopback, scripted reply by reply."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Script = Callable[[dict[str, Any]], "Canned"]


class Canned:
    """One HTTP answer; a dict as body is sent as JSON."""

    def __init__(self, status: int, body: Any, kind: str = "application/json", **headers: str) -> None:
        self.status, self.kind = status, kind
        self.body = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.headers = {key.replace("_", "-"): value for key, value in headers.items()}


class ChatServer:
    """Answers by a script and keeps what it was asked, with the headers."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        handler = type("Handler", (_Handler,), {"chat": self})
        self._server = _QuietServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet about clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    chat: ChatServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.chat.asked.append(asked)
        self.chat.keys.append(self.headers.get("Authorization", ""))
        canned = self.chat.script(asked)
        self.send_response(canned.status)
        self.send_header("Content-Type", canned.kind)
        self.send_header("Content-Length", str(len(canned.body)))
        for name, value in canned.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(canned.body)

    def log_message(self, *_: Any) -> None:
        pass


def said(text: str | None, finish: str = "stop", **more: Any) -> Canned:
    """A completion as OpenAI sends it."""
    message = {"role": "assistant", "content": text, **more.pop("message", {})}
    body = {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }  # fmt: skip
    return Canned(200, body | more)


def refused(status: int, message: str, **more: Any) -> Canned:
    """An error as OpenAI sends it; retries, if any, come at once."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}
    return Canned(status, {"error": error}, retry_after_ms="1")


@pytest.fixture
def serve() -> Iterator[Callable[[Script], ChatServer]]:
    """Start servers by script; they end with the test."""
    servers: list[ChatServer] = []

    def start(script: Script) -> ChatServer:
        servers.append(ChatServer(script))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def canned() -> type[Canned]:
    return Canned


@pytest.fixture
def reply() -> Callable[..., Canned]:
    return said


@pytest.fixture
def refusal() -> Callable[..., Canned]:
    return refused
