"""The strategies to a query (staged, direct, agent), and what is known of models: which suits them, what they do."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from chattyshared.model.replay import recorded_models

PromptSize = Literal["full", "lean"]
"""How much a prompt shows: as much as a strong model has use for, or what a small one can hold in view."""
Strategy = Literal["staged", "direct", "agent", "mkgqagent", "triad"]
StrategyOption = Literal["staged", "direct", "agent", "auto"]
"""What a user may choose; ``auto`` tries the strategy that suits the model, and then another."""
ENGINE_STRATEGIES: tuple[Strategy, ...] = ("mkgqagent", "triad")
"""The strategies that users choose as engines: each is tried alone, whatever the model."""
_AGENTS: dict[Strategy, str] = {"staged": "answer/qir", "direct": "answer/direct", "agent": "answer/agent"}
"""The agent whose calls in a trace show that a strategy was tried."""
_SIZE = re.compile(r"(?<![a-z\d.])(?:(\d+)x)?(\d+(?:\.\d+)?)b(?![a-z\d])")
"""Billions of weights in a model's name, of a mixture those of an expert behind their number."""


@dataclass(frozen=True, slots=True)
class ModelStrategy:
    """What is known of some models: patterns of their names, the strategy that suits them, and the reason.

    ``below`` fits models by their size, in billions of weights. ``prompt`` is how much a prompt shows them;
    ``is_small``: they have few tries, and the embedded rules give a second opinion.
    ``is_promptable``: they reply to any prompt; others reply only to those that they have rules for, and write neither
    queries nor sentences. ``languages`` are the tags of the languages that they read; empty: any.
    """

    patterns: tuple[str, ...] = ()
    strategy: Strategy = "direct"
    reason: str = ""
    is_promptable: bool = True
    languages: tuple[str, ...] = ()
    below: float = 0.0
    prompt: PromptSize = "full"
    is_small: bool = False

    def matches(self, model: str) -> bool:
        """Tell whether a model's name (``openai:NAME``) is one of these."""
        name = (model.partition(":")[2] or model).rpartition("/")[2].casefold()
        sizes = [float(size) * int(experts or 1) for experts, size in _SIZE.findall(name)]
        is_below = bool(sizes) and max(sizes) < self.below
        return is_below or any(fnmatchcase(name, pattern) for pattern in self.patterns)

    def reads_language(self, tag: str) -> bool:
        """Tell whether the models read the language of a tag (``en``)."""
        return not self.languages or tag in self.languages


UNKNOWN_MODEL = ModelStrategy()
"""What is assumed of a model that no entry of the table fits: that it is a strong one."""


@lru_cache(maxsize=1)
def model_strategies() -> tuple[ModelStrategy, ...]:
    """Return the shipped table; the first entry that fits a model counts."""
    text = files("chattydata").joinpath("strategies.toml").read_text(encoding="utf-8")
    return tuple(
        ModelStrategy(
            tuple(entry["names"]),
            entry["strategy"],
            entry["reason"],
            entry.get("promptable", True),
            tuple(entry.get("reads", ())),
            entry.get("below", 0),
            entry.get("prompt", "full"),
            entry.get("small", False),
        )
        for entry in tomllib.loads(text)["model"]
    )


def find_model_strategy(model: str) -> ModelStrategy:
    """Return what is known of a model; for a replay, what is known of the one model in its trace.

    Raises:
        BenchmarkInvalid: a replay's trace is not JSON Lines.
    """
    if recorded := set(recorded_models(model).values()) - {model}:
        return find_model_strategy(recorded.pop()) if len(recorded) == 1 else UNKNOWN_MODEL
    return next((entry for entry in model_strategies() if entry.matches(model)), UNKNOWN_MODEL)


def order_strategies(option: StrategyOption | Strategy, model: str) -> tuple[Strategy, ...]:
    """Return the strategies to try for a question, in order; a model that is not promptable gets its only one.

    For a replay ``auto`` gives those that its trace shows.

    Raises:
        BenchmarkInvalid: a replay's trace is not JSON Lines.
    """
    if option != "auto" and option in ENGINE_STRATEGIES:
        return (option,)
    recorded = recorded_models(model)
    entry = find_model_strategy(recorded.get(_AGENTS["direct"], model))
    if not entry.is_promptable:
        return (entry.strategy,)
    if option != "auto":
        return (option,)
    ordered: tuple[Strategy, ...] = ("direct",) if entry.is_small else ("direct", "agent")
    # A replay cannot reply to an agent that its trace does not hold.
    return tuple(strategy for strategy in ordered if _AGENTS[strategy] in recorded) or ordered
