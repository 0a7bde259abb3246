"""Plan several dialogues together: read the contexts of their seeds, sample drafts for each, and choose among them.

A plan depends on the slots and the options only: not on threads, nor on what an earlier run has finished.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import fsum
from random import Random

from chattyshared.check import Problem
from chattyshared.errors import QUERY_ERRORS, ConfigError
from chattyshared.kg.batches import batches
from chattyshared.question_forms import FORM_BY_NAME
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.context.dialogue_context import Context
from chattygen.context.reader import read_candidates, read_context, read_contexts
from chattygen.options import Options
from chattygen.planning.coherence import score_turns
from chattygen.planning.offers import Offers
from chattygen.planning.plan import DialoguePlan, DialoguePlans, plan_with_counts
from chattygen.planning.plan_selection import choose_plans, turn_targets
from chattygen.planning.walk import Walk
from chattygen.rejection import SeedRejected
from chattygen.run import RunContext, in_stage
from chattygen.sampling.seeds import Slot

logger = logging.getLogger(__name__)
BALANCED_SLOTS = 120
"""Slots whose plans together meet the targets; set by hand."""
PLANNING_BATCH = 20
"""Slots that are planned with the same requests; set by hand."""
DRAFTS_AT_ONCE = 8
"""Plans that are sampled for a seed before others are chosen, and each time after that; set by hand."""
MIN_DRAFTS = 133
"""Plans that are sampled each time for the seeds of a batch, at least, so that few dialogues meet the mix too; set by
hand."""
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
        raise ConfigError(f"context=full does not go with --approach planned: {why}; choose another approach")
    for group in batches(slots, BALANCED_SLOTS):
        done: list[DialoguePlan] = []
        drafted_count = 0
        for batch in batches(group, PLANNING_BATCH):
            if all(slot.index in done_slots for slot in group if slot.index >= batch[0].index):
                break
            # Slots that an earlier run has finished are planned again, because the other plans balance theirs.
            planning_run = run.traced_at("plans")
            drafts = _draft_slots(planning_run, batch)
            drafted_count += len(drafts.by_slot)
            targets = turn_targets(run.options, group[0].index, group[0].index + drafted_count)
            plans = _with_labels(planning_run, drafts.select_plans(planning_run, targets, done))
            done += (plan for plan in plans.by_seed.values() if isinstance(plan, DialoguePlan))
            for slot in batch:
                if slot.index not in done_slots:
                    yield drafts.in_order(slot), plans.of_slot(slot)


@dataclass(slots=True)
class DraftedPlans:
    """The drafts for some slots: by slot those of its seed and what this offers; and by seed why there are none."""

    by_slot: dict[int, tuple[Offers, DraftPlans]] = field(default_factory=dict)
    rejected: dict[URIRef, SeedRejected] = field(default_factory=dict)

    def in_order(self, slot: Slot) -> Slot:
        """Return a slot with the seed of its drafts before those that have none; only rejected ones stay before it."""
        if slot.index not in self.by_slot:
            return slot
        seed = self.by_slot[slot.index][0].context.seed_iri
        before = slot.candidates[: slot.candidates.index(seed)]
        rejected = tuple(iri for iri in before if iri in self.rejected)
        others = tuple(iri for iri in slot.candidates if iri != seed and iri not in rejected)
        return replace(slot, candidates=(*rejected, seed, *others))

    def select_plans(self, run: RunContext, targets: Mapping[str, int], done: Sequence[DialoguePlan]) -> DialoguePlans:
        """Choose one draft for each slot, of those that are made by what the others leave to be asked, too."""
        offers, drafts = [offers for offers, _ in self.by_slot.values()], [plans for _, plans in self.by_slot.values()]
        number = _drafts_at_once(len(drafts))

        def redraft(index: int, wanted: Mapping[str, float], asked: Mapping[str, int]) -> DraftPlans:
            with suppress(*QUERY_ERRORS):
                made = catch_unexpected(partial(_sample_plans, run, offers[index], number, wanted, asked))
                if not isinstance(made, UnexpectedError):
                    drafts[index] += made
                    return made
                made.record(run.trace, "plans")
            return ()

        plans = dict(zip(self.by_slot, choose_plans(drafts, targets, done, redraft), strict=True))
        run.cache.planned_seeds += len(offers)
        for each, made in zip(offers, drafts, strict=True):
            run.cache.offered_forms.update(each.names_seen())
            run.cache.reached_shares.update({
                name: max(plan.turn_counts.get(name, 0) for plan in made) / run.options.turns
                for name in run.options.mix_names
            })  # fmt: skip
        by_seed: dict[URIRef, DialoguePlan | SeedRejected] = {**self.rejected}
        by_seed |= {self.by_slot[index][0].context.seed_iri: plan for index, plan in plans.items()}
        return DialoguePlans(by_seed, {index: plan.turn_counts for index, plan in plans.items()})


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
            drafted.by_slot |= single.by_slot
            drafted.rejected |= single.rejected
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

    A slot starts with the candidate that seems to offer most of the mix.
    """
    pending = {slot: deque(slot.candidates) for slot in slots if slot.candidates}
    number = _drafts_at_once(len(slots))
    count = CANDIDATES_AT_ONCE
    while pending:
        usable: dict[Slot, list[Context]] = {}
        for slot, listed in _read_candidates(run, pending, count).items():
            drafted.rejected |= {iri: each for iri, each in listed.items() if isinstance(each, SeedRejected)}
            usable[slot] = [each for each in listed.values() if isinstance(each, Context)]
            usable[slot].sort(key=lambda each: -_turns_in_reach(run.options, each))
        while usable := {slot: listed for slot, listed in usable.items() if listed}:
            _draft_first(run, {slot: listed.pop(0) for slot, listed in usable.items()}, drafted, number)
            usable = {slot: listed for slot, listed in usable.items() if slot.index not in drafted.by_slot}
        pending = {slot: iris for slot, iris in pending.items() if iris and slot.index not in drafted.by_slot}
        count *= 2


def _turns_in_reach(options: Options, candidate: Context) -> float:
    """Return how many turns of the mix a candidate seems to offer, by what is read of it alone."""
    path, selection = len(candidate.answer_facts), 2 * len(candidate.list_facts)
    families = {"path": path, "selection": selection, "comparison": len(candidate.sibling_iris)}
    found = Counter(form for fact in candidate.seed.facts for form in fact.forms)
    forms = ((FORM_BY_NAME[name], options.turns * share / 100) for name, share in options.mix if name in FORM_BY_NAME)
    return fsum(min(families.get(form.family, found[form.name]), wanted) for form, wanted in forms)


def _draft_first(run: RunContext, candidates: Mapping[Slot, Context], drafted: DraftedPlans, number: int) -> None:
    """Read the contexts of one candidate of each slot together, and sample a number of drafts for each."""
    for slot, context in read_contexts(run, candidates).items():
        try:
            if isinstance(context, SeedRejected):
                raise context
            offers = Offers(run, context)
            drafted.by_slot[slot.index] = offers, _first_plans(run, offers, number)
        except SeedRejected as rejection:
            drafted.rejected[candidates[slot].seed_iri] = rejection


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


def _drafts_at_once(slots: int) -> int:
    return max(DRAFTS_AT_ONCE, MIN_DRAFTS // max(1, slots))


@in_stage("questions")
def _sample_plans(
    run: RunContext, offers: Offers, number: int, wanted: Mapping[str, float], asked: Mapping[str, int]
) -> DraftPlans:
    """Sample drafts of one seed; keep those with enough turns."""
    options, seed = run.options, offers.context.seed.entity.iri
    repeated_forms = frozenset(form for form, share in options.mix if share * options.turns > 100)
    plans = []
    for _ in range(number):
        offers.drafts += 1
        rng = Random(f"{options.seed}/plan/{seed}/{offers.drafts}")
        turns = Walk(offers, options.turns, wanted, repeated_forms, rng, asked).take()
        offers.most_turns = max(offers.most_turns, len(turns))
        if len(turns) == options.turns:
            plans.append(
                plan_with_counts(turns, score_turns(run.kg, offers.context.neighbourhoods, turns), options.mix_names)
            )
    return tuple(plans)


def _first_plans(run: RunContext, offers: Offers, number: int) -> DraftPlans:
    """Sample drafts of one seed by the mix alone.

    Raises:
        SeedRejected: none has enough turns.
    """
    wanted = {name: turns / 100 for name, turns in turn_targets(run.options, 0, 100).items()}
    plans = _sample_plans(run, offers, number, wanted, {})
    if not plans:
        run.cache.reached_turns[offers.most_turns] += 1
        there = f"questions for {offers.most_turns} turns, not for {run.options.turns}"
        raise SeedRejected("plan", [Problem("turns", there)])
    return plans


def plan_single_dialogue(run: RunContext, iri: URIRef, type_iri: str, targets: Mapping[str, int]) -> DialoguePlan:
    """Plan one dialogue alone, as close to the targets as possible.

    Raises:
        SeedRejected: the seed cannot carry a plan.
        EndpointError: the endpoint does not answer.
    """
    plans = _first_plans(run, Offers(run, read_context(run, iri, type_iri)), 3 * DRAFTS_AT_ONCE)
    return choose_plans([plans], targets, ())[0] if targets else plans[0]
