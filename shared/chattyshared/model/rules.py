"""The embedded rule model: a table of plain functions with the interface of a language model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from chattyshared.errors import ModelRefused
from chattyshared.model import Completion, Request, Usage, count_characters
from chattyshared.model.target import ModelTarget

Rule = Callable[[Request], Any]
"""Takes the request (its variables are what the prompt shows, typed) and returns a JSON-able reply."""


class RuleModel:
    """A model that calls the rule of the request's agent and replies with its value as JSON text."""

    name = "rules"

    def __init__(self, rulebook: Mapping[str, Rule]) -> None:
        self._rulebook = dict(rulebook)

    def complete(self, request: Request) -> Completion:
        """Reply to one request.

        Raises:
            ModelRefused: the rulebook has no rule for this agent.
        """
        rule = self._rulebook.get(request.agent)
        if rule is None:
            raise ModelRefused(f"no rule for {request.agent}", model=self.name)
        text = json.dumps(rule(request), ensure_ascii=False)
        return Completion(text, Usage(1, count_characters(request) // 4, len(text) // 4, estimated=True))


def open_provider(target: ModelTarget) -> RuleModel:
    """Open the rule model with the rulebook of a target."""
    return RuleModel(target.rulebook)
