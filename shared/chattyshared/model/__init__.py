"""Language models: one protocol, one file per provider; ``providers`` lists them, ``registry.open_model`` opens
them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant"]
_MAX_TOKENS, _MAX_USD = 10**9, 10**4
"""Plausible maxima of one call: greater reported numbers are errors of the provider."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat completion."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What completions used; usages add with ``+``. ``usd`` is None if the price is unknown. No amount is negative.

    Raises:
        ValueError: an amount is negative or not finite.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    usd: float | None = None
    estimated: bool = False

    def __post_init__(self) -> None:
        numbers = (self.calls, self.prompt_tokens, self.completion_tokens, self.cached_tokens)
        if not all(isinstance(number, int) and number >= 0 for number in numbers):
            raise ValueError(f"no number of calls and tokens: {numbers}")
        if self.usd is not None and not (isinstance(self.usd, int | float) and 0 <= self.usd < math.inf):
            raise ValueError(f"no price: {self.usd!r}")

    def __add__(self, other: Usage) -> Usage:
        prices = [usd for usd in (self.usd, other.usd) if usd is not None]
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            sum(prices) if prices else None,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may call: its name, a sentence on it, and the JSON Schema of its arguments, an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A request of an agent for one completion.

    ``variables`` are the typed values from which the prompt was rendered. Only the embedded rule model reads them; they
    contain nothing that the rendered messages do not show. ``attempt`` counts from 1. With ``tools`` the reply is one
    call, as JSON (``{"tool": NAME, "arguments": {...}}``); where a server has tool calls of its own, its provider turns
    the first one into that text, so that cache, trace, replay and checks know one form. ``schema`` is that of the text.
    """

    agent: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    attempt: int = 1
    tools: tuple[ToolSpec, ...] = ()

    def tools_as_json(self) -> list[dict[str, Any]]:
        """Return the tools as values of JSON."""
        return [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in self.tools]

    def digest(self) -> str:
        """Return a hexadecimal digest of agent, messages, schema, attempt and, if there are any, tools."""
        content: list[Any] = [self.agent, [[m.role, m.content] for m in self.messages], self.schema, self.attempt]
        if self.tools:
            content.append(self.tools_as_json())
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply: text, finish reason (``stop``, ``length``, ``refusal``), and usage."""

    text: str
    usage: Usage
    finish: str = "stop"


class LanguageModel(Protocol):
    """A model that completes chats."""

    @property
    def name(self) -> str:
        """The spec by which a user names it."""

    def complete(self, request: Request) -> Completion:
        """Complete one request.

        Raises:
            ModelError: as one of its kinds.
        """


def usage_from_report(reported: Mapping[str, object], prompt: int, text: str) -> Usage:
    """Return the usage of one call as its provider reports it; implausible reports are replaced by estimates from
    length.

    ``reported`` may hold ``prompt_tokens``, ``completion_tokens``, ``cached_tokens`` and ``usd``, of any type;
    ``prompt`` is the number of characters sent, ``text`` the reply.
    """
    names = ("prompt_tokens", "completion_tokens", "cached_tokens")
    prompt_tokens, completion_tokens, cached_tokens = (_token_count(reported.get(name)) for name in names)
    if not prompt_tokens or completion_tokens is None or (text and not completion_tokens):
        return Usage(1, prompt // 4, len(text) // 4, estimated=True)
    return Usage(
        1,
        prompt_tokens,
        completion_tokens,
        min(cached_tokens or 0, prompt_tokens),
        _plausible_number(reported.get("usd"), _MAX_USD),
    )


def _token_count(reported: object) -> int | None:
    """Return a plausible number of tokens, or None."""
    amount = _plausible_number(reported, _MAX_TOKENS)
    return int(amount) if amount is not None and amount.is_integer() else None


def _plausible_number(reported: object, maximum: float) -> float | None:
    """Return a non-negative number up to ``maximum``, or None."""
    if isinstance(reported, bool) or not isinstance(reported, int | float) or not 0 <= reported <= maximum:
        return None
    return float(reported)


def count_characters(request: Request) -> int:
    """Return the number of characters in all messages and tools; about four make a token."""
    tools = len(json.dumps(request.tools_as_json())) if request.tools else 0
    return tools + sum(len(message.content) for message in request.messages)


def close_model(model: LanguageModel) -> None:
    """Close the connections and the server of a model, if it has any."""
    closing = getattr(model, "close", None)
    if closing is not None:
        closing()


__all__ = [
    "Completion",
    "LanguageModel",
    "Message",
    "Request",
    "ToolSpec",
    "Usage",
    "close_model",
    "count_characters",
    "usage_from_report",
]
