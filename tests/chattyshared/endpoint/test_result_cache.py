"""No query is sent twice."""

from __future__ import annotations

import pytest
from chattyshared.endpoint.result_cache import MemoizedEndpoint
from chattyshared.errors import EndpointError


class CountingEndpoint:
    """An endpoint that counts its queries and fails on request."""

    name = "counting"

    def __init__(self) -> None:
        self.queries: list[str] = []

    def select(self, query: str) -> list[dict[str, str]]:
        self.queries.append(query)
        if "fail" in query:
            raise EndpointError("down")
        return [{"x": query}]

    def ask(self, query: str) -> bool:
        self.queries.append(query)
        return "yes" in query

    def untrusted_view(self, stop: object = None) -> CountingEndpoint:
        return self


def test_a_repeated_query_is_answered_from_memory() -> None:
    counting = CountingEndpoint()
    endpoint = MemoizedEndpoint(counting)
    first = endpoint.select("a")
    first.clear()
    assert endpoint.select("a") == [{"x": "a"}] and endpoint.select("b") == [{"x": "b"}]
    assert endpoint.ask("yes") and endpoint.ask("yes") and not endpoint.ask("no")
    assert counting.queries == ["a", "b", "yes", "no"]


def test_a_failed_query_is_sent_again_and_views_are_apart() -> None:
    counting = CountingEndpoint()
    endpoint = MemoizedEndpoint(counting)
    for _ in range(2):
        with pytest.raises(EndpointError):
            endpoint.select("fail")
    endpoint.untrusted_view().select("a")
    endpoint.select("a")
    assert counting.queries == ["fail", "fail", "a", "a"]
