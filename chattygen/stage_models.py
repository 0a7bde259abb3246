"""Stage models: one model for all stages, or one for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from chattyshared.model import Completion, LanguageModel, Request
from chattyshared.model.option_specs import parse_model_assignments

STAGES = ("questions", "queries", "dialogues", "labels")
STAGE_OF_AGENT = {
    "generate/query": "queries",
    "generate/binding": "queries",
    "generate/triples": "queries",
    "generate/dialogue": "dialogues",
    "generate/plan_verbalization": "dialogues",
    "generate/label": "labels",
}
"""The stage of each agent; the other agents belong to ``questions``."""


class ModelPerStage:
    """A language model that hands each request to the model of its stage."""

    def __init__(self, models: Mapping[str, LanguageModel], default: LanguageModel) -> None:
        """Take models by stage, and the one for all other stages."""
        self._models, self._default = dict(models), default

    @property
    def name(self) -> str:
        """The names of the models with their stages, the default first."""
        named = [f"{stage}={self._models[stage].name}" for stage in STAGES if stage in self._models]
        return ", ".join([self._default.name, *named] if len(named) < len(STAGES) else named)

    def complete(self, request: Request) -> Completion:
        """Complete a request with the model of its stage.

        Raises:
            ModelError: the model fails.
        """
        return self.model_of(request.agent).complete(request)

    def model_of(self, agent: str) -> LanguageModel:
        """Return the model of the stage of an agent."""
        return self._models.get(STAGE_OF_AGENT.get(agent, "questions"), self._default)


def stage_model(model: LanguageModel, agent: str) -> LanguageModel:
    """Return the model that replies to an agent: the model itself, or that of the agent's stage."""
    return model.model_of(agent) if isinstance(model, ModelPerStage) else model


def open_stage_models(specs: Iterable[str], open_model: Callable[[str], LanguageModel]) -> LanguageModel:
    """Open the models of ``--model``: a model for all stages, ``STAGE=MODEL`` for single ones; ``rules`` for the rest.

    Raises:
        ConfigError: a stage is unknown or named twice, two models are for all stages, or a model cannot be opened.
    """
    default, assigned = parse_model_assignments(specs, STAGES)
    models = {spec: open_model(spec) for spec in dict.fromkeys([default, *assigned.values()])}
    stages = {stage: models[spec] for stage, spec in assigned.items()}
    return ModelPerStage(stages, models[default]) if stages else models[default]
