"""Plan several dialogues together: read the contexts of their seeds, sample drafts for each, and choose among them.

A plan depends on the slots and the options only: not on threads, nor on what an earlier run has finished.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random

from chattyshared.check import Problem
from chattyshared.errors import QUERY_ERRORS, ConfigError
from chattyshared.kg.batches import batches
from chattyshared.runs.containment import catch_unexpected
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.context.dialogue_context import Context
from chattygen.context.reader import read_candidates, read_context, read_contexts
from chattygen.planning.coherence import score_turns
from chattygen.planning.offers import Offers
from chattygen.planning.plan import DialoguePlan, DialoguePlans, plan_with_counts
from chattygen.planning.plan_selection import (
    TurnTargets,
    choose_plans,
    draft_weights,
    form_shares,
    form_weights,
    turn_targets,
)
from chattygen.planning.walk import Walk
from chattygen.rejection import SeedRejected
from chattygen.run import RunContext, in_stage
from chattygen.sampling.seeds import Slot

logger = logging.getLogger(__name__)
BALANCED_SLOTS = 120
"""Slots whose plans together meet the targets; set by hand."""
PLANNING_BATCH = 20
"""Slots that are planned with the same requests; set by hand."""
DRAFTS_PER_SEED = 24
"""Plans that are sampled for each seed, of which one is chosen; set by hand."""
MIN_DRAFTS = 400
"""Plans that are sampled for the seeds of a batch, at least, so that few dialogues meet the mix too; set by hand."""
CANDIDATES_AT_ONCE = 3
"""Candidates of a slot that are read together, to start with one that offers what the mix needs; set by hand."""

DraftPlans = tuple[DialoguePlan, ...]


def plan_slots(
    run: RunContext, slots: Sequence[Slot], done_slots: Collection[int]
) -> Iterator[tuple[Slot, DialoguePlans]]:
    """Yield the slots that are not done yet, each with its own plans; plans are made on demand.

    Raises:
        ConfigError: an option cannot be met by planned dialogues.
        EndpointUnavailable: the endpoint is gone.
    """
    if run.options.context == "full":
        why = "a plan hides its answers from the model"
        raise ConfigError(f"--context full does not go with --approach planned: {why}; choose another approach")
    for group in batches(slots, BALANCED_SLOTS):
        done: list[DialoguePlan] = []
        drafted_count = 0
        for batch in batches(group, PLANNING_BATCH):
            if all(slot.index in done_slots for slot in group if slot.index >= batch[0].index):
                break
            # Slots that an earlier run has finished are planned again, because the other plans balance theirs.
            planning_run = run.traced_at("plans")
            drafts = _draft_slots(planning_run, batch)
            drafted_count += len(drafts.seed_by_slot)
            targets = turn_targets(run.options, group[0].index, group[0].index + drafted_count)
            plans = _with_labels(planning_run, drafts.select_plans(targets, done))
            done += (plan for plan in plans.by_seed.values() if isinstance(plan, DialoguePlan))
            for slot in batch:
                if slot.index not in done_slots:
                    yield drafts.in_order(slot), plans.of_slot(slot)


@dataclass(slots=True)
class DraftedPlans:
    """The drafts for some slots: by seed its drafts, or why there are none; and by slot its seed."""

    by_seed: dict[URIRef, DraftPlans | SeedRejected] = field(default_factory=dict)
    seed_by_slot: dict[int, URIRef] = field(default_factory=dict)

    def in_order(self, slot: Slot) -> Slot:
        """Return a slot with the seed of its drafts before those that have none; only rejected ones stay before it."""
        seed = self.seed_by_slot.get(slot.index)
        if seed is None:
            return slot
        before = slot.candidates[: slot.candidates.index(seed)]
        rejected = tuple(iri for iri in before if isinstance(self.by_seed.get(iri), SeedRejected))
        others = tuple(iri for iri in slot.candidates if iri != seed and iri not in rejected)
        return replace(slot, candidates=(*rejected, seed, *others))

    def select_plans(self, targets: TurnTargets, done: Sequence[DialoguePlan]) -> DialoguePlans:
        """Choose one draft for each slot."""
        drafts = {
            slot_index: seed_drafts
            for slot_index, iri in self.seed_by_slot.items()
            if isinstance(seed_drafts := self.by_seed[iri], tuple)
        }
        plans = dict(zip(drafts, choose_plans(list(drafts.values()), targets, done), strict=True))
        by_seed: dict[URIRef, DialoguePlan | SeedRejected] = {
            i: result for i, result in self.by_seed.items() if isinstance(result, SeedRejected)
        }
        by_seed |= {self.seed_by_slot[slot_index]: plan for slot_index, plan in plans.items()}
        return DialoguePlans(by_seed, {slot_index: plan.turn_counts for slot_index, plan in plans.items()})


def _with_labels(run: RunContext, plans: DialoguePlans) -> DialoguePlans:
    """Read the labels of all answers together; if that fails, each dialogue reads its own."""
    labels: Mapping[Term, str] = {}
    with suppress(*QUERY_ERRORS):
        labels = run.kg.labels(
            end for plan in plans.by_seed.values() if isinstance(plan, DialoguePlan) for end in plan.answers
        )
    by_seed = {
        seed: replace(plan, labels={end: labels[end] for end in plan.answers if end in labels})
        if isinstance(plan, DialoguePlan)
        else plan
        for seed, plan in plans.by_seed.items()
    }
    return replace(plans, by_seed=by_seed)


def _draft_slots(run: RunContext, slots: Sequence[Slot]) -> DraftedPlans:
    """Sample drafts for some slots, each for the first of its candidates that can carry a dialogue.

    A slot whose candidates cannot be read or planned without an unexpected error is tried again alone; if that fails
    too, it has no draft.
    """
    drafted = DraftedPlans()
    if not _is_drafted(run, slots, drafted):
        for slot in slots if len(slots) > 1 else ():
            single = _draft_slots(run, [slot])
            drafted.by_seed |= single.by_seed
            drafted.seed_by_slot |= single.seed_by_slot
    return drafted


def _is_drafted(run: RunContext, slots: Sequence[Slot], drafted: DraftedPlans) -> bool:
    """Add drafts to ``drafted``; tell whether no error occurred."""
    try:
        failure = catch_unexpected(partial(_draft_together, run, slots, drafted))
    except QUERY_ERRORS:
        return False
    if failure is None:
        return True
    failure.record(run.trace, "plans")
    if len(slots) > 1:
        logger.warning("planning %d dialogues together failed (%s): each is planned by itself", len(slots), failure)
    return False


def _draft_together(run: RunContext, slots: Sequence[Slot], drafted: DraftedPlans) -> None:
    """Read the next candidates of all slots together, and draft plans for one of each; twice as many of the slots where
    all have failed.

    A slot starts with a candidate that offers a set to select from, if it has one.
    """
    pending = {slot: deque(slot.candidates) for slot in slots if slot.candidates}
    number = max(DRAFTS_PER_SEED, MIN_DRAFTS // len(slots))
    count = CANDIDATES_AT_ONCE
    while pending:
        usable: dict[Slot, list[Context]] = {}
        for slot, listed in _read_candidates(run, pending, count).items():
            drafted.by_seed |= {iri: each for iri, each in listed.items() if isinstance(each, SeedRejected)}
            usable[slot] = [each for each in listed.values() if isinstance(each, Context)]
            usable[slot].sort(key=lambda each: not each.list_facts)
        while usable := {slot: listed for slot, listed in usable.items() if listed}:
            _draft_first(run, {slot: listed.pop(0) for slot, listed in usable.items()}, drafted, number)
            usable = {slot: listed for slot, listed in usable.items() if slot.index not in drafted.seed_by_slot}
        pending = {slot: iris for slot, iris in pending.items() if iris and slot.index not in drafted.seed_by_slot}
        count *= 2


def _draft_first(run: RunContext, candidates: Mapping[Slot, Context], drafted: DraftedPlans, number: int) -> None:
    """Read the contexts of one candidate of each slot together, and sample a number of drafts for each."""
    contexts = read_contexts(run, candidates)
    offers = {slot: Offers(run, each) for slot, each in contexts.items() if not isinstance(each, SeedRejected)}
    weights = form_weights(run.options, [each.forms() for each in offers.values()])
    run.cache.planned_seeds += len(offers)
    for each in offers.values():
        run.cache.offered_forms.update(each.forms())
    for slot, context in contexts.items():
        plans = context if isinstance(context, SeedRejected) else _sample_plans(run, offers[slot], weights, number)
        seed = candidates[slot].seed_iri
        drafted.by_seed[seed] = plans
        if not isinstance(plans, SeedRejected):
            drafted.seed_by_slot[slot.index] = seed


def _read_candidates(
    run: RunContext, pending: Mapping[Slot, deque[URIRef]], count: int
) -> dict[Slot, dict[URIRef, Context | SeedRejected]]:
    """Take ``count`` candidates of each slot, and more where all of them are out of bounds."""
    read: dict[Slot, dict[URIRef, Context | SeedRejected]] = {slot: {} for slot in pending}
    waiting = list(pending)
    while waiting:
        taken = {slot: [pending[slot].popleft() for _ in range(min(count, len(pending[slot])))] for slot in waiting}
        fetched = read_candidates(run, [(iri, slot.type) for slot, iris in taken.items() for iri in iris])
        for slot, iris in taken.items():
            read[slot] |= {iri: fetched[iri] for iri in iris}
        waiting = [
            slot for slot in waiting if pending[slot] and all(isinstance(c, SeedRejected) for c in read[slot].values())
        ]
        count *= 2
    return read


@in_stage("questions")
def _sample_plans(
    run: RunContext, offers: Offers, weights: Mapping[str, float], drafts: int = DRAFTS_PER_SEED
) -> DraftPlans | SeedRejected:
    """Sample the drafts of one seed; keep those with enough turns."""
    options, seed = run.options, offers.context.seed.entity.iri
    repeated_forms = frozenset(form for form, weight in weights.items() if weight * options.turns > 100)
    most_turns, plans = 0, []
    for number in range(drafts):
        rng = Random(f"{options.seed}/plan/{seed}/{number}")
        wanted = draft_weights(weights, offers.forms(), number)
        turns = Walk(offers, options.turns, wanted, repeated_forms, rng).take()
        most_turns = max(most_turns, len(turns))
        if len(turns) == options.turns:
            plans.append(plan_with_counts(turns, score_turns(run.kg, turns), options.mix_names))
    if plans:
        return tuple(plans)
    run.cache.reached_turns[most_turns] += 1
    return SeedRejected("plan", [Problem("turns", f"questions for {most_turns} turns, not for {options.turns}")])


def plan_single_dialogue(run: RunContext, iri: URIRef, type_iri: str, targets: Mapping[str, int]) -> DialoguePlan:
    """Plan one dialogue alone, as close to the targets as possible.

    Raises:
        SeedRejected: the seed cannot carry a plan.
        EndpointError: the endpoint does not answer.
    """
    plans = _sample_plans(run, Offers(run, read_context(run, iri, type_iri)), form_shares(run.options))
    if isinstance(plans, SeedRejected):
        raise plans
    return choose_plans([plans], targets, ())[0] if targets else plans[0]
