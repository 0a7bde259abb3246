"""Two strategies to a query, staged and direct, and which of them a model is given first."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from chattyshared.model.replay import recorded_models

Strategy = Literal["staged", "direct"]
StrategyOption = Literal["staged", "direct", "auto"]
"""What a user may ask for; ``auto`` takes what the model is known for, and then the other."""
DEFAULT_STRATEGY: Strategy = "staged"
_AGENTS: dict[Strategy, str] = {"staged": "answer/qir", "direct": "answer/direct"}
"""Whose calls in a trace show that a strategy was tried."""


@dataclass(frozen=True, slots=True)
class ModelStrategy:
    """What is known of some models: patterns of their names, the strategy that suits them, and why.

    ``only``: they cannot do the other at all. ``reads`` are the languages that they read; empty: any.
    """

    patterns: tuple[str, ...]
    strategy: Strategy
    reason: str
    is_exclusive: bool = False
    languages: tuple[str, ...] = ()

    def matches(self, model: str) -> bool:
        """Tell whether a model's name, as ``openai:NAME``, is one of these."""
        name = model.rpartition(":")[2].rpartition("/")[2].casefold()
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)


@lru_cache(maxsize=1)
def model_strategies() -> tuple[ModelStrategy, ...]:
    """Return the shipped table; of several entries that fit a model the first counts."""
    text = files("chattydata").joinpath("strategies.toml").read_text(encoding="utf-8")
    return tuple(
        ModelStrategy(
            tuple(entry["names"]),
            entry["strategy"],
            entry["reason"],
            entry.get("only", False),
            tuple(entry.get("reads", ())),
        )
        for entry in tomllib.loads(text)["model"]
    )


def find_model_strategy(model: str) -> ModelStrategy | None:
    """Return what is known of a model, if anything; of a replay, what is known of the one model that it was made with.

    Raises:
        BenchmarkInvalid: a replay's trace is not JSON Lines.
    """
    if then := set(recorded_models(model).values()) - {model}:
        return find_model_strategy(then.pop()) if len(then) == 1 else None
    return next((entry for entry in model_strategies() if entry.matches(model)), None)


def order_strategies(option: StrategyOption, model: str) -> tuple[Strategy, ...]:
    """Return the strategies that a question is tried by, in order; a model that can do one only is given that one.

    Unless one is wanted, a replay is given those that its trace shows.

    Raises:
        BenchmarkInvalid: a replay's trace is not JSON Lines.
    """
    then = recorded_models(model)
    entry = find_model_strategy(then.get(_AGENTS["direct"], model))
    if entry is not None and entry.is_exclusive:
        return (entry.strategy,)
    if option != "auto":
        return (option,)
    first = entry.strategy if entry is not None else DEFAULT_STRATEGY
    tried: tuple[Strategy, ...] = ("staged", "direct") if first == "staged" else ("direct", "staged")
    # What nobody was asked then, nobody can say again.
    return tuple(one for one in tried if _AGENTS[one] in then) or tried
