"""A Virtuoso of our own on the loopback, loaded with RDF files, for tests and by hand.

By hand: ``python tests/wire/virtuoso.py FILE... --port 8890 [--full-text]``, and then
``--kg http://127.0.0.1:8890/sparql?default-graph-uri=http://example.org/graph``. Debian has all that it needs:
``apt-get install --no-install-recommends virtuoso-opensource-7 virtuoso-opensource-7-bin``.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
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

PROGRAMS = ("virtuoso-t", "isql-vt")
GRAPH = "http://example.org/graph"
_INI = """
[Database]
DatabaseFile = {room}/v.db
ErrorLogFile = {room}/v.log
LockFile = {room}/v.lck
TransactionFile = {room}/v.trx
xa_persistent_file = {room}/v.pxa
[TempDatabase]
DatabaseFile = {room}/t.db
TransactionFile = {room}/t.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
DirsAllowed = {room}
NumberOfBuffers = 20000
MaxDirtyBuffers = 15000
ThreadsPerQuery = 2
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerThreads = 10
[SPARQL]
ResultSetMaxRows = {rows}
MaxQueryExecutionTime = {seconds}
"""


def missing() -> tuple[str, ...]:
    """Return the programs that are not installed."""
    return tuple(name for name in PROGRAMS if shutil.which(name) is None)


class Virtuoso:
    """A server with ``files`` in one graph; it runs within ``with``, and leaves nothing behind.

    ``full_text``: whether it indexes its literals for ``bif:contains``; ``rows``, ``seconds``: its own limits.
    """

    def __init__(
        self, files: Sequence[Path], *, port: int = 0, full_text: bool = False, rows: int = 10_000, seconds: int = 60
    ) -> None:
        self._files, self._full_text, self._limits = files, full_text, (rows, seconds)
        self._port = port
        self._choose_ports()

    def _choose_ports(self) -> None:
        self._http, self._sql = self._port or _free_port(), _free_port()
        self.url = f"http://127.0.0.1:{self._http}/sparql"

    def __enter__(self) -> Virtuoso:
        for _ in range(2):
            try:
                return self._start()
            except RuntimeError:  # somebody else may have taken a port since it was chosen
                self._choose_ports()
        return self._start()

    def _start(self) -> Virtuoso:
        self._folder = tempfile.TemporaryDirectory(prefix="virtuoso-")
        room = self.folder = Path(self._folder.name)
        rows, seconds = self._limits
        (room / "v.ini").write_text(
            _INI.format(room=room, sql=self._sql, http=self._http, rows=rows, seconds=seconds), encoding="utf-8"
        )
        command = ["virtuoso-t", "+foreground", "+configfile", str(room / "v.ini")]
        self._process = subprocess.Popen(command, cwd=room, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._wait()
            self._load(room)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()  # what it holds is thrown away
        self._process.wait()
        self._folder.cleanup()

    @property
    def process(self) -> int:
        """The number of its process."""
        return self._process.pid

    def isql(self, *statements: str) -> str:
        """Run statements of SQL, one a line; return what was said."""
        command = ["isql-vt", f"127.0.0.1:{self._sql}", "dba", "dba", "ERRORS=STDOUT"]
        text = "\n".join(f"{statement};" for statement in statements)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=600)
        if "*** Error" in done.stdout or done.returncode:
            raise RuntimeError(f"isql: {done.stdout[-600:]}{done.stderr[-300:]}")
        return done.stdout

    def _wait(self) -> None:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if self._process.poll() is not None:
                raise RuntimeError(f"Virtuoso ended with {self._process.returncode}")
            try:
                with urlopen(f"http://127.0.0.1:{self._http}/sparql?query=ASK%7B%7D", timeout=5):
                    return
            except (URLError, OSError):
                time.sleep(0.1)
        raise RuntimeError("Virtuoso did not start within 30 s")

    def _load(self, room: Path) -> None:
        if self._full_text:
            self.isql("DB.DBA.RDF_OBJ_FT_RULE_ADD(null, null, 'All')")
        for number, path in enumerate(self._files):
            opened = gzip.open if path.suffix == ".gz" else open
            name = Path(path.name.removesuffix(".gz"))
            with opened(path, "rb") as source, (room / f"{number}{name.suffix}").open("wb") as target:
                shutil.copyfileobj(source, target)
            self.isql(f"ld_add('{room}/{number}{name.suffix}', '{GRAPH}')")
        self.isql("rdf_loader_run()", "checkpoint")
        failed = self.isql("SELECT CONCAT('failed: ', ll_error) FROM DB.DBA.LOAD_LIST WHERE ll_error IS NOT NULL")
        if "failed: " in failed:
            raise RuntimeError(failed[-600:])
        if self._full_text:
            self.isql("DB.DBA.VT_INC_INDEX_DB_DBA_RDF_OBJ()")


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def main() -> None:
    """Serve the files named on the command line until interrupted."""
    parser = argparse.ArgumentParser(description="Serve RDF files by a Virtuoso on the loopback.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--port", type=int, default=8890)
    parser.add_argument("--full-text", action="store_true", help="index literals for bif:contains")
    parser.add_argument("--rows", type=int, default=10_000, help="ResultSetMaxRows")
    chosen = parser.parse_args()
    if missing():
        parser.error(f"not installed: {', '.join(missing())}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Virtuoso(chosen.files, port=chosen.port, full_text=chosen.full_text, rows=chosen.rows) as server:
        sys.stderr.write(f"serving at {server.url}\n")
        try:
            server._process.wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
