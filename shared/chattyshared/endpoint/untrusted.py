"""Queries that we did not build, on a server."""

from __future__ import annotations

from typing import Literal

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.guard import guard_query_form


class GuardedEndpoint:
    """The view of a remote endpoint for queries that we did not build: the guard proves each, and bounds its rows."""

    def __init__(self, remote: Endpoint, row_limit: int, functions: tuple[str, ...] = ()) -> None:
        """Take the endpoint, the most rows, and the functions that queries may call beside the standard's."""
        self._remote, self._row_limit, self._functions = remote, row_limit, functions
        self.name = remote.name

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query; raises UnsafeQuery where the guard refuses it, else as the endpoint does."""
        return self._remote.select(self._proved(query, "SELECT", self._row_limit))

    def ask(self, query: str) -> bool:
        """Run an ASK query; raises UnsafeQuery where the guard refuses it, else as the endpoint does."""
        return self._remote.ask(self._proved(query, "ASK", 1))

    def untrusted_view(self) -> Endpoint:
        """Return this view: it is the foreign one."""
        return self

    def _proved(self, query: str, form: Literal["SELECT", "ASK"], limit: int) -> str:
        return guard_query_form(query, form, limit=limit, endpoint=self.name, functions=self._functions).query
