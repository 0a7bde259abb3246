"""A model whose replies a test gives, in the order in which they are returned."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from chattyshared.model import Completion, Request, Usage


class StepModel:
    """Replies in sequence, whatever it is asked; the last reply is repeated. An exception is raised."""

    name = "openai:gpt-4o"

    def __init__(self, replies: Sequence[Any]) -> None:
        self.replies, self.asked = list(replies), list[Request]()

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return Completion(reply if isinstance(reply, str) else json.dumps(reply), Usage(1, 10, 5))

    @property
    def agents(self) -> list[str]:
        """The agents that asked."""
        return [request.agent.removeprefix("answer/") for request in self.asked]

    def prompt(self, number: int = -1) -> str:
        """The user message of one request."""
        return self.asked[number].messages[1].content

    def prompt_from_question(self, number: int = -1) -> str:
        """The user message of one request after its briefing."""
        return self.prompt(number).partition("Question: ")[2]
