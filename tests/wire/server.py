"""A small SPARQL server on the loopback, over files, that can be told to fail in the ways real ones do.

By hand: ``python tests/wire/server.py FILE... --port 8890`` and then ``--kg http://127.0.0.1:8890/sparql``.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET
from urllib.parse import parse_qs, urlsplit

import pyoxigraph as ox
from chattyshared.endpoint.store_loading import FileSource, load_store

JSON_RESULTS = "application/sparql-results+json"


@dataclass(frozen=True)
class Fault:
    """What to do in place of a proper answer.

    ``status`` with ``body`` (None: the true answer), ``headers`` besides, ``delay`` seconds before; ``keep`` only the
    first bytes of the body; ``drip`` seconds between its bytes; ``reset`` drops the connection without an answer;
    ``flood`` sends rows without end.
    """

    status: int = 200
    body: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON_RESULTS
    delay: float = 0.0
    keep: int | None = None
    drip: float = 0.0
    reset: bool = False
    flood: bool = False


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    method: str
    query: str
    parameters: Mapping[str, list[str]]
    headers: Mapping[str, str]
    refused: bool = False


class SparqlServer(ThreadingHTTPServer):
    """Serves files at ``url``; ``faults`` are used up one a request, ``always`` holds for every request beyond them.

    ``software`` is what it calls itself; ``understood`` turns what only its like understand into SPARQL 1.1.
    """

    daemon_threads = True

    def __init__(self, files: Sequence[Path], *, port: int = 0) -> None:
        self.store = load_store(FileSource(files))
        self.faults: deque[Fault] = deque()
        self.always: Fault | None = None
        self.heavy: tuple[str, Fault] | None = None
        self.gate: Callable[[str, str, str], str | None] = lambda method, path, said: None
        self.flooded = 0
        self.judge: Callable[[str, str], Fault | None] = lambda method, query: None
        self.most_rows: int | None = None
        self.tells_most = True
        self.received: list[Received] = []
        self.software = "LoopbackSparql/1"
        self.understood: Callable[[str], str] = str
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

    def version_string(self) -> str:
        return self.server.software

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
        judged = self.server.judge(method, query)
        self.server.received.append(
            Received(
                method,
                query,
                parameters,
                {name.title(): text for name, text in self.headers.items()},
                judged is not None,
            )
        )
        query = query or encoded
        challenge = self.server.gate(method, self.path, self.headers.get("Authorization", ""))
        if challenge is not None:
            self._send(401, "text/plain", b"who are you?", {"WWW-Authenticate": challenge} if challenge else {})
            return
        fault = self.server.faults.popleft() if self.server.faults else self.server.always
        if self.server.heavy is not None and self.server.heavy[0] in query:
            fault = self.server.heavy[1]
        fault = judged or fault
        if fault is None:
            status, kind, body = self._answer(query)
            self._send(status, kind, *self._cut(body))
            return
        time.sleep(fault.delay)
        if fault.reset:
            self.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            return
        if fault.flood:
            self._flood()
            return
        body = (
            self._answer(query)[2]
            if fault.body is None
            else fault.body.encode("latin-1" if "Content-Encoding" in fault.headers else "utf-8")
        )
        self._send(fault.status, fault.content_type, body[: fault.keep], fault.headers, fault.drip)

    def _cut(self, body: bytes) -> tuple[bytes, Mapping[str, str]]:
        most = self.server.most_rows
        if most is None or body.count(b"{") <= most:
            return body, {}
        said = json.loads(body)
        found = said.get("results", {}).get("bindings", [])
        if len(found) < most:
            return body, {}
        said["results"]["bindings"] = found[:most]
        return json.dumps(said).encode(), {"X-SPARQL-MaxRows": str(most)} if self.server.tells_most else {}

    def _flood(self) -> None:
        """Send rows until the client has had enough."""
        self.send_response(200)
        self.send_header("Content-Type", JSON_RESULTS)
        self.end_headers()
        row = b'{"s": {"type": "uri", "value": "http://example.org/' + b"x" * 150 + b'"}},'
        self.wfile.write(b'{"head": {"vars": ["s"]}, "results": {"bindings": [')
        while True:
            self.wfile.write(row * 5_000)
            self.server.flooded += 5_000 * len(row)

    def _answer(self, query: str) -> tuple[int, str, bytes]:
        try:
            found = self.server.store.query(self.server.understood(query))
        except (SyntaxError, ValueError, OSError, RuntimeError) as error:
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
