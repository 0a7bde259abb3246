"""Systems to compare with, on the loopback: JSON by address, with faults as told; they count what they were asked."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Answering = Callable[[str, str, Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Fault:
    """What to say in place of an answer."""

    status: int
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


class SystemServer(ThreadingHTTPServer):
    """``answering`` gets method, path and what was sent; what it returns is sent as JSON. ``faults`` come first."""

    daemon_threads = True

    def __init__(self, answering: Answering, *faults: Fault) -> None:
        self.answering, self.faults = answering, deque(faults)
        self.always: Fault | None = None
        self.asked: list[tuple[str, str, Mapping[str, Any]]] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet about clients that went away."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> SystemServer:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: SystemServer

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self._answer("GET", parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()})

    def do_POST(self) -> None:
        self._answer("POST", self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, method: str, path: str, sent: Mapping[str, Any]) -> None:
        self.server.asked.append((method, path, sent))
        fault = self.server.faults.popleft() if self.server.faults else self.server.always
        body = fault.body if fault else json.dumps(self.server.answering(method, path, sent))
        self.send_response(fault.status if fault else 200)
        for name, value in (fault.headers if fault else {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        pass


def chatty_kg(said: Mapping[str, Any]) -> Answering:
    """Chatty-KG's own service, which keeps one conversation: says to each question what is told for it here."""
    talk: list[str] = []

    def answering(method: str, path: str, sent: Mapping[str, Any]) -> Any:
        if path == "/start_chat":
            talk.clear()
            return {"message": f"chat about {sent['knowledge_graph']}"}
        talk.append(sent["question"])
        return {
            "answer": said[sent["question"]],
            "sparql_query": ["SELECT * {}"],
            "resolved_question": f"turn {len(talk)}",
            "qir": [],
            "entities": [],
            "relations": [{"relation": "https://orchard.example/born", "score": 0.5}],
            "timing": {"understanding": 0.5, "linking": 0.25, "query_selection": 0.125, "execution": 1},
        }

    return answering
