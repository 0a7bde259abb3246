"""Queries that we did not build, on a server."""

from __future__ import annotations

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.guard import prove


class ForeignRemote:
    """The view of a remote endpoint for queries that we did not build: the guard proves each, and bounds its rows."""

    def __init__(self, remote: Endpoint, row_limit: int) -> None:
        self._remote, self._row_limit = remote, row_limit
        self.name = remote.name

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query; raises UnsafeQuery where the guard refuses it, else as the endpoint does."""
        return self._remote.select(prove(query, "SELECT", limit=self._row_limit, endpoint=self.name).query)

    def ask(self, query: str) -> bool:
        """Run an ASK query; raises UnsafeQuery where the guard refuses it, else as the endpoint does."""
        return self._remote.ask(prove(query, "ASK", limit=1, endpoint=self.name).query)

    def foreign(self) -> Endpoint:
        """Return this view: it is the foreign one."""
        return self
