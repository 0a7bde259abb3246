"""Functions with the interface of a language model: the embedded rules, and a function of the caller."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from chattyshared.errors import ConfigError, ModelError, ModelRefused
from chattyshared.model import Completion, Request, Usage, count_characters
from chattyshared.model.server_capabilities import ServerCapabilities
from chattyshared.model.target import ModelTarget

Rule = Callable[[Request], Any]
"""Takes the request (its variables are what the prompt shows, typed) and returns a JSON-able reply."""
ChatFunction = Callable[[list[dict[str, str]]], str]
"""Takes messages ``{"role", "content"}``, as OpenAI's API does, and returns the text of the reply."""
_TEXT_ONLY = ServerCapabilities(reply_format="plain", tool_choice="none")
"""A function gets messages alone, so the schema of the reply stands in the first of them."""


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


class FunctionModel:
    """A language model that calls a function; several threads may call it at once.

    An exception of the function reaches the caller unchanged: only its author knows whether a retry helps. A function
    that wants a run to stop, and to be resumable, raises ``ModelUnavailable``.
    """

    def __init__(self, function: ChatFunction) -> None:
        """Take a function.

        Raises:
            ConfigError: it is a coroutine function, whose replies nobody would await.
        """
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
            raise ConfigError("the model is an async function: give a plain one that returns the text of the reply")
        self._function = function
        self.first_error: BaseException | None = None
        """What the function raised first: a run of many questions records only the kind of each error."""
        self.name = f"function:{getattr(function, '__name__', type(function).__name__)}()"

    def complete(self, request: Request) -> Completion:
        """Complete one request; the usage is estimated from lengths.

        Raises:
            ModelError: the function returned something else than a text.
        """
        messages = _TEXT_ONLY.request_arguments(request, temperature=0, reply_tokens=None)["messages"]
        prompt_tokens = sum(len(message["content"]) for message in messages) // 4
        with ExitStack() as stack:
            stack.push(self._keep_first_error)
            reply: object = self._function(messages)
        if not isinstance(reply, str):
            message = f"the function returned {type(reply).__name__}, not the text of a reply"
            raise ModelError(message, model=self.name, usage=Usage(1, prompt_tokens, estimated=True))
        return Completion(reply, Usage(1, prompt_tokens, len(reply) // 4, estimated=True))

    def _keep_first_error(self, _: object, error: BaseException | None, trace: object) -> None:
        self.first_error = self.first_error or error
