"""rdflib-endpoint on the loopback, over RDF files: a second SPARQL engine (rdflib's own), for tests and by hand.

By hand: ``PYTHONPATH=tests python -m wire.rdflib_store FILE... --port 8890``, and then
``--kg http://127.0.0.1:8890/``. The extra ``[dev]`` brings all that it needs.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from wire.program_server import ProgramServer, serve

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


def main() -> None:
    """Serve the files named on the command line until interrupted."""
    parser = argparse.ArgumentParser(description="Serve RDF files by rdflib-endpoint on the loopback.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--port", type=int, default=8890)
    chosen = parser.parse_args()
    if missing():
        parser.error(f"not installed: {', '.join(missing())}")
    serve(RdflibStore(chosen.files, port=chosen.port))


if __name__ == "__main__":
    main()
