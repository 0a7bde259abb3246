"""A service in a thread of this process, a client of it, and two small invented graphs."""

import http.client
import json
import socket
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from chattykg.service.server import make_server, open_listener, url_of

ORCHARD = """\
@prefix : <https://orchard.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Tree a rdfs:Class ; rdfs:label "tree" .
:Person a rdfs:Class ; rdfs:label "person" .
:planted rdfs:label "planted by" .
:born rdfs:label "date of birth" .
:t1 a :Tree ; rdfs:label "Old Bramley" ; :planted :g1 .
:t2 a :Tree ; rdfs:label "Young Russet" ; :planted :g2 .
:g1 a :Person ; rdfs:label "Ida Moor" ; :born "1931-04-02"^^xsd:date .
:g2 a :Person ; rdfs:label "Tom Reed" ; :born "1950-09-12"^^xsd:date .
"""
PIERS = """\
@prefix : <https://piers.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Pier a rdfs:Class ; rdfs:label "pier" .
:keeper rdfs:label "keeper" .
:p1 a :Pier ; rdfs:label "West Pier" ; :keeper :k1 .
:k1 rdfs:label "Una Gale" .
"""


@dataclass(frozen=True)
class Got:
    """An answer of the service."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Asks one service, a connection a request."""

    def __init__(self, url: str) -> None:
        self.url, self.place = url, urlsplit(url).netloc

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Got:
        connection = http.client.HTTPConnection(self.place, timeout=60)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            got = connection.getresponse()
            return Got(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
        finally:
            connection.close()

    def get(self, path: str, **parameters: str) -> Got:
        return self.send("GET", f"{path}?{urlencode(parameters)}" if parameters else path)

    def chat(self, question: object, **more: object) -> Got:
        body = json.dumps({"question": question, **more}).encode()
        return self.send("POST", "/chat", body, Content_Type="application/json")

    def open(self, sent: bytes = b"") -> socket.socket:
        """Connect, and send what need not be HTTP."""
        host, port = self.place.split(":")
        connection = socket.create_connection((host, int(port)), timeout=20)
        connection.sendall(sent)
        return connection


def got_until_closed(connection: socket.socket, seconds: float = 10) -> bytes:
    """Return what a service sends until it closes a connection; ``TimeoutError`` if it does not close it."""
    connection.settimeout(seconds)
    got = b""
    try:
        while part := connection.recv(1 << 16):
            got += part
    except ConnectionError:
        pass
    connection.close()
    return got


class Running:
    """A service in a thread of this process, at a free port or at ``port``."""

    def __init__(self, app: Any, port: int = 0) -> None:
        self._sock = open_listener("127.0.0.1", port)
        self.client = Client(url_of(self._sock))
        self._server = make_server(app)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._sock]})

    def __enter__(self) -> Client:
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            time.sleep(0.01)
        return self.client

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._sock.close()
