"""A Virtuoso of our own on the loopback, loaded with RDF files, for tests.

Debian has all that it needs:
``apt-get install --no-install-recommends virtuoso-opensource-7 virtuoso-opensource-7-bin``.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from wire.program_server import ProgramServer, free_port

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


class Virtuoso(ProgramServer):
    """A server with ``files`` in one graph; it runs within ``with``, and leaves nothing behind.

    ``full_text``: whether it indexes its literals for ``bif:contains``; ``rows``, ``seconds``: its own limits.
    """

    title = "Virtuoso"
    ready = "/sparql?query=ASK%7B%7D"

    def __init__(
        self, files: Sequence[Path], *, port: int = 0, full_text: bool = False, rows: int = 10_000, seconds: int = 60
    ) -> None:
        self._files, self._full_text, self._limits = files, full_text, (rows, seconds)
        super().__init__(port)

    def choose_ports(self) -> None:
        """Take a port for HTTP, and one for SQL."""
        super().choose_ports()
        self._sql = free_port()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/sparql"

    def command(self, room: Path) -> list[str]:
        """Return the command that serves an empty store."""
        rows, seconds = self._limits
        (room / "v.ini").write_text(
            _INI.format(room=room, sql=self._sql, http=self.port, rows=rows, seconds=seconds), encoding="utf-8"
        )
        return ["virtuoso-t", "+foreground", "+configfile", str(room / "v.ini")]

    def isql(self, *statements: str) -> str:
        """Run statements of SQL, one a line; return what was said."""
        command = ["isql-vt", f"127.0.0.1:{self._sql}", "dba", "dba", "ERRORS=STDOUT"]
        text = "\n".join(f"{statement};" for statement in statements)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=600)
        if "*** Error" in done.stdout or done.returncode:
            raise RuntimeError(f"isql: {done.stdout[-600:]}{done.stderr[-300:]}")
        return done.stdout

    def load(self, room: Path) -> None:
        """Load the files."""
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
