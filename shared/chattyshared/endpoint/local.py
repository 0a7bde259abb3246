"""RDF files in an embedded Oxigraph store (first version; see the house)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyoxigraph as ox
from rdflib import BNode, Literal, URIRef

from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import ConfigError, QueryRejected
from chattyshared.terms import Term


class LocalEndpoint:
    """Files loaded into one store whose default graph is the union of all graphs."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.name = ", ".join(path.name for path in files)
        self._store = ox.Store()
        for path in files:
            try:
                self._store.bulk_load(path=str(path))
            except SyntaxError as error:
                raise ConfigError(f"{path}: line {error.lineno}, column {error.offset}: {error.msg}") from error

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query."""
        found: Any = self._run(query)
        names = [variable.value for variable in found.variables]
        return [
            {name: to_rdflib(term) for name, term in zip(names, row, strict=True) if term is not None}
            for row in found
        ]  # fmt: skip

    def ask(self, query: str) -> bool:
        """Run an ASK query."""
        return bool(self._run(query))

    def foreign(self) -> Endpoint:
        """Return the view for queries that we did not build."""
        return self

    def _run(self, query: str) -> Any:
        try:
            return self._store.query(query, use_default_graph_as_union=True)
        except (SyntaxError, ValueError) as error:
            raise QueryRejected(str(error), endpoint=self.name, query=query) from error


def to_rdflib(term: Any) -> Term:
    """Turn a pyoxigraph term into rdflib's, with the lexical form kept."""
    if isinstance(term, ox.NamedNode):
        return URIRef(term.value)
    if isinstance(term, ox.BlankNode):
        return BNode(term.value)
    if term.language:
        return Literal(term.value, lang=term.language)
    if term.datatype.value == "http://www.w3.org/2001/XMLSchema#string":
        return Literal(term.value)
    return Literal(term.value, datatype=URIRef(term.datatype.value), normalize=False)
