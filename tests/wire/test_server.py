"""The loopback server itself, and the fixture that keeps tests on the loopback."""

import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import pytest

TURTLE = '<http://e/a> <http://e/p> "x" .'


def test_it_answers_select(sparql_server):
    server = sparql_server(TURTLE)
    with urlopen(f"{server.url}?query={quote('SELECT ?o { ?s ?p ?o }')}") as answer:
        assert answer.read() == (
            b'{"head":{"vars":["o"]},"results":{"bindings":[{"o":{"type":"literal","value":"x"}}]}}'
        )
    assert [(seen.method, seen.query) for seen in server.received] == [("GET", "SELECT ?o { ?s ?p ?o }")]


def test_it_starts_by_hand(tmp_path):
    (tmp_path / "a.ttl").write_text(TURTLE)
    command = [sys.executable, str(Path(__file__).with_name("server.py")), str(tmp_path / "a.ttl"), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        line = process.stderr.readline()
        url = line.removeprefix("serving at ").strip()
        with urlopen(f"{url}?query={quote('ASK { ?s ?p ?o }')}") as answer:
            assert b'"boolean":true' in answer.read()
        process.terminate()


def test_no_connection_leaves_the_loopback():
    with socket.socket() as sock, pytest.raises(PermissionError, match="loopback"):
        sock.connect(("192.0.2.1", 80))


def test_no_name_is_looked_up():
    with pytest.raises(PermissionError, match="loopback"):
        socket.getaddrinfo("example.org", 80)
