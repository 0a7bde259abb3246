"""What a model's tokens cost: a dated table, what the user says instead, and how usage becomes money."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

from chattyshared.errors import ConfigError
from chattyshared.model import Usage
from chattyshared.model.providers import PROVIDER_BY_KIND

MILLION = 1_000_000
_VERSION = re.compile(r"(-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{4}|-\d{3}|-latest)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of the prompt, of the reply, and of the prompt from the provider's cache.

    ``read`` is the month in which it was looked up, empty if the user said it.
    """

    prompt: float
    reply: float
    cached: float | None = None
    read: str = ""

    def cost_of(self, usage: Usage) -> float:
        """Return what a usage costs; cached tokens are a part of the prompt's."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        cheap = self.prompt if self.cached is None else self.cached
        tokens = (usage.prompt_tokens - cached) * self.prompt + cached * cheap + usage.completion_tokens * self.reply
        return tokens / MILLION


FREE = Price(0, 0)
"""What the embedded rules and the replay of a trace cost: their usage carries no price, not even of nothing."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices that the user said, by model or by whole spec, before those of the table."""

    overrides: tuple[tuple[str, Price], ...] = ()

    @classmethod
    def parse(cls, given: Iterable[str]) -> Prices:
        """Read prices as they are typed: ``MODEL=PROMPT,REPLY`` or ``MODEL=PROMPT,CACHED,REPLY``, dollars a million.

        ``MODEL`` is a spec (``openai:gpt-4o``) or a name (``gpt-4o``); left out with its ``=``, the price is for all.

        Raises:
            ConfigError: something else is typed.
        """
        return cls(tuple(map(_typed, given)))

    def price_of_model(self, spec: str, base_url: str | None = None) -> Price | None:
        """Return the price of the model that a spec names, at a server; None if it is not known."""
        provider, _, model = spec.partition(":")
        for name, price in self.overrides:
            if name in ("", spec, model):
                return price
        row = PROVIDER_BY_KIND.get(provider)
        host = (urlsplit(base_url).hostname if base_url else row and row.host) or ""
        known = _table().get(host, {})
        # The longest name comes first: what a version may follow is no other model's name.
        fits = (name for name in sorted(known, key=len, reverse=True) if _is_version(name, model))
        found = next(fits, None)
        return known[found] if found else None


def with_price(usage: Usage, price: Price | None) -> Usage:
    """Return a usage with its price: the provider's own figure, but no less than at a price of the user's."""
    if price is None or price is FREE or (usage.usd is not None and price.read):
        return usage
    return replace(usage, usd=max(price.cost_of(usage), usage.usd or 0.0))


def _is_version(name: str, model: str) -> bool:
    model = model.removeprefix("models/")
    return model.startswith(name) and _VERSION.fullmatch(model, len(name)) is not None


@cache
def _table() -> Mapping[str, Mapping[str, Price]]:
    found = tomllib.loads(files("chattydata").joinpath("prices.toml").read_text(encoding="utf-8"))
    return {host: {name: Price(**row) for name, row in rows.items()} for host, rows in found.items()}


def _typed(said: str) -> tuple[str, Price]:
    name, _, numbers = said.rpartition("=")
    try:
        values = [float(number) for number in numbers.split(",")]
    except ValueError:
        values = []
    if len(values) not in (2, 3) or not all(0 <= value <= MILLION for value in values):
        raise ConfigError(
            f"--price {said}: not MODEL=PROMPT,REPLY (or PROMPT,CACHED,REPLY) in dollars a million tokens"
        )
    return name.strip(), Price(values[0], values[-1], values[1] if len(values) == 3 else None)
