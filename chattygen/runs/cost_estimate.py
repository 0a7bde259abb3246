"""What a run would ask of its models, estimated from a few dialogues that the embedded rules make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chattyshared.dialogue import Dialogue
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.cost_estimate import ModelCostEstimate, RecordingModel, estimate_cost, price_of_spec
from chattyshared.model.prices import Price
from chattyshared.model.rules import RuleModel

from chattygen.options import Options
from chattygen.pipeline import generate
from chattygen.rulebook import RULEBOOK
from chattygen.stage_models import open_stage_models

SAMPLE_DIALOGUES = 5
"""Dialogues that are made to estimate from."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What a run would take, and the few dialogues that this was read from."""

    forecast: ModelCostEstimate
    sample: tuple[Dialogue, ...]


def estimate_generation(
    kg: KnowledgeGraph, options: Options, models: Sequence[str], price_of: Callable[[str], Price | None]
) -> CostEstimate:
    """Estimate calls, tokens and dollars of a run; ``price_of`` tells what a model's tokens cost, None if unknown.

    ``models`` are specs as ``by_stage`` takes them.

    Raises:
        ConfigError: not even one dialogue can be made.
        EndpointError: the endpoint cannot be asked.
    """
    few = replace(options, dialogues=min(SAMPLE_DIALOGUES, options.dialogues), workers=1)
    played: dict[str, RecordingModel] = {}
    model = open_stage_models(models, lambda spec: played.setdefault(spec, RecordingModel(spec, RuleModel(RULEBOOK))))
    sample = tuple(made.dialogue for made in generate(kg, model, few) if made.dialogue is not None)
    if not sample:
        raise ConfigError(f"{kg.name}: not one dialogue can be made with these options: there is nothing to estimate")
    parts = [
        estimate_cost(one.usage, len(sample), options.dialogues, price_of_spec(spec, price_of))
        for spec, one in played.items()
    ]
    return CostEstimate(sum(parts[1:], parts[0]), sample)
