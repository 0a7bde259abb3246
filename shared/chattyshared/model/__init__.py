"""Language models: one protocol, one provider a file; see ``open_model`` for the specs that users type."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant"]
_MOST_TOKENS, _MOST_USD = 10**9, 10**4
"""What no single call uses or costs: more than this is a mistake of the provider's."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat completion."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What completions used; usages add with ``+``. ``usd`` is None where no price is known.

    Nothing in it is negative, so that no sum of usages ever becomes less by one more.

    Raises:
        ValueError: an amount is negative, or no finite number.
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
class Request:
    """One completion that an agent asks for.

    ``variables`` are the typed values that the prompt was rendered from; only the embedded rule model reads them,
    and it sees nothing there that the rendered messages do not show. ``attempt`` counts from 1.
    """

    agent: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    attempt: int = 1

    def digest(self) -> str:
        """Return a hexadecimal digest of what a model would see: agent, messages, schema, attempt."""
        seen = [self.agent, [[m.role, m.content] for m in self.messages], self.schema, self.attempt]
        said = json.dumps(seen, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said: its text, why it ended (``stop``, ``length``, ``refusal``), and what it used."""

    text: str
    usage: Usage
    finish: str = "stop"


class LanguageModel(Protocol):
    """Something that completes chats."""

    @property
    def name(self) -> str:
        """The spec that a user would type for it."""

    def complete(self, request: Request) -> Completion:
        """Complete one request.

        Raises:
            ModelError: as one of its kinds.
        """


def usage_from_report(reported: Mapping[str, object], prompt: int, text: str) -> Usage:
    """Return the usage of one call as its provider reports it; what cannot be true is estimated by length.

    ``reported`` may hold ``prompt_tokens``, ``completion_tokens``, ``cached_tokens`` and ``usd``, of any type;
    ``prompt`` is the number of characters that were sent, ``text`` the reply.
    """
    names = ("prompt_tokens", "completion_tokens", "cached_tokens")
    asked, replied, cached = (_tokens(reported.get(name)) for name in names)
    if not asked or replied is None or (text and not replied):
        return Usage(1, prompt // 4, len(text) // 4, estimated=True)
    return Usage(1, asked, replied, min(cached or 0, asked), _amount(reported.get("usd"), _MOST_USD))


def _tokens(reported: object) -> int | None:
    """Return a number of tokens, or None if it is none."""
    amount = _amount(reported, _MOST_TOKENS)
    return int(amount) if amount is not None and amount.is_integer() else None


def _amount(reported: object, most: float) -> float | None:
    """Return a number that is not negative and plausible, or None."""
    if isinstance(reported, bool) or not isinstance(reported, int | float) or not 0 <= reported <= most:
        return None
    return float(reported)


def count_characters(request: Request) -> int:
    """Return the characters of all messages; a quarter of them is about the number of tokens."""
    return sum(len(message.content) for message in request.messages)


def close_model(model: LanguageModel) -> None:
    """Close what a model holds open, if it holds anything: connections, a server of its own."""
    closing = getattr(model, "close", None)
    if closing is not None:
        closing()


__all__ = [
    "Completion",
    "LanguageModel",
    "Message",
    "Request",
    "Usage",
    "close_model",
    "count_characters",
    "usage_from_report",
]
