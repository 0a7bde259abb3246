"""The loopback server itself, and the fixture that keeps tests on the loopback."""

import socket

import pytest

TURTLE = '<http://e/a> <http://e/p> "x" .'


def test_no_connection_leaves_the_loopback():
    with socket.socket() as sock, pytest.raises(PermissionError, match="loopback"):
        sock.connect(("192.0.2.1", 80))


def test_no_name_is_looked_up():
    with pytest.raises(PermissionError, match="loopback"):
        socket.getaddrinfo("example.org", 80)
