"""A server of chat completions on the loopback that misbehaves as told, and counts what it was asked."""

from __future__ import annotations

import json
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SO_LINGER, SOL_SOCKET
from typing import Any


def completion(text: str | None = '{"a": "b"}', finish: str = "stop", **message: Any) -> dict[str, Any]:
    """A completion as OpenAI sends it."""
    said = {"role": "assistant", "content": text, **message}
    return {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }  # fmt: skip


def error(message: str, **more: Any) -> dict[str, Any]:
    """An error as OpenAI sends it."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}}


@dataclass(frozen=True)
class Fault:
    """What to do in place of a proper answer.

    ``status`` and ``body`` (text, or what is sent as JSON), ``headers`` besides; ``hang`` seconds before; only the
    first ``keep`` bytes of the body, and then the connection is reset: with none, at once.
    """

    status: int = 200
    body: Any = field(default_factory=completion)
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: float = 0.0
    keep: int | None = None


class ModelServer(ThreadingHTTPServer):
    """``faults`` are used up one a request, ``always`` holds for every request beyond them; ``slow`` seconds each.

    ``says`` gives the answer to a request, as it was sent, where neither is left. More than ``at_once`` requests at the
    same time are refused with status 429.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *, port: int = 0, slow: float = 0.0, at_once: int | None = None) -> None:
        self.faults: deque[Fault] = deque()
        self.always: Fault | None = None
        self.says: Callable[[dict[str, Any]], Fault | None] = lambda _: None
        self.slow, self.at_once = slow, at_once
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.in_flight = self.most = self.refused = 0
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def start(self) -> ModelServer:
        """Serve in a thread until ``stop``."""
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def stop(self) -> None:
        """End serving and free the port."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet about clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            server.asked.append(asked)
            server.keys.append(self.headers.get("Authorization", ""))
            server.in_flight += 1
            server.most = max(server.most, server.in_flight)
            crowded = server.at_once is not None and server.in_flight > server.at_once
            server.refused += crowded
            fault = server.faults.popleft() if server.faults else server.always or server.says(asked)
        try:
            self._answer(Fault(429, error("too many requests")) if crowded else fault)
        finally:
            with server.lock:
                server.in_flight -= 1

    def _answer(self, fault: Fault | None) -> None:
        fault = fault or Fault()
        time.sleep(fault.hang or self.server.slow)
        body = (fault.body if isinstance(fault.body, str) else json.dumps(fault.body)).encode()
        if fault.keep == 0:
            self._reset()
            return
        self.send_response(fault.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **fault.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: fault.keep])
        if fault.keep is not None:
            self.wfile.flush()
            self._reset()

    def _reset(self) -> None:
        self.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass
