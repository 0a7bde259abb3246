"""What a run would ask of its models, estimated from a few dialogues that the embedded rules make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Usage
from chattyshared.model.forecast import Forecast, forecast
from chattyshared.model.prices import FREE, Price
from chattyshared.model.rules import Rules

from chattygen.options import Options
from chattygen.pipeline import generate
from chattygen.rulebook import RULEBOOK

SAMPLED = 5
"""Dialogues that are made to estimate from."""


def estimate(
    kg: KnowledgeGraph, options: Options, models: Sequence[str], price_of: Callable[[str], Price | None]
) -> Forecast:
    """Estimate calls, tokens and dollars of a run; ``price_of`` tells what a model's tokens cost, None if unknown.

    Where stages have models of their own, there is no price: who is asked how much is not foretold.

    Raises:
        ConfigError: not even one dialogue can be made.
        EndpointError: the endpoint cannot be asked.
    """
    few = replace(options, dialogues=min(SAMPLED, options.dialogues), workers=1)
    used, done = Usage(), 0
    for made in generate(kg, Rules(RULEBOOK), few):
        used = sum((one.usage for one in made.rejected), used)
        if made.dialogue is not None:
            used, done = used + made.dialogue.usage, done + 1
    if not done:
        raise ConfigError(f"{kg.name}: not one dialogue can be made with these options: there is nothing to estimate")
    return forecast(used, done, options.dialogues, _price(models or ("rules",), price_of))


def _price(models: Sequence[str], price_of: Callable[[str], Price | None]) -> Price | None:
    kind = models[0].partition(":")[0]
    if len(models) > 1 or "=" in kind:
        return None
    return FREE if kind in ("rules", "replay") else price_of(models[0])
