"""An endpoint that sends no query twice: for the queries of one question, whose readings ask much the same."""

from __future__ import annotations

from chattyshared.endpoint import Endpoint, Row


class MemoizedEndpoint:
    """An endpoint that keeps the results of its queries, errors apart, as long as it lives."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = endpoint.name
        self._endpoint = endpoint
        self._rows: dict[str, tuple[Row, ...]] = {}
        self._truths: dict[str, bool] = {}

    def select(self, query: str) -> list[Row]:
        """Return the solutions of a SELECT query.

        Raises:
            EndpointError: the query failed.
        """
        if query not in self._rows:
            self._rows[query] = tuple(self._endpoint.select(query))
        return list(self._rows[query])

    def ask(self, query: str) -> bool:
        """Return the truth of an ASK query.

        Raises:
            EndpointError: the query failed.
        """
        if query not in self._truths:
            self._truths[query] = self._endpoint.ask(query)
        return self._truths[query]

    def untrusted_view(self) -> Endpoint:
        """Return the view for untrusted queries, which keeps its own results."""
        return MemoizedEndpoint(self._endpoint.untrusted_view())
