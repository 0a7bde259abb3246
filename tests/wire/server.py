"""A small SPARQL server on the loopback, over files, that can be told to fail in the ways real ones do.

By hand: ``python tests/wire/server.py FILE... --port 8890`` and then ``--kg http://127.0.0.1:8890/sparql``.
"""

from __future__ import annotations

import argparse
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET
from urllib.parse import parse_qs, urlsplit

import pyoxigraph as ox
from chattyshared.endpoint.stored import in_memory

JSON_RESULTS = "application/sparql-results+json"


@dataclass(frozen=True)
class Fault:
    """What to do in place of a proper answer.

    ``status`` with ``body`` (None: the true answer), ``headers`` besides, ``delay`` seconds before; ``keep`` only the
    first bytes of the body; ``drip`` seconds between its bytes; ``reset`` drops the connection without an answer.
    """

    status: int = 200
    body: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON_RESULTS
    delay: float = 0.0
    keep: int | None = None
    drip: float = 0.0
    reset: bool = False


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    method: str
    query: str
    parameters: Mapping[str, list[str]]
    headers: Mapping[str, str]


class SparqlServer(ThreadingHTTPServer):
    """Serves files at ``url``; ``faults`` are used up one a request, ``always`` holds for every request beyond them."""

    daemon_threads = True

    def __init__(self, files: Sequence[Path], *, port: int = 0) -> None:
        self.store = in_memory(files)
        self.faults: deque[Fault] = deque()
        self.always: Fault | None = None
        self.received: list[Received] = []
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        """The endpoint's address."""
        return f"http://127.0.0.1:{self.server_port}/sparql"

    def start(self) -> SparqlServer:
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
    server: SparqlServer
    server_version = "LoopbackSparql/1"

    def do_GET(self) -> None:
        self._serve("GET", urlsplit(self.path).query)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self._serve("POST", body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _serve(self, method: str, encoded: str) -> None:
        parameters = parse_qs(encoded)
        query = parameters.get("query", [""])[0]
        self.server.received.append(Received(method, query, parameters, dict(self.headers)))
        fault = self.server.faults.popleft() if self.server.faults else self.server.always
        if fault is None:
            self._send(*self._answer(query))
            return
        time.sleep(fault.delay)
        if fault.reset:
            self.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            return
        body = self._answer(query)[2] if fault.body is None else fault.body.encode()
        self._send(fault.status, fault.content_type, body[: fault.keep], fault.headers, fault.drip)

    def _answer(self, query: str) -> tuple[int, str, bytes]:
        try:
            found = self.server.store.query(query)
        except (SyntaxError, ValueError, OSError) as error:
            return 400, "text/plain", str(error).encode()
        if isinstance(found, ox.QueryTriples):
            return 200, "text/turtle", found.serialize(format=ox.RdfFormat.TURTLE) or b""
        return 200, JSON_RESULTS, found.serialize(format=ox.QueryResultsFormat.JSON) or b""

    def _send(
        self, status: int, kind: str, body: bytes, headers: Mapping[str, str] | None = None, drip: float = 0.0
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if not drip:
            self.wfile.write(body)
            return
        for byte in body:
            self.wfile.write(bytes((byte,)))
            time.sleep(drip)


def main() -> None:
    """Serve the files named on the command line until interrupted."""
    parser = argparse.ArgumentParser(description="Serve RDF files as a SPARQL endpoint on the loopback.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--port", type=int, default=8890)
    chosen = parser.parse_args()
    server = SparqlServer(chosen.files, port=chosen.port)
    sys.stderr.write(f"serving at {server.url}\n")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
