"""What all dialogues of a run share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.trace import Trace, TracedEndpoint, TracedModel

from chattygen.options import Options
from chattygen.planning.plan import DialoguePlans
from chattygen.planning.run_cache import RunCache
from chattygen.sampling.label_predicates import Naming


@dataclass(frozen=True, slots=True)
class RunContext:
    """What all dialogues of a run share; ``hidden`` are the predicates that are never asked about, ``stock`` keeps
    what is read once, ``plans`` are those of the dialogues at hand, and ``likeness`` is what the plan of one dialogue
    counts for, whatever its seed.
    """

    kg: KnowledgeGraph
    model: LanguageModel
    options: Options
    naming: Naming
    excluded_predicates: frozenset[str]
    trace: Trace = field(default_factory=Trace)
    cache: RunCache = field(default_factory=RunCache)
    plans: DialoguePlans = field(default_factory=DialoguePlans)
    targets: Mapping[str, int] = field(default_factory=dict)

    def traced_at(self, span: str) -> RunContext:
        """Return the same run with its model and its endpoint traced at a place."""
        endpoint = TracedEndpoint(self.kg.endpoint, self.trace, span)
        return replace(self, model=TracedModel(self.model, self.trace, span), kg=self.kg.with_endpoint(endpoint))
