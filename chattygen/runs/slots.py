"""Filling one place for a dialogue: what it needs to know, wherever it is done, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.runs.threads import Stop, stopped
from chattyshared.trace import Trace

from chattygen.approaches.registry import make
from chattygen.options import Options
from chattygen.planning.plan import Plans
from chattygen.planning.run_cache import Stock
from chattygen.rejection import Rejected
from chattygen.run import Run
from chattygen.sampling.label_predicates import Naming
from chattygen.sampling.seeds import Slot


@dataclass(frozen=True, slots=True)
class Made:
    """What became of one slot: its dialogue, or None, and the seeds that were rejected on the way.

    ``turns`` are how many turns those could carry that were found to carry no plan. Only a file gives dialogues their
    last ids: before, nobody knows which slots stay empty.
    """

    index: int
    dialogue: Dialogue | None
    rejected: tuple[Rejected, ...] = ()
    turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A slot, with all that is settled before it is filled: plain values, which may travel to another machine."""

    slot: Slot
    options: Options
    naming: Naming
    hidden: frozenset[str]
    plans: Plans


@dataclass(frozen=True, slots=True)
class Workshop:
    """What fills places: the graph, the model, the trace, what is read once, and what ends the work."""

    kg: KnowledgeGraph
    model: LanguageModel
    trace: Trace = field(default_factory=Trace)
    stock: Stock = field(default_factory=Stock)
    stop: Stop | None = None


def place_of(run: Run, slot: Slot) -> Place:
    """Return what the filling of a slot needs of its run; of the plans only its own."""
    plans = Plans(
        {iri: run.plans.by_seed[iri] for iri in slot.candidates if iri in run.plans.by_seed},
        {slot.index: run.plans.by_place[slot.index]} if slot.index in run.plans.by_place else {},
    )
    return Place(slot, run.options, run.naming, run.hidden, plans)


def fill(shop: Workshop, place: Place) -> Made:
    """Try the candidates of a slot until one gives a dialogue.

    Raises:
        EndpointUnavailable, ModelUnavailable: the world is gone.
        BudgetSpent: the run was stopped before one did.
    """
    slot, rejected, stock = place.slot, [], shop.stock.apart()
    identity = f"slot {slot.index + 1}"
    run = Run(shop.kg, shop.model, place.options, place.naming, place.hidden, shop.trace, stock, place.plans)
    run = replace(run.at(identity), likeness=place.plans.by_place.get(slot.index, {}))
    found: Dialogue | Rejected | None = None
    for iri in slot.candidates:
        if shop.stop is not None and shop.stop.is_set():
            raise stopped(shop.stop)
        found = make(run, iri, slot.type, identity)
        if isinstance(found, Dialogue):
            break
        rejected.append(found)
    dialogue = found if isinstance(found, Dialogue) else None
    return Made(slot.index, dialogue, tuple(rejected), tuple(stock.turns.elements()))
