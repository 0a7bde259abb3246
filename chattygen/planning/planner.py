"""Plan some dialogues together: read the grounds of their seeds, draw several drafts each, choose among them.

What is planned depends on the places and the options alone, not on threads, nor on what was made in an earlier run.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

from chattyshared.check import Problem
from chattyshared.errors import QUERY_ERRORS, ConfigError
from chattyshared.kg.batches import batches
from chattyshared.runs.containment import catch_unexpected
from rdflib import URIRef

from chattygen.planning.context_retrieval import fetch_candidates, fetch_contexts
from chattygen.planning.form_quotas import form_shares, form_weights, sample_requests
from chattygen.planning.plan import DialoguePlan, DialoguePlans, plan_with_counts
from chattygen.planning.plan_sampling import sample_plan
from chattygen.planning.plan_selection import TurnTargets, choose_plans, closest_plan, turn_targets
from chattygen.planning.related_entities import SeedCandidate
from chattygen.planning.turn_options import TurnOptions
from chattygen.rejection import SeedRejected
from chattygen.run import RunContext
from chattygen.sampling.seeds import Slot

logger = logging.getLogger(__name__)
BALANCED_SLOTS, PLANNING_BATCH = 40, 10
"""Dialogues whose plans make up for one another's shares, and those that are planned at once."""
DRAFTS_PER_SEED = 16
"""Plans that are drawn for each of them."""

DraftPlans = tuple[DialoguePlan, ...]


def plan_slots(
    run: RunContext, slots: Sequence[Slot], done_slots: Collection[int]
) -> Iterator[tuple[Slot, DialoguePlans]]:
    """Yield the slots that are not done yet, each with its own plans, which are made as they are needed.

    Raises:
        ConfigError: the options want of planned dialogues what these do not do.
        EndpointUnavailable: the endpoint is gone.
    """
    if run.options.context == "full":
        why = "a plan hides its answers from the model"
        raise ConfigError(f"--context full does not go with --approach planned: {why}; choose another approach")
    for block in batches(slots, BALANCED_SLOTS):
        had: Counter[str] = Counter()
        number = 0
        for part in batches(block, PLANNING_BATCH):
            if all(slot.index in done_slots for slot in block if slot.index >= part[0].index):
                break
            # What an earlier run has finished is planned again: the others make up for it.
            drafts = _drafts(run.traced_at("plans"), part)
            number += len(drafts.seed_by_slot)
            wanted = turn_targets(run.options, block[0].index, block[0].index + number)
            plans = drafts.select_plans(wanted, had)
            for tally in plans.counts_by_slot.values():
                had.update(tally)
            yield from ((slot, plans.of_slot(slot)) for slot in part if slot.index not in done_slots)


@dataclass(slots=True)
class DraftedPlans:
    """What was drawn for some places: by seed its drafts, or why there are none; and by place its seed."""

    by_seed: dict[URIRef, DraftPlans | SeedRejected] = field(default_factory=dict)
    seed_by_slot: dict[int, URIRef] = field(default_factory=dict)

    def select_plans(self, wanted: TurnTargets, had: Mapping[str, int]) -> DialoguePlans:
        """Choose one draft for each place."""
        drafts = {
            place: some for place, iri in self.seed_by_slot.items() if isinstance(some := self.by_seed[iri], tuple)
        }
        plans = dict(zip(drafts, choose_plans(list(drafts.values()), wanted, had), strict=True))
        by_seed: dict[URIRef, DialoguePlan | SeedRejected] = {
            i: one for i, one in self.by_seed.items() if isinstance(one, SeedRejected)
        }
        by_seed |= {self.seed_by_slot[place]: plan for place, plan in plans.items()}
        return DialoguePlans(by_seed, {place: plan.turn_counts for place, plan in plans.items()})


def _drafts(run: RunContext, slots: Sequence[Slot]) -> DraftedPlans:
    """Draw drafts for some places: for each about the first of its candidates that can carry a dialogue.

    A place whose candidates cannot be read, or planned without an unexpected error, has none; it is tried again by
    itself.
    """
    found = DraftedPlans()
    if not _is_drafted(run, slots, found):
        for slot in slots if len(slots) > 1 else ():
            alone = _drafts(run, [slot])
            found.by_seed |= alone.by_seed
            found.seed_by_slot |= alone.seed_by_slot
    return found


def _is_drafted(run: RunContext, slots: Sequence[Slot], found: DraftedPlans) -> bool:
    """Draw the drafts into ``found``; tell whether all places were gone through."""
    try:
        failure = catch_unexpected(partial(_draft, run, slots, found))
    except QUERY_ERRORS:
        return False
    if failure is None:
        return True
    failure.record(run.trace, "plans")
    if len(slots) > 1:
        logger.warning("planning %d dialogues together failed (%s): each is planned by itself", len(slots), failure)
    return False


def _draft(run: RunContext, slots: Sequence[Slot], found: DraftedPlans) -> None:
    """Read the candidates of all places together, the next one of those whose last one did not do."""
    todo = {slot: iter(slot.candidates) for slot in slots}
    while todo:
        prospects = _prospects(run, todo, found)
        menus: dict[Slot, TurnOptions] = {}
        for slot, ground in fetch_contexts(run, prospects).items():
            if isinstance(ground, SeedRejected):
                found.by_seed[prospects[slot].seed_iri] = ground
            else:
                menus[slot] = TurnOptions(run, ground)
        weights = form_weights(run.options, [menu.available_forms() for menu in menus.values()])
        for slot, menu in menus.items():
            seed = prospects[slot].seed_iri
            found.by_seed[seed] = drawn = _drawn(run, menu, weights)
            if not isinstance(drawn, SeedRejected):
                found.seed_by_slot[slot.index] = seed
                del todo[slot]


def _prospects(run: RunContext, todo: dict[Slot, Iterator[URIRef]], found: DraftedPlans) -> dict[Slot, SeedCandidate]:
    """Return, for each place, the next candidate that keeps the bounds; places that have none left are given up."""
    prospects: dict[Slot, SeedCandidate] = {}
    while len(prospects) < len(todo):
        asked = {slot: next(rest, None) for slot, rest in todo.items() if slot not in prospects}
        for slot in [slot for slot, iri in asked.items() if iri is None]:
            del todo[slot]
        told = fetch_candidates(run, [(iri, slot.type) for slot, iri in asked.items() if iri is not None])
        for slot, iri in asked.items():
            one = told[iri] if iri is not None else None
            if isinstance(one, SeedCandidate):
                prospects[slot] = one
            elif iri is not None and one is not None:
                found.by_seed[iri] = one
    return prospects


def _drawn(run: RunContext, menu: TurnOptions, weights: Mapping[str, float]) -> DraftPlans | SeedRejected:
    """Draw the drafts of one seed that have enough turns."""
    options, seed = run.options, menu.context.seed.entity.iri
    able, most, kept = menu.available_forms(), 0, []
    for number in range(DRAFTS_PER_SEED):
        chance = Random(f"{options.seed}/plan/{seed}/{number}")
        turns = sample_plan(menu, sample_requests(able, weights, options, chance, number), options.turns, chance)
        most = max(most, len(turns))
        if len(turns) == options.turns:
            kept.append(plan_with_counts(turns))
    if kept:
        return tuple(kept)
    run.cache.reached_turns[most] += 1
    return SeedRejected("plan", [Problem("turns", f"questions for {most} turns, not for {options.turns}")])


def plan_single_dialogue(run: RunContext, iri: URIRef, type_iri: str, targets: Mapping[str, int]) -> DialoguePlan:
    """Plan one dialogue by itself, as like as can be to what is wanted.

    Raises:
        Unfit: the seed cannot carry a plan.
        EndpointError: the endpoint cannot be asked.
    """
    one = fetch_candidates(run, [(iri, type_iri)])[iri]
    ground = one if isinstance(one, SeedRejected) else fetch_contexts(run, {iri: one})[iri]
    found = (
        ground if isinstance(ground, SeedRejected) else _drawn(run, TurnOptions(run, ground), form_shares(run.options))
    )
    if isinstance(found, SeedRejected):
        raise found
    return closest_plan(found, targets) if targets else found[0]
