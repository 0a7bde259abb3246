"""rdflib-endpoint on the loopback, over RDF files: a second SPARQL engine (rdflib's own), for tests and by hand.

By hand: ``python tests/wire/rdflib_store.py FILE... --port 8890``, and then ``--kg http://127.0.0.1:8890/``. The extra
``[dev]`` brings all that it needs.
"""

from __future__ import annotations

import argparse
import importlib.util
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from urllib.error import URLError
from urllib.request import urlopen

PACKAGES = ("rdflib_endpoint", "uvicorn", "click")
PATIENCE = 60
"""Seconds for its start."""


def missing() -> tuple[str, ...]:
    """Return the packages that are not installed."""
    return tuple(name for name in PACKAGES if importlib.util.find_spec(name) is None)


class RdflibStore:
    """A server with ``files`` in one graph; it runs within ``with``, and leaves nothing behind."""

    def __init__(self, files: Sequence[Path], *, port: int = 0) -> None:
        self._files, self._port = files, port or _free_port()
        self.url = f"http://127.0.0.1:{self._port}/"

    def __enter__(self) -> RdflibStore:
        self._log = tempfile.TemporaryFile()
        command = [sys.executable, "-m", "rdflib_endpoint", "serve", "--host", "127.0.0.1", "--port", str(self._port)]
        self.process = subprocess.Popen([*command, *map(str, self._files)], stdout=self._log, stderr=self._log)
        try:
            self._wait()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._log.close()

    def _wait(self) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urlopen(f"{self.url}?query=ASK%7B%7D", timeout=5):
                    return
            except (URLError, OSError):
                time.sleep(0.1)
        self._log.seek(0)
        raise RuntimeError(f"rdflib-endpoint did not start: {self._log.read()[-600:].decode(errors='replace')}")


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def main() -> None:
    """Serve the files named on the command line until interrupted."""
    parser = argparse.ArgumentParser(description="Serve RDF files by rdflib-endpoint on the loopback.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--port", type=int, default=8890)
    chosen = parser.parse_args()
    if missing():
        parser.error(f"not installed: {', '.join(missing())}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with RdflibStore(chosen.files, port=chosen.port) as server:
        sys.stderr.write(f"serving at {server.url}\n")
        try:
            server.process.wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
