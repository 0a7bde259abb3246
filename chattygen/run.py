"""What all dialogues of a run share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.trace import Trace, TracedEndpoint, TracedModel

from chattygen.options import Options
from chattygen.planning.plan import Plans
from chattygen.planning.run_cache import Stock
from chattygen.sampling.label_predicates import Naming


@dataclass(frozen=True, slots=True)
class Run:
    """What all dialogues of a run share; ``hidden`` are the predicates that are never asked about, ``stock`` keeps
    what is read once, ``plans`` are those of the dialogues at hand, and ``likeness`` is what the plan of one dialogue
    counts for, whatever its seed.
    """

    kg: KnowledgeGraph
    model: LanguageModel
    options: Options
    naming: Naming
    hidden: frozenset[str]
    trace: Trace = field(default_factory=Trace)
    stock: Stock = field(default_factory=Stock)
    plans: Plans = field(default_factory=Plans)
    likeness: Mapping[str, int] = field(default_factory=dict)

    def at(self, place: str) -> Run:
        """Return the same run with its model and its endpoint traced at a place."""
        endpoint = TracedEndpoint(self.kg.endpoint, self.trace, place)
        return replace(self, model=TracedModel(self.model, self.trace, place), kg=self.kg.through(endpoint))
