"""SPARQL endpoints: files in an embedded store, or any server, behind one protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:  # rdflib takes a while to import, and the help of a command needs none of it
    from chattyshared.runs.threads import StopSignal
    from chattyshared.terms import Term

Row = Mapping[str, "Term"]
"""One solution: variable name (no question mark) to term; an unbound variable is absent."""


class Endpoint(Protocol):
    """Something that answers SPARQL 1.1 SELECT and ASK."""

    name: str
    """The name in messages: the URL without credentials, or the files' names."""

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and return all of its solutions, in order.

        Raises:
            EndpointError: the query failed, as one of its subclasses; an error is never returned as an empty list.
        """

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth.

        Raises:
            EndpointError: the query failed, as one of its subclasses.
        """

    def untrusted_view(self, stop: StopSignal | None = None) -> Endpoint:
        """Return a view of the same data for untrusted queries.

        The guard proves that each query only reads and sets its row limit; a query is stopped at the timeout. On a
        local store it is also stopped when ``stop`` is set; a server goes on with what it began.
        """


@runtime_checkable
class StreamingEndpoint(Protocol):
    """An endpoint that also gives the solutions of a query one by one."""

    def stream(self, query: str) -> Iterator[Row]:
        """Run a SELECT query and yield its solutions in order, without a row limit.

        Raises:
            EndpointError: the query failed, as one of its subclasses.
        """


@runtime_checkable
class ClosableEndpoint(Protocol):
    """An endpoint that holds processes."""

    def close(self) -> None:
        """End them."""


__all__ = ["ClosableEndpoint", "Endpoint", "Row", "StreamingEndpoint"]
