"""An endpoint that breaks where nobody expects it: for tests of what one broken item does to a run."""

from __future__ import annotations

import re

from chattyshared.endpoint import Endpoint, Row


class Poisoned:
    """Another endpoint's view, which raises an error, ``ValueError`` unless said, where a pattern is in a query."""

    def __init__(self, endpoint: Endpoint, pattern: str, error: type[Exception] = ValueError) -> None:
        self.name = endpoint.name
        self._error = error
        self._endpoint, self._pattern = endpoint, re.compile(pattern, flags=re.DOTALL)

    def select(self, query: str) -> list[Row]:
        self._check(query)
        return self._endpoint.select(query)

    def ask(self, query: str) -> bool:
        self._check(query)
        return self._endpoint.ask(query)

    def untrusted_view(self, stop: object = None) -> Endpoint:
        return Poisoned(self._endpoint.untrusted_view(), self._pattern.pattern, self._error)

    def _check(self, query: str) -> None:
        if self._pattern.search(query):
            raise self._error("poison")
