"""What all dialogues of a run share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.trace import Trace, TracedEndpoint, TracedModel

from chattygen.label_predicates import Naming
from chattygen.options import Options
from chattygen.planning.dealing import Deals
from chattygen.planning.stock import Stock
from chattygen.planning.wishes import Deal


@dataclass(frozen=True, slots=True)
class Run:
    """What all dialogues of a run share; ``hidden`` are the predicates that are never asked about, ``stock`` keeps
    other things of each class, ``deals`` are what the mix gives to all its dialogues, and ``deal`` is what
    the dialogue at hand shall ask.
    """

    kg: KnowledgeGraph
    model: LanguageModel
    options: Options
    naming: Naming
    hidden: frozenset[str]
    trace: Trace = field(default_factory=Trace)
    stock: Stock = field(default_factory=Stock)
    deals: Deals = Deals()
    deal: Deal = Deal()

    def at(self, place: str) -> Run:
        """Return the same run with its model and its endpoint traced at a place."""
        endpoint = TracedEndpoint(self.kg.endpoint, self.trace, place)
        return replace(self, model=TracedModel(self.model, self.trace, place), kg=self.kg.through(endpoint))
