"""From options to a knowledge graph and a model; what cannot be reached at the start is bad input."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chattyshared.commands import warn

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.model.rules import Rule


KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What the user said about the model."""

    spec: str = "rules"
    base_url: str | None = None
    timeout: float = 120.0

    @classmethod
    def of(cls, given: Mapping[str, Any], spec: str | None = None) -> ModelChoice:
        """Read the options of ``options.model_options``; ``spec`` in place of ``--model``, if given."""
        return cls(spec or given["model"], given["base_url"], given["model_timeout"])

    def stated(self) -> str:
        """Return what a manifest says of the model."""
        return f"{self.spec} at {self.base_url}" if self.base_url else self.spec


def open_graph(sources: Sequence[str], *, store: Path | None = None, cache_dir: Path | None = None) -> KnowledgeGraph:
    """Open the knowledge graph; warn if nothing in it has a label.

    Raises:
        ConfigError: there is no such file, it does not parse, it is empty; or the endpoint does not answer.
    """
    from chattyshared.exits import starting
    from chattyshared.opening import open_kg

    with starting():
        kg = open_kg(sources, store=store, cache_dir=cache_dir)
    if not kg.profile.has_labels:
        warn(f"{kg.name} has no labels at all: things are called by the local names of their IRIs")
    return kg


def open_model(choice: ModelChoice, rulebook: Mapping[str, Rule] | None = None) -> LanguageModel:
    """Open the model that was chosen, with the QA engine's rulebook unless said otherwise.

    The key comes from the environment, and nothing below reads the environment.

    Raises:
        ConfigError: the model is unknown, or lacks a key.
    """
    from chattyshared.model import opening

    from chattykg.rulebook import RULEBOOK

    return opening.open_model(
        choice.spec,
        rulebook=RULEBOOK if rulebook is None else rulebook,
        base_url=choice.base_url,
        timeout=choice.timeout,
        api_key=os.environ.get(KEY),
    )


def secrets() -> tuple[str, ...]:
    """Return what no trace may hold."""
    return tuple(filter(None, [os.environ.get(KEY)]))
