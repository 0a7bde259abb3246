"""Filling one place for a dialogue: what it needs to know, wherever it is done, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.runs.threads import StopSignal, stop_error
from chattyshared.trace import Trace

from chattygen.approaches.registry import make_or_reject
from chattygen.options import Options
from chattygen.planning.plan import DialoguePlans
from chattygen.planning.run_cache import RunCache
from chattygen.rejection import RejectedSeed
from chattygen.run import RunContext
from chattygen.sampling.label_predicates import Naming
from chattygen.sampling.seeds import Slot


@dataclass(frozen=True, slots=True)
class SlotResult:
    """What became of one slot: its dialogue, or None, and the seeds that were rejected on the way.

    ``turns`` are how many turns those could carry that were found to carry no plan. Only a file gives dialogues their
    last ids: before, nobody knows which slots stay empty.
    """

    index: int
    dialogue: Dialogue | None
    rejected: tuple[RejectedSeed, ...] = ()
    reached_turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SlotTask:
    """A slot, with all that is settled before it is filled: plain values, which may travel to another machine."""

    slot: Slot
    options: Options
    naming: Naming
    excluded_predicates: frozenset[str]
    plans: DialoguePlans


@dataclass(frozen=True, slots=True)
class SlotWorker:
    """What fills places: the graph, the model, the trace, what is read once, and what ends the work."""

    kg: KnowledgeGraph
    model: LanguageModel
    trace: Trace = field(default_factory=Trace)
    cache: RunCache = field(default_factory=RunCache)
    stop: StopSignal | None = None


def slot_task(run: RunContext, slot: Slot) -> SlotTask:
    """Return what the filling of a slot needs of its run; of the plans only its own."""
    plans = DialoguePlans(
        {iri: run.plans.by_seed[iri] for iri in slot.candidates if iri in run.plans.by_seed},
        {slot.index: run.plans.counts_by_slot[slot.index]} if slot.index in run.plans.counts_by_slot else {},
    )
    return SlotTask(slot, run.options, run.naming, run.excluded_predicates, plans)


def fill_slot(worker: SlotWorker, task: SlotTask) -> SlotResult:
    """Try the candidates of a slot until one gives a dialogue.

    Raises:
        EndpointUnavailable, ModelUnavailable: the world is gone.
        BudgetSpent: the run was stopped before one did.
    """
    slot, rejected, stock = task.slot, [], worker.cache.with_own_counts()
    identity = f"slot {slot.index + 1}"
    run = RunContext(
        worker.kg, worker.model, task.options, task.naming, task.excluded_predicates, worker.trace, stock, task.plans
    )
    run = replace(run.traced_at(identity), targets=task.plans.counts_by_slot.get(slot.index, {}))
    found: Dialogue | RejectedSeed | None = None
    for iri in slot.candidates:
        if worker.stop is not None and worker.stop.is_set():
            raise stop_error(worker.stop)
        found = make_or_reject(run, iri, slot.type, identity)
        if isinstance(found, Dialogue):
            break
        rejected.append(found)
    dialogue = found if isinstance(found, Dialogue) else None
    return SlotResult(slot.index, dialogue, tuple(rejected), tuple(stock.reached_turns.elements()))
