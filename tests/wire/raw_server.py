"""A server on the loopback that sends raw bytes, as a script says: what no HTTP library would send."""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

Script = Callable[[bytes], Iterable[bytes | float]]
"""From a request (its head and body) to the bytes to send and the seconds to wait; then the connection is closed."""
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def whole(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """Return a proper reply."""
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers, b"", body]
    return b"\r\n".join(lines)


def endless(start: bytes, again: bytes, pause: float = 0.0) -> Script:
    """Return the script of a reply that begins, and then goes on for ever."""

    def sent(_: bytes) -> Iterable[bytes | float]:
        yield start
        while True:
            yield again
            if pause:
                yield pause

    return sent


class RawServer:
    """Answers requests by its script; ``asked`` are the requests, ``connections`` counts the connections.

    ``reads`` is whether requests are read at all, ``keeps`` whether a connection stays open for the next one; with
    ``tls`` it speaks TLS.
    """

    def __init__(
        self, script: Script, *, reads: bool = True, keeps: bool = False, tls: ssl.SSLContext | None = None
    ) -> None:
        self.script, self.reads, self.keeps, self.tls = script, reads, keeps, tls
        self.asked: list[bytes] = []
        self.connections = 0
        self._over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listening.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> RawServer:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            pass
        self._listening.close()

    def _serve(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:  # closed at the end, between the look and the call
                return
            if not self._over.is_set():
                self.connections += 1
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()
            else:
                connection.close()

    def _answer(self, plain: socket.socket) -> None:
        connection = plain
        with suppress(OSError):
            connection = self.tls.wrap_socket(plain, server_side=True) if self.tls else plain
            while request := self._request(connection):
                self.asked.append(request)
                for step in self.script(request):
                    if self._over.is_set():
                        break
                    if isinstance(step, float):
                        time.sleep(step)
                    else:
                        connection.sendall(step)
                if not self.keeps:
                    break
        connection.close()

    def _request(self, connection: socket.socket) -> bytes:
        if not self.reads:
            self._over.wait(10)
            return b""
        data = b""
        while b"\r\n\r\n" not in data:
            part = connection.recv(1 << 16)
            if not part:
                return b""
            data += part
        length = re.search(rb"content-length: (\d+)", data, re.IGNORECASE)
        end = data.index(b"\r\n\r\n") + 4 + (int(length[1]) if length else 0)
        while len(data) < end:
            data += connection.recv(1 << 16)
        return data
