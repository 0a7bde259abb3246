"""What all dialogues of a run share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.trace import Trace, TracedEndpoint, TracedModel

from chattygen.label_predicates import Naming
from chattygen.options import Options


@dataclass(frozen=True, slots=True)
class Run:
    """What all dialogues of a run share; ``hidden`` are the predicates that are never asked about."""

    kg: KnowledgeGraph
    model: LanguageModel
    options: Options
    naming: Naming
    hidden: frozenset[str]
    trace: Trace = field(default_factory=Trace)

    def at(self, place: str) -> Run:
        """Return the same run with its model and its endpoint traced at a place."""
        endpoint = TracedEndpoint(self.kg.endpoint, self.trace, place)
        return replace(self, model=TracedModel(self.model, self.trace, place), kg=self.kg.through(endpoint))
