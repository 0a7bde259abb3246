"""One model for every stage, or one for each."""

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
"""Which stage an agent belongs to; the others ask questions."""


class ModelPerStage:
    """A language model that hands each request to the model of its stage."""

    def __init__(self, models: Mapping[str, LanguageModel], otherwise: LanguageModel) -> None:
        """Take models by stage, and the one for all other stages."""
        self._models, self._otherwise = dict(models), otherwise

    @property
    def name(self) -> str:
        """The name of each model with its stage, the one for the rest first."""
        named = [f"{stage}={self._models[stage].name}" for stage in STAGES if stage in self._models]
        return ", ".join([self._otherwise.name, *named] if len(named) < len(STAGES) else named)

    def complete(self, request: Request) -> Completion:
        """Have the model of the request's stage complete it.

        Raises:
            ModelError: as one of its kinds.
        """
        stage = STAGE_OF_AGENT.get(request.agent, "questions")
        return self._models.get(stage, self._otherwise).complete(request)


def open_stage_models(specs: Iterable[str], open_model: Callable[[str], LanguageModel]) -> LanguageModel:
    """Open what ``--model`` says: a model for all stages, ``STAGE=MODEL`` for single ones; ``rules`` for the rest.

    Raises:
        ConfigError: a stage is unknown or named twice, two models are for all stages, or a model cannot be opened.
    """
    rest, named = parse_model_assignments(specs, STAGES)
    single = {spec: open_model(spec) for spec in dict.fromkeys([rest, *named.values()])}
    stages = {stage: single[spec] for stage, spec in named.items()}
    return ModelPerStage(stages, single[rest]) if stages else single[rest]
