"""The slots of a run: who fills them, with which seeds, in which rounds, and why some of them stay empty."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.question_forms import UNANSWERABLE
from chattyshared.runs.runner import Runner
from chattyshared.runs.threads import StopSignal, stop_error
from chattyshared.trace import Trace
from rdflib import URIRef

from chattygen.approaches.approach import Approach
from chattygen.approaches.registry import DialogueMaker, assign_approaches, make_or_reject
from chattygen.mix import form_coverage
from chattygen.options import Options
from chattygen.rejection import RejectedSeed
from chattygen.run import RunCache, RunContext
from chattygen.runs.preparation import TypeSelection, choose_labels
from chattygen.sampling.node_types import REQUESTED_DROPS, type_weight
from chattygen.sampling.seeds import MAX_TRIES, SeedPool, Slot, assign_slots, remaining_quotas
from chattygen.subgraph.naming import Naming

logger = logging.getLogger(__name__)
MIN_MISSING_TURNS = 3
"""Turns that a form is short of, at least, to be told: fewer are chance in a short run."""
MAX_REASONS = 4
"""Reasons of each kind that the warning about missing dialogues names."""


@dataclass(frozen=True, slots=True)
class SlotResult:
    """The outcome of one slot: its dialogue in each language, or none, and the seeds that were rejected before.

    ``reached_turns`` says, for each seed that carries no plan, how many turns it could carry. The dialogues get their
    final ids only in a file: which slots stay empty is not known before.
    """

    index: int
    dialogues: tuple[Dialogue, ...]
    rejected: tuple[RejectedSeed, ...] = ()
    reached_turns: tuple[int, ...] = ()

    @property
    def dialogue(self) -> Dialogue | None:
        """The dialogue in the first language; None if there is none."""
        return next(iter(self.dialogues), None)

    @property
    def seed_iri(self) -> str:
        """The IRI of the accepted seed; empty if there is none."""
        return self.dialogue.seed.iri if self.dialogue else ""


@dataclass(frozen=True, slots=True)
class SlotTask:
    """A slot with all that is settled before it is filled: plain values that can travel to another machine."""

    slot: Slot
    options: Options
    naming: Naming
    excluded_predicates: frozenset[str]
    make_dialogues: DialogueMaker


@dataclass(frozen=True, slots=True)
class SlotWorker:
    """What a worker needs to fill slots: the KG, the model, the trace, the cache, and the signal to stop."""

    kg: KnowledgeGraph
    model: LanguageModel
    trace: Trace = field(default_factory=Trace)
    cache: RunCache = field(default_factory=RunCache)
    stop: StopSignal | None = None


def fill_slot(worker: SlotWorker, task: SlotTask) -> SlotResult:
    """Try the candidates of a slot in order until one gives a dialogue.

    Raises:
        EndpointUnavailable, ModelUnavailable: the endpoint or the model is gone.
        BudgetSpent: the run was stopped before a candidate gave a dialogue.
    """
    slot, rejected, cache = task.slot, [], worker.cache.with_own_counts()
    identity = f"slot {slot.index + 1}"
    run = RunContext(
        worker.kg, worker.model, task.options, task.naming, task.excluded_predicates, worker.trace, cache
    ).traced_at(identity)
    dialogues: tuple[Dialogue, ...] = ()
    for iri in slot.candidates:
        if worker.stop is not None and worker.stop.is_set():
            raise stop_error(worker.stop)
        outcome = make_or_reject(task.make_dialogues, run, iri, slot.type, identity)
        if not isinstance(outcome, RejectedSeed):
            dialogues = outcome
            break
        rejected.append(outcome)
    return SlotResult(slot.index, dialogues, tuple(rejected), tuple(cache.reached_turns.elements()))


@dataclass(frozen=True, slots=True)
class SlotFiller:
    """How slots are filled: by what function, by whom, without the slots that are done, and until what signal.

    ``done`` maps the indexes that an earlier run has finished to the IRI of the accepted seed (empty: none).
    """

    make_dialogues: Callable[[Approach[Any], RunContext, URIRef, str, str], tuple[Dialogue, ...]]
    runner: Runner
    done: Mapping[int, str] = field(default_factory=dict)
    stop: StopSignal | None = None

    def fill_slots(self, run: RunContext, selection: TypeSelection, pool: SeedPool) -> Iterator[SlotResult]:
        """Fill the slots in rounds: an empty slot is tried again with the seeds that are left, up to ``--max-seeds``.

        Each round tries at least one new seed or is the last, so the rounds end.

        Raises:
            EndpointError, ModelError: the endpoint or the model fails.
            BudgetSpent: ``stop`` was set.
            WorkersLost: the runner has no workers left.
        """
        schedule = SlotSchedule(selection, pool)
        forms: Counter[str] = Counter()
        while schedule.is_open:
            run = choose_labels(run, selection, schedule.types_to_fill)
            for slot, seed_iri, result in self._fill_round(run, schedule.next_slots()):
                schedule.record(slot, seed_iri, result.rejected if result is not None else ())
                if result is not None:
                    turns = result.dialogue.turns if result.dialogue is not None else ()
                    forms.update(turn.form if turn.answerable else UNANSWERABLE for turn in turns)
                    yield result
            schedule.end_round()
        if not self.done:  # of dialogues that an earlier run has made, the file has the forms
            _warn_of_mix(run, forms)
        if schedule.dialogues < run.options.dialogues:
            _warn_of_missing(run, schedule)

    def _fill_round(self, run: RunContext, slots: Sequence[Slot]) -> Iterator[tuple[Slot, str, SlotResult | None]]:
        """Yield each slot, the IRI of its accepted seed (empty: none), and its result unless an earlier run has it."""
        yield from ((slot, self.done[slot.index], None) for slot in slots if slot.index in self.done)
        started: list[Slot] = []
        worker = SlotWorker(run.kg, run.model, run.trace, run.cache, self.stop)
        tasks = self._tasks(run, slots, started)
        finished = 0
        for number, result in self.runner.map_unordered(fill_slot, worker, tasks, stop=self.stop, trace=run.trace):
            finished += 1
            run.cache.reached_turns.update(result.reached_turns)
            yield started[number], result.seed_iri, result
        if finished < sum(slot.index not in self.done for slot in slots):
            raise stop_error(self.stop)

    def _tasks(self, run: RunContext, slots: Sequence[Slot], started: list[Slot]) -> Iterator[SlotTask]:
        """Yield the tasks of the slots that are not done, and append these slots to ``started``."""
        given = {slot.index: slot for slot in slots}
        for slot, approach in assign_approaches(run, slots, self.done):
            started.append(given[slot.index])
            maker = partial(self.make_dialogues, approach)
            yield SlotTask(slot, run.options, run.naming, run.excluded_predicates, maker)


class SlotSchedule:
    """Which types still need dialogues, and which seeds are left for them.

    ``tried`` counts seeds, ``dialogues`` those that became dialogues, ``reasons`` why the others were rejected.
    """

    def __init__(self, selection: TypeSelection, pool: SeedPool) -> None:
        kept_types = [node for node in selection.types if not node.dropped]
        self.selection = selection
        self.dialogues, self.tried = 0, 0
        self.reasons: Counter[str] = Counter()
        self._pool = pool
        self._labels = {node.iri: node.label for node in kept_types}
        self._weights = {node.iri: type_weight(node, selection.options) for node in kept_types}
        self._quotas = remaining_quotas({node.iri: node.quota for node in kept_types}, pool.entities, self._weights)
        self._accepted_bands: dict[str, Counter[str]] = {iri: Counter() for iri in self._labels}
        self._next_index = 0
        self._used: set[URIRef] = set()
        self._tried_by_type: Counter[str] = Counter()
        self._missing: Counter[str] = Counter()

    @property
    def is_open(self) -> bool:
        """Whether dialogues are missing, and seeds for them are left within the limit."""
        options = self.selection.options
        return bool(self._quotas) and self.tried < options.seed_limit and self.dialogues < options.dialogues

    @property
    def types_to_fill(self) -> tuple[tuple[str, str], ...]:
        """IRI and label of the types that the next round makes dialogues for."""
        return tuple((iri, self._labels[iri]) for iri in self._quotas)

    def next_slots(self) -> tuple[Slot, ...]:
        """Return the slots of the next round."""
        options = self.selection.options
        ordered = self._pool.ordered_by_band(self._quotas, self._accepted_bands, options.popularity)
        slots = assign_slots(self._next_index, self._quotas, ordered.entities, options.seed_limit - self.tried)
        self._next_index += len(slots)
        self._used, self._missing = set(), Counter()
        return slots

    def record(self, slot: Slot, seed_iri: str, rejected: Sequence[RejectedSeed]) -> None:
        """Count the outcome of one slot; ``seed_iri`` is empty if no seed was accepted."""
        seed = URIRef(seed_iri)
        tried = slot.candidates.index(seed) + 1 if seed_iri else len(slot.candidates)
        self.reasons.update(_reason(rejection) for rejection in rejected)
        self.tried += tried
        self.dialogues += bool(seed_iri)
        self._used.update(slot.candidates[:tried])
        self._tried_by_type[slot.type] += tried
        self._missing[slot.type] += not seed_iri
        self._accepted_bands[slot.type][self._pool.bands.get(seed, "")] += bool(seed_iri)

    def end_round(self) -> None:
        """Remove the seeds that were tried, and share out the dialogues that are missing.

        A type that has none after ``MAX_TRIES`` seeds is tried again only if no other type has entities left.
        """
        self._pool = self._pool.without(self._used)
        hopeful = {iri: pool for iri, pool in self._pool.entities.items() if not self._is_hopeless(iri)}
        entities = hopeful if any(hopeful.values()) else self._pool.entities
        self._quotas = remaining_quotas(dict(sorted(self._missing.items())), entities, self._weights)

    def _is_hopeless(self, type_iri: str) -> bool:
        return not self._accepted_bands[type_iri].total() and self._tried_by_type[type_iri] >= MAX_TRIES


def _reason(rejected: RejectedSeed) -> str:
    return f"{rejected.stage}: {rejected.problems[0].rule}" if rejected.problems else rejected.stage


def _warn_of_mix(run: RunContext, forms: Counter[str]) -> None:
    """Warn of the forms that are short of their share: how many seeds offer them, and what they need."""
    cache = run.cache
    rows = form_coverage(forms, run.options.mix) if cache.planned_seeds else ()
    short = [row for row in rows if row.is_short and row.missing_turns >= MIN_MISSING_TURNS]
    parts = (
        f"{row.form} {row.share:.1f} % of {row.target_share:.0f} % (offered by {cache.offered_forms[row.form]} of "
        f"{cache.planned_seeds} seeds; needs {row.needs})" for row in short
    )  # fmt: skip
    if short:
        logger.warning("the graph gives less of the mix: %s", "; ".join(parts))


def _warn_of_missing(run: RunContext, schedule: SlotSchedule) -> None:
    """Warn that dialogues are missing: how many, why, and which options would help."""
    wanted, limit = run.options.dialogues, run.options.seed_limit
    why = "the KG cannot give more" if schedule.tried < limit else f"no more than {limit} seeds are tried (--max-seeds)"
    causes = [f"{number} seeds rejected ({reason})" for reason, number in schedule.reasons.most_common(MAX_REASONS)]
    dropped = [node for node in schedule.selection.types if node.dropped not in {"", *REQUESTED_DROPS}]
    causes += [f"{node.label}: {node.dropped}" for node in dropped[:MAX_REASONS]]
    turns = _carried_turns(run.cache.reached_turns, wanted - schedule.dialogues)
    advice = _advice(run.options, turns, schedule.selection, schedule.reasons)
    details = "; ".join(("; ".join(causes) or "no more entities", *advice))
    logger.warning("made %d of %d dialogues: %s (%s)", schedule.dialogues, wanted, why, details)


def _carried_turns(reached_turns: Counter[int], missing: int) -> int:
    """Return the most turns that as many rejected seeds could carry as dialogues are missing, or the best of them."""
    enough = [
        turns
        for turns in reached_turns
        if turns and sum(reached_turns[more] for more in reached_turns if more >= turns) >= missing
    ]
    return max(enough, default=max(reached_turns, default=0))


def _advice(options: Options, carried_turns: int, selection: TypeSelection, reasons: Counter[str]) -> Iterator[str]:
    """Say which options would let the KG give more; ``carried_turns`` are what the rejected seeds could carry."""
    no_type_left = all(node.dropped for node in selection.types)
    fewer = min(options.turns - 1, selection.max_predicates) if no_type_left else carried_turns or options.turns - 1
    too_short = sum(number for reason, number in reasons.items() if reason.endswith(": turns"))
    if fewer > 0 and selection.max_predicates and (no_type_left or 4 * too_short >= reasons.total() > 0):
        bounds = f" --min-predicates {fewer} --min-triples {fewer}" if no_type_left else ""
        yield f"--turns {fewer}{bounds} asks for less"
