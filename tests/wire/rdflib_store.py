"""rdflib-endpoint on the loopback, over RDF files: a second SPARQL engine (rdflib's own), for tests."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from wire.program_server import ProgramServer

PACKAGES = ("rdflib_endpoint", "uvicorn", "click")


def missing() -> tuple[str, ...]:
    """Return the packages that are not installed."""
    return tuple(name for name in PACKAGES if importlib.util.find_spec(name) is None)


class RdflibStore(ProgramServer):
    """A server with ``files`` in one graph."""

    title = "rdflib-endpoint"
    ready = "/?query=ASK%7B%7D"

    def __init__(self, files: Sequence[Path], *, port: int = 0) -> None:
        super().__init__(port)
        self._files = [path.absolute() for path in files]

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/"

    def command(self, room: Path) -> list[str]:
        """Return the command that serves the files."""
        options = ["--host", "127.0.0.1", "--port", str(self.port)]
        return [sys.executable, "-m", "rdflib_endpoint", "serve", *options, *map(str, self._files)]
