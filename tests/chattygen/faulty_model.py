"""A model that says what a test wants for some agents, and what the rulebook says for all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chattyshared.model import Completion, Request, Usage
from chattyshared.model.rules import RuleModel

from chattygen import RULEBOOK

Reply = str | Exception | Callable[[str], str]
"""A text, an error to be raised, or what to make of the rulebook's own reply."""


class Faulty:
    """Says ``replies[agent]`` to an agent, as often as ``times`` says, then what the rulebook says."""

    name = "faulty"

    def __init__(self, replies: Mapping[str, Reply], *, times: int = 10_000) -> None:
        self._replies = dict(replies)
        self._left = dict.fromkeys(replies, times)
        self._rules = RuleModel(RULEBOOK)
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        if self._left.get(request.agent, 0) <= 0:
            return self._rules.complete(request)
        self._left[request.agent] -= 1
        reply = self._replies[request.agent]
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else reply(self._rules.complete(request).text)
        return Completion(text, Usage(1, 10, 5))

    def of(self, agent: str) -> list[Request]:
        """Return the requests of one agent."""
        return [request for request in self.asked if request.agent == agent]
