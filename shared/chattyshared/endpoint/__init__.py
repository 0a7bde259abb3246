"""SPARQL endpoints: files in an embedded store, or any server, behind one protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # rdflib takes a while to import, and the help of a command needs none of it
    from chattyshared.terms import Term

Row = Mapping[str, "Term"]
"""One solution: variable name (no question mark) to term; an unbound variable is absent."""


class Endpoint(Protocol):
    """Something that answers SPARQL 1.1 SELECT and ASK."""

    name: str
    """What to call it in messages: the URL without credentials, or the files' names."""

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and return all of its solutions, in order.

        Raises:
            EndpointError: whatever went wrong, as one of its kinds; never an empty list in place of an error.
        """

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth.

        Raises:
            EndpointError: whatever went wrong, as one of its kinds.
        """

    def untrusted_view(self) -> Endpoint:
        """Return the same data for queries that we did not build.

        Each query is proved by the guard to only read, carries a row limit, and is ended at the timeout.
        """


__all__ = ["Endpoint", "Row"]
