"""Prices of models: a dated table, the user's own prices, and the cost of usage."""

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
_VERSION_SUFFIX = re.compile(r"(-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{4}|-\d{3}|-latest)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens of the prompt, the reply, and the part of the prompt in the provider's cache.

    ``read`` is the month of the look-up; empty for a price of the user.
    """

    prompt: float
    reply: float
    cached: float | None = None
    read: str = ""

    def cost_of(self, usage: Usage) -> float:
        """Return the cost of a usage in dollars; cached tokens are a part of the prompt tokens."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        cheap = self.prompt if self.cached is None else self.cached
        tokens = (usage.prompt_tokens - cached) * self.prompt + cached * cheap + usage.completion_tokens * self.reply
        return tokens / MILLION


FREE = Price(0, 0)
"""The price of free models; their usage keeps ``usd`` None."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of the user, by model or spec; they override the table."""

    overrides: tuple[tuple[str, Price], ...] = ()

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Prices:
        """Parse ``MODEL=PROMPT,REPLY`` or ``MODEL=PROMPT,CACHED,REPLY``, in dollars per million tokens.

        ``MODEL`` is a spec (``openai:gpt-4o``) or a name (``gpt-4o``); without ``MODEL=`` the price is for all models.

        Raises:
            ConfigError: a text has another form.
        """
        return cls(tuple(map(_parse_price, texts)))

    def price_of_model(self, spec: str, base_url: str | None = None) -> Price | None:
        """Return the price of a spec's model at a server; None if it is unknown."""
        provider, _, model = spec.partition(":")
        for name, price in self.overrides:
            if name in ("", spec, model):
                return price
        row = PROVIDER_BY_KIND.get(provider)
        host = (urlsplit(base_url).hostname if base_url else row and row.host) or ""
        price_by_name = _price_table().get(host, {})
        # Longest name first, so that a version suffix is not taken for a part of another model's name.
        matches = (name for name in sorted(price_by_name, key=len, reverse=True) if _is_version(name, model))
        match = next(matches, None)
        return price_by_name[match] if match else None


def with_price(usage: Usage, price: Price | None) -> Usage:
    """Return a usage with its cost: the provider's own figure, but not less than at a price of the user."""
    if price is None or price is FREE or (usage.usd is not None and price.read):
        return usage
    return replace(usage, usd=max(price.cost_of(usage), usage.usd or 0.0))


def _is_version(name: str, model: str) -> bool:
    model = model.removeprefix("models/")
    return model.startswith(name) and _VERSION_SUFFIX.fullmatch(model, len(name)) is not None


@cache
def _price_table() -> Mapping[str, Mapping[str, Price]]:
    tables = tomllib.loads(files("chattydata").joinpath("prices.toml").read_text(encoding="utf-8"))
    return {host: {name: Price(**row) for name, row in rows.items()} for host, rows in tables.items()}


def _parse_price(text: str) -> tuple[str, Price]:
    name, _, numbers = text.rpartition("=")
    try:
        values = [float(number) for number in numbers.split(",")]
    except ValueError:
        values = []
    if len(values) not in (2, 3) or not all(0 <= value <= MILLION for value in values):
        raise ConfigError(f"price={text}: not MODEL=PROMPT,REPLY (or PROMPT,CACHED,REPLY) in dollars a million tokens")
    return name.strip(), Price(values[0], values[-1], values[1] if len(values) == 3 else None)
