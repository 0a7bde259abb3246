"""Server programs of others on the loopback, each in a folder of its own that goes with it, for tests and by hand."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.error import URLError
from urllib.request import urlopen


class ProgramServer:
    """A program that serves within ``with``; ``process`` is what runs, ``folder`` its own.

    ``title`` is its name, ``ready`` the path that answers once it serves, ``patience`` the seconds for its start.
    """

    title = ""
    ready = "/"
    patience = 60.0

    def __init__(self, port: int = 0) -> None:
        self._wanted = port
        self.choose_ports()

    def choose_ports(self) -> None:
        """Take a port; a subclass takes others, too."""
        self.port = self._wanted or free_port()

    def command(self, room: Path) -> list[str]:
        """Return the command that serves at the port; ``room`` is the folder of this start."""
        raise NotImplementedError

    def load(self, room: Path) -> None:
        """Load what is served, once it runs."""

    def __enter__(self) -> Self:
        try:
            return self._start()
        except RuntimeError:  # somebody else may have taken a port since it was chosen
            self.choose_ports()
            return self._start()

    def _start(self) -> Self:
        self._place = tempfile.TemporaryDirectory(prefix="server-")
        self.folder = Path(self._place.name)
        command = self.command(self.folder)
        self._log = (self.folder / "log").open("w+b")
        self.process = subprocess.Popen(command, cwd=self.folder, stdout=self._log, stderr=self._log)
        try:
            self._wait()
            self.load(self.folder)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()  # what it holds is thrown away
        self.process.wait()
        self._log.close()
        self._place.cleanup()

    def _wait(self) -> None:
        end = time.monotonic() + self.patience
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urlopen(f"http://127.0.0.1:{self.port}{self.ready}", timeout=5):
                    return
            except (URLError, OSError):
                time.sleep(0.05)
        self._log.seek(0)
        raise RuntimeError(f"{self.title} did not start: {self._log.read()[-1000:].decode(errors='replace')}")


def free_port() -> int:
    """Return a port of the loopback that nobody uses now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def serve(server: ProgramServer) -> None:
    """Run a server until interrupted or ended."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with server:
        sys.stderr.write(f"serving at 127.0.0.1:{server.port}\n")
        try:
            server.process.wait()
        except KeyboardInterrupt:
            return
