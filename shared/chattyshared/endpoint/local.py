"""RDF files, or a graph in memory, in an embedded Oxigraph store, as an endpoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import TracebackType

import pyoxigraph as ox

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.connection_options import FileReading
from chattyshared.endpoint.memory_graph import MemoryGraph, copy_to_store, graph_name
from chattyshared.endpoint.results import convert_solutions
from chattyshared.endpoint.sandbox import SandboxConfig, SandboxedEndpoint
from chattyshared.endpoint.store_folder import TemporaryStore
from chattyshared.endpoint.store_loading import FileSource, load_store, open_or_build_store
from chattyshared.errors import EndpointError, QueryRejected, ResultUnreadable
from chattyshared.literals import read_count
from chattyshared.progress import ShowProgress, hide_progress
from chattyshared.runs.threads import StopSignal

ROW_LIMIT = 100_000
RDFLIB_TIMEOUT = 20.0
"""Seconds that a query may take on rdflib."""


class LocalEndpoint:
    """Files, or a graph in memory, loaded into one store; its default graph is the union of all graphs, and named
    graphs are kept as well.

    ``source`` is a graph of rdflib or a store of pyoxigraph, whose content is copied now, or files: Turtle, N-Triples,
    N-Quads, TriG, N3, RDF/XML or JSON-LD, plain or packed. With ``store`` the store of files is kept in that folder
    for the next start. ``timeout`` (seconds) bounds untrusted queries, ``row_limit`` all queries. ``functions`` are the
    IRI prefixes of functions that untrusted queries may call besides the standard ones. ``show_progress`` shows how far
    reading files is; ``reading`` says how much of them may be unreadable. Files are parsed in a child process, unless
    they are ``trusted``, or small and plain. Thread-safe. ``close`` ends the process of untrusted queries, if there is
    one; calling it is optional.

    Raises:
        ConfigError: a file is missing, broken or of an unknown format, files hold no triple, a term of a graph is not
        valid, or ``store`` is unusable.
    """

    def __init__(  # noqa: PLR0913
        self,
        source: Sequence[Path] | MemoryGraph,
        *,
        store: Path | None = None,
        timeout: float = 60,
        row_limit: int = ROW_LIMIT,
        functions: tuple[str, ...] = (),
        show_progress: ShowProgress = hide_progress,
        reading: FileReading = FileReading(),  # noqa: B008 - it cannot be changed
        trusted: bool = False,
    ) -> None:
        self._row_limit = row_limit
        self.files: tuple[Path, ...] = ()
        if isinstance(source, MemoryGraph):
            self.name, store = graph_name(source), None
            self._store = copy_to_store(source)
        else:
            self.files = tuple(Path(path) for path in source)
            self.name = ", ".join(path.name for path in self.files)
            files = FileSource(self.files, reading, show_progress, trusted)
            self._store = load_store(files) if store is None else open_or_build_store(files, store)
        self._copy = TemporaryStore(self._store)
        make_store = self._copy.path if store is None else store.resolve
        config = SandboxConfig(make_store, is_temporary=store is None)
        self._sandboxed = SandboxedEndpoint(
            self.name, config, timeout=timeout, row_limit=row_limit, functions=functions
        )
        self._second = SandboxedEndpoint(
            self.name, replace(config, engine="rdflib"), timeout=min(timeout, RDFLIB_TIMEOUT), row_limit=row_limit,
            functions=functions,
        )  # fmt: skip

    @property
    def engine(self) -> str:
        """The name and the version of the store."""
        return f"pyoxigraph {ox.__version__}"

    @cached_property
    def triple_count(self) -> int:
        """The number of distinct triples."""
        return read_count(self.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }")[0]["n"])

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and return all of its solutions, in order.

        Raises:
            QueryRejected: the query is no SELECT query, or not well formed.
            ResultUnreadable: it has more solutions than the row limit.
            EndpointError: the store on disk is damaged.
        """
        limit = self._row_limit
        rows = list(islice(self.stream(query), limit + 1))
        if len(rows) > limit:
            raise ResultUnreadable(f"more than {limit} rows", endpoint=self.name, query=query)
        return rows

    def stream(self, query: str) -> Iterator[Row]:
        """Run a SELECT query and yield its solutions in order, without a row limit.

        Raises:
            QueryRejected: the query is no SELECT query, or not well formed.
            EndpointError: the store on disk is damaged.
        """
        solutions = self._run(query)
        if not isinstance(solutions, ox.QuerySolutions):
            raise QueryRejected("not a SELECT query", endpoint=self.name, query=query)
        with self._map_errors(query):
            yield from convert_solutions(solutions)

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth.

        Raises:
            QueryRejected: the query is no ASK query, or not well formed.
        """
        truth = self._run(query)
        if not isinstance(truth, ox.QueryBoolean):
            raise QueryRejected("not an ASK query", endpoint=self.name, query=query)
        return bool(truth)

    def untrusted_view(self, stop: StopSignal | None = None) -> Endpoint:
        """Return the view for untrusted queries: guarded, and run in a separate process."""
        return self._sandboxed.untrusted_view(stop)

    def rdflib_view(self) -> Endpoint:
        """Return a view of the same triples for untrusted queries, which rdflib runs in a separate process."""
        return self._second

    def close(self) -> None:
        """End the processes that untrusted queries run in, if there are any, and remove their copy of the store."""
        self._sandboxed.close()
        self._second.close()
        self._copy.remove()

    def __enter__(self) -> LocalEndpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, query: str) -> ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples:
        with self._map_errors(query):
            return self._store.query(query)

    @contextmanager
    def _map_errors(self, query: str) -> Iterator[None]:
        try:
            yield
        except (SyntaxError, ValueError, OSError) as error:
            raise QueryRejected(_single_line(error), endpoint=self.name, query=query) from error
        except RuntimeError as error:  # the store on disk is damaged
            raise EndpointError(_single_line(error), endpoint=self.name, query=query) from error


def _single_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
