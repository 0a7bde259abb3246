"""Cost estimate (dry run): the model calls of a run, estimated from a few dialogues of the embedded rules."""

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
"""Dialogues that are made for an estimate."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The estimated cost of a run, and the few dialogues that it is based on."""

    forecast: ModelCostEstimate
    sample: tuple[Dialogue, ...]


def estimate_generation(
    kg: KnowledgeGraph, options: Options, models: Sequence[str], price_of: Callable[[str], Price | None]
) -> CostEstimate:
    """Estimate calls, tokens and US dollars of a run; ``price_of`` returns the price of a model, None if unknown.

    ``models`` are specs for ``open_stage_models``.

    Raises:
        ConfigError: not one dialogue can be made.
        EndpointError: the endpoint fails.
    """
    sample_options = replace(options, dialogues=min(SAMPLE_DIALOGUES, options.dialogues), workers=1)
    recorders: dict[str, RecordingModel] = {}
    model = open_stage_models(
        models, lambda spec: recorders.setdefault(spec, RecordingModel(spec, RuleModel(RULEBOOK)))
    )
    results = generate(kg, model, sample_options)
    made = [result.dialogues for result in results if result.dialogues]
    sample = tuple(dialogue for dialogues in made for dialogue in dialogues)
    if not sample:
        raise ConfigError(f"{kg.name}: not one dialogue can be made with these options: there is nothing to estimate")
    parts = [
        estimate_cost(recorder.usage, len(made), options.dialogues, price_of_spec(spec, price_of))
        for spec, recorder in recorders.items()
    ]
    return CostEstimate(sum(parts[1:], parts[0]), sample)
