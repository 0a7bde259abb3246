"""The slots of a run: who fills them, with which seeds, in which rounds, and why some of them stay empty."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.model.cost_estimate import RecordingModel
from chattyshared.model.rules import RuleModel
from chattyshared.question_forms import UNANSWERABLE
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.runs.runner import Runner
from chattyshared.runs.threads import StopSignal, stop_error
from chattyshared.trace import Trace
from rdflib import URIRef

from chattygen.context.names import Naming
from chattygen.mix import form_coverage
from chattygen.options import Options
from chattygen.planning.plan import DialoguePlans
from chattygen.planning.planner import plan_slots
from chattygen.rejection import RejectedSeed, SeedRejected
from chattygen.rulebook import RULEBOOK
from chattygen.run import RunCache, RunContext
from chattygen.runs.preparation import TypeSelection, choose_labels
from chattygen.sampling.node_types import REQUESTED_DROPS, type_weight
from chattygen.sampling.seeds import MAX_TRIES, SeedPool, Slot, assign_slots, remaining_quotas
from chattygen.wording.approaches import write_dialogues

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
    plans: DialoguePlans
    options: Options
    naming: Naming
    excluded_predicates: frozenset[str]


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

    An unexpected exception rejects the seed at the stage ``internal``; its traceback goes to the trace.

    Raises:
        EndpointUnavailable, ModelUnavailable: the endpoint or the model is gone.
        BudgetSpent: a limit was reached; this slot is not recorded and is tried again on resuming.
    """
    slot, rejected, cache = task.slot, list[RejectedSeed](), worker.cache.with_own_counts()
    identity = f"slot {slot.index + 1}"
    rewording = RuleModel(RULEBOOK) if task.options.rewording == "rules" else None
    run = RunContext(
        worker.kg, task.naming, task.options, task.excluded_predicates, worker.model, worker.trace, cache, rewording
    ).traced_at(identity)
    dialogues: tuple[Dialogue, ...] = ()
    for iri in slot.candidates:
        if worker.stop is not None and worker.stop.is_set():
            raise stop_error(worker.stop)
        metered = RecordingModel(run.model.name, run.model)
        write = partial(write_dialogues, replace(run, model=metered), slot, task.plans, iri, identity)
        try:
            outcome = catch_unexpected(write, SeedRejected)
            if not isinstance(outcome, UnexpectedError):
                dialogues = outcome
                break
            outcome.record(run.trace, identity)
            failure = SeedRejected("internal", [Problem("unexpected", str(outcome))])
        except SeedRejected as rejection:
            failure = rejection
        except QUERY_ERRORS as error:
            # One entity's query that fails is a failure of content; an endpoint that is gone stops the run.
            failure = SeedRejected("endpoint", [Problem(type(error).__name__, str(error)[:300])])
        rejected.append(RejectedSeed(str(iri), slot.type, failure.stage, failure.problems, metered.usage))
    return SlotResult(slot.index, dialogues, tuple(rejected), tuple(cache.reached_turns.elements()))


def fill_slots(
    run: RunContext,
    selection: TypeSelection,
    pool: SeedPool,
    runner: Runner,
    done: Mapping[int, str],
    stop: StopSignal | None,
) -> Iterator[SlotResult]:
    """Fill the slots in rounds: an empty slot is tried again with the seeds that are left, up to ``max_seeds``.

    ``done`` maps the indexes that an earlier run has finished to the IRI of the accepted seed (empty: none). Each round
    tries at least one new seed or is the last, so the rounds end.

    Raises:
        EndpointError, ModelError: the endpoint or the model fails.
        BudgetSpent: ``stop`` was set.
        WorkersLost: the runner has no workers left.
    """
    schedule = SlotSchedule(selection, pool)
    forms: Counter[str] = Counter()
    while schedule.is_open:
        run = choose_labels(run, selection, schedule.quotas)
        slots = {slot.index: slot for slot in schedule.next_slots()}
        finished = [index for index in slots if index in done]
        for index in finished:
            schedule.record(slots[index], done[index], ())
        worker = SlotWorker(run.kg, run.model, run.trace, run.cache, stop)
        tasks = _tasks(run, tuple(slots.values()), done)
        for _, result in runner.map_unordered(fill_slot, worker, tasks, stop=stop, trace=run.trace):
            finished.append(result.index)
            run.cache.reached_turns.update(result.reached_turns)
            schedule.record(slots[result.index], result.seed_iri, result.rejected)
            turns = result.dialogue.turns if result.dialogue is not None else ()
            forms.update(turn.form if turn.answerable else UNANSWERABLE for turn in turns)
            yield result
        if len(finished) < len(slots):
            raise stop_error(stop)
        schedule.end_round()
    if not done:  # of dialogues that an earlier run has made, the file has the forms
        _warn_of_mix(run, forms)
    if schedule.dialogues < run.options.dialogues:
        _warn_of_missing(run, schedule)


def _tasks(run: RunContext, slots: Sequence[Slot], done: Mapping[int, str]) -> Iterator[SlotTask]:
    """Yield the tasks of the slots that are not done; plans are made as they are needed."""
    planned: Iterable[tuple[Slot, DialoguePlans]]
    if run.options.approach == "planned":
        planned = plan_slots(run, slots, done)
    else:
        planned = ((slot, DialoguePlans()) for slot in slots if slot.index not in done)
    for slot, plans in planned:
        yield SlotTask(slot, plans, run.options, run.naming, run.excluded_predicates)


class SlotSchedule:
    """Which types still need dialogues (``quotas``, by IRI), and which seeds are left for them.

    ``tried`` counts seeds by type, ``accepted`` those that became dialogues, by type and band of popularity, and
    ``reasons`` why the others were rejected.
    """

    def __init__(self, selection: TypeSelection, pool: SeedPool) -> None:
        kept_types = [node for node in selection.types if not node.dropped]
        self.selection = selection
        self.tried: Counter[str] = Counter()
        self.accepted: dict[str, Counter[str]] = {node.iri: Counter() for node in kept_types}
        self.reasons: Counter[str] = Counter()
        self._pool = pool
        self._weights = {node.iri: type_weight(node, selection.options) for node in kept_types}
        self.quotas = remaining_quotas({node.iri: node.quota for node in kept_types}, pool.entities, self._weights)
        self._next_index = 0
        self._used: set[URIRef] = set()
        self._missing: Counter[str] = Counter()

    @property
    def dialogues(self) -> int:
        """The number of seeds that became dialogues."""
        return sum(bands.total() for bands in self.accepted.values())

    @property
    def is_open(self) -> bool:
        """Whether dialogues are missing, and seeds for them are left within the limit."""
        options = self.selection.options
        return bool(self.quotas) and self.tried.total() < options.seed_limit and self.dialogues < options.dialogues

    def next_slots(self) -> tuple[Slot, ...]:
        """Return the slots of the next round."""
        options = self.selection.options
        ordered = self._pool.ordered_by_band(self.quotas, self.accepted, options.popularity)
        slots = assign_slots(self._next_index, self.quotas, ordered.entities, options.seed_limit - self.tried.total())
        self._next_index += len(slots)
        self._used, self._missing = set(), Counter()
        return slots

    def record(self, slot: Slot, seed_iri: str, rejected: Sequence[RejectedSeed]) -> None:
        """Count the outcome of one slot; ``seed_iri`` is empty if no seed was accepted."""
        seed = URIRef(seed_iri)
        tried = slot.candidates.index(seed) + 1 if seed_iri else len(slot.candidates)
        self.reasons.update(
            ": ".join((each.stage, *(problem.rule for problem in each.problems[:1]))) for each in rejected
        )
        self._used.update(slot.candidates[:tried])
        self.tried[slot.type] += tried
        self._missing[slot.type] += not seed_iri
        self.accepted[slot.type][self._pool.bands.get(seed, "")] += bool(seed_iri)

    def end_round(self) -> None:
        """Remove the seeds that were tried, and share out the dialogues that are missing.

        A type that has none after ``MAX_TRIES`` seeds is tried again only if no other type has entities left.
        """
        self._pool = self._pool.without(self._used)
        hopeless = {iri for iri, tried in self.tried.items() if tried >= MAX_TRIES and not self.accepted[iri].total()}
        hopeful = {iri: pool for iri, pool in self._pool.entities.items() if iri not in hopeless}
        entities = hopeful if any(hopeful.values()) else self._pool.entities
        self.quotas = remaining_quotas(dict(sorted(self._missing.items())), entities, self._weights)


def _warn_of_mix(run: RunContext, forms: Counter[str]) -> None:
    """Warn of the forms that are short of their share: how many seeds offer them, how much these could give at most,
    and what the forms need."""
    cache = run.cache
    rows = form_coverage(forms, run.options.mix) if cache.planned_seeds else ()
    short = [row for row in rows if row.is_short and row.missing_turns >= MIN_MISSING_TURNS]
    parts = (
        f"{row.form} {row.share:.1f} % of {row.target_share:.0f} % (offered by {cache.offered_forms[row.form]} of "
        f"{cache.planned_seeds} seeds, which reach {100 * cache.reached_shares[row.form] / cache.planned_seeds:.0f} % "
        f"together; needs {row.needs})" for row in short
    )  # fmt: skip
    if short:
        logger.warning("the graph gives less of the mix: %s", "; ".join(parts))


def _warn_of_missing(run: RunContext, schedule: SlotSchedule) -> None:
    """Warn that dialogues are missing: how many, why, and which options would help."""
    wanted, limit = run.options.dialogues, run.options.seed_limit
    why = (
        "the KG cannot give more"
        if schedule.tried.total() < limit
        else f"no more than {limit} seeds are tried (max_seeds)"
    )
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
        bounds = f" --set min_predicates={fewer} --set min_triples={fewer}" if no_type_left else ""
        yield f"--turns {fewer}{bounds} asks for less"
