"""Plan several dialogues together: read the contexts of their seeds, sample drafts for each, and choose among them.

A plan depends on the slots and the options only: not on threads, nor on what an earlier run has finished.
"""

from __future__ import annotations

import logging
from collections import Counter
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

from chattygen.planning.coherence import score_turns
from chattygen.planning.context_retrieval import fetch_candidates, fetch_contexts
from chattygen.planning.form_quotas import form_shares, form_weights, sample_requests
from chattygen.planning.plan import DialoguePlan, DialoguePlans, plan_with_counts
from chattygen.planning.plan_sampling import sample_plan
from chattygen.planning.plan_selection import TurnTargets, choose_plans, closest_plan, turn_targets
from chattygen.planning.related_entities import SeedCandidate
from chattygen.planning.turn_options import TurnOptions
from chattygen.rejection import SeedRejected
from chattygen.run import RunContext, in_stage
from chattygen.sampling.seeds import Slot

logger = logging.getLogger(__name__)
BALANCED_SLOTS = 40
"""Slots whose plans together meet the targets; set by hand."""
PLANNING_BATCH = 10
"""Slots that are planned with the same requests; set by hand."""
DRAFTS_PER_SEED = 16
"""Plans that are sampled for each seed, of which one is chosen; set by hand."""

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
        done_counts: Counter[str] = Counter()
        drafted_count = 0
        for batch in batches(group, PLANNING_BATCH):
            if all(slot.index in done_slots for slot in group if slot.index >= batch[0].index):
                break
            # Slots that an earlier run has finished are planned again, because the other plans balance theirs.
            planning_run = run.traced_at("plans")
            drafts = _draft_slots(planning_run, batch)
            drafted_count += len(drafts.seed_by_slot)
            targets = turn_targets(run.options, group[0].index, group[0].index + drafted_count)
            plans = _with_labels(planning_run, drafts.select_plans(targets, done_counts))
            for counts in plans.counts_by_slot.values():
                done_counts.update(counts)
            yield from ((slot, plans.of_slot(slot)) for slot in batch if slot.index not in done_slots)


@dataclass(slots=True)
class DraftedPlans:
    """The drafts for some slots: by seed its drafts, or why there are none; and by slot its seed."""

    by_seed: dict[URIRef, DraftPlans | SeedRejected] = field(default_factory=dict)
    seed_by_slot: dict[int, URIRef] = field(default_factory=dict)

    def select_plans(self, targets: TurnTargets, done_counts: Mapping[str, int]) -> DialoguePlans:
        """Choose one draft for each slot."""
        drafts = {
            slot_index: seed_drafts
            for slot_index, iri in self.seed_by_slot.items()
            if isinstance(seed_drafts := self.by_seed[iri], tuple)
        }
        plans = dict(zip(drafts, choose_plans(list(drafts.values()), targets, done_counts), strict=True))
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
    """Read the candidates of all slots together, then the next candidate of each slot whose last one failed."""
    pending = {slot: iter(slot.candidates) for slot in slots}
    while pending:
        candidates = _next_candidates(run, pending, drafted)
        options_by_slot: dict[Slot, TurnOptions] = {}
        for slot, context in fetch_contexts(run, candidates).items():
            if isinstance(context, SeedRejected):
                drafted.by_seed[candidates[slot].seed_iri] = context
            else:
                options_by_slot[slot] = TurnOptions(run, context)
        weights = form_weights(
            run.options, [turn_options.available_forms() for turn_options in options_by_slot.values()]
        )
        for slot, turn_options in options_by_slot.items():
            seed = candidates[slot].seed_iri
            drafted.by_seed[seed] = plans = _sample_plans(run, turn_options, weights)
            if not isinstance(plans, SeedRejected):
                drafted.seed_by_slot[slot.index] = seed
                del pending[slot]


def _next_candidates(
    run: RunContext, pending: dict[Slot, Iterator[URIRef]], drafted: DraftedPlans
) -> dict[Slot, SeedCandidate]:
    """Return, for each slot, the next candidate within the bounds; remove slots that have none left from
    ``pending``."""
    candidates: dict[Slot, SeedCandidate] = {}
    while len(candidates) < len(pending):
        next_iris = {slot: next(iris, None) for slot, iris in pending.items() if slot not in candidates}
        for slot in [slot for slot, iri in next_iris.items() if iri is None]:
            del pending[slot]
        fetched = fetch_candidates(run, [(iri, slot.type) for slot, iri in next_iris.items() if iri is not None])
        for slot, iri in next_iris.items():
            candidate = fetched[iri] if iri is not None else None
            if isinstance(candidate, SeedCandidate):
                candidates[slot] = candidate
            elif iri is not None and candidate is not None:
                drafted.by_seed[iri] = candidate
    return candidates


@in_stage("questions")
def _sample_plans(
    run: RunContext, turn_options: TurnOptions, weights: Mapping[str, float]
) -> DraftPlans | SeedRejected:
    """Sample the drafts of one seed; keep those with enough turns."""
    options, seed = run.options, turn_options.context.seed.entity.iri
    available_forms, most_turns, plans = turn_options.available_forms(), 0, []
    for number in range(DRAFTS_PER_SEED):
        rng = Random(f"{options.seed}/plan/{seed}/{number}")
        turns = sample_plan(
            turn_options, sample_requests(available_forms, weights, options, rng, number), options.turns, rng
        )
        most_turns = max(most_turns, len(turns))
        if len(turns) == options.turns:
            plans.append(plan_with_counts(turns, score_turns(run.kg, turns)))
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
    candidate = fetch_candidates(run, [(iri, type_iri)])[iri]
    context = candidate if isinstance(candidate, SeedRejected) else fetch_contexts(run, {iri: candidate})[iri]
    plans = (
        context
        if isinstance(context, SeedRejected)
        else _sample_plans(run, TurnOptions(run, context), form_shares(run.options))
    )
    if isinstance(plans, SeedRejected):
        raise plans
    return closest_plan(plans, targets) if targets else plans[0]
