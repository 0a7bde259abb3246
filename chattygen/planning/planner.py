"""Plan some dialogues together: read the grounds of their seeds, draw several drafts each, choose among them.

What is planned depends on the places and the options alone, not on threads, nor on what was made in an earlier run.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random

from chattyshared.check import Problem
from chattyshared.errors import OF_ONE_QUERY, ConfigError
from chattyshared.kg.batches import batches
from chattyshared.runs.containment import attempt
from rdflib import URIRef

from chattygen.planning.context_retrieval import qualify, survey
from chattygen.planning.form_quotas import shares, weighed, wished
from chattygen.planning.plan import Plan, Plans, plan_of
from chattygen.planning.plan_sampling import draw
from chattygen.planning.plan_selection import Goals, choose, goals, nearest
from chattygen.planning.related_entities import Prospect
from chattygen.planning.turn_options import Menu
from chattygen.rejection import Unfit
from chattygen.run import Run
from chattygen.sampling.seeds import Slot

logger = logging.getLogger(__name__)
TOGETHER, PART = 40, 10
"""Dialogues whose plans make up for one another's shares, and those that are planned at once."""
DRAFTS = 16
"""Plans that are drawn for each of them."""

Drafts = tuple[Plan, ...]


def planned(run: Run, slots: Sequence[Slot], done: Collection[int]) -> Iterator[tuple[Run, Slot]]:
    """Yield the places that are not done yet, each with the run that holds its plan; plans are made as they are needed.

    Raises:
        ConfigError: the options want of planned dialogues what these do not do.
        EndpointUnavailable: the endpoint is gone.
    """
    if run.options.context == "full":
        why = "a plan hides its answers from the model"
        raise ConfigError(f"--context full does not go with --approach planned: {why}; choose another approach")
    for block in batches(slots, TOGETHER):
        had: Counter[str] = Counter()
        number = 0
        for part in batches(block, PART):
            if all(slot.index in done for slot in block if slot.index >= part[0].index):
                break
            # What an earlier run has finished is planned again: the others make up for it.
            drafts = _drafts(run.at("plans"), part)
            number += len(drafts.taken)
            wanted = goals(run.options, block[0].index, block[0].index + number)
            plans = drafts.chosen(wanted, had)
            for tally in plans.by_place.values():
                had.update(tally)
            yield from ((replace(run, plans=plans), slot) for slot in part if slot.index not in done)


@dataclass(slots=True)
class Drafted:
    """What was drawn for some places: by seed its drafts, or why there are none; and by place its seed."""

    by_seed: dict[URIRef, Drafts | Unfit] = field(default_factory=dict)
    taken: dict[int, URIRef] = field(default_factory=dict)

    def chosen(self, wanted: Goals, had: Mapping[str, int]) -> Plans:
        """Choose one draft for each place."""
        drafts = {place: some for place, iri in self.taken.items() if isinstance(some := self.by_seed[iri], tuple)}
        plans = dict(zip(drafts, choose(list(drafts.values()), wanted, had), strict=True))
        by_seed: dict[URIRef, Plan | Unfit] = {i: one for i, one in self.by_seed.items() if isinstance(one, Unfit)}
        by_seed |= {self.taken[place]: plan for place, plan in plans.items()}
        return Plans(by_seed, {place: plan.tally for place, plan in plans.items()})


def _drafts(run: Run, slots: Sequence[Slot]) -> Drafted:
    """Draw drafts for some places: for each about the first of its candidates that can carry a dialogue.

    A place whose candidates cannot be read, or planned without an unexpected error, has none; it is tried again by
    itself.
    """
    found = Drafted()
    if not _is_drafted(run, slots, found):
        for slot in slots if len(slots) > 1 else ():
            alone = _drafts(run, [slot])
            found.by_seed |= alone.by_seed
            found.taken |= alone.taken
    return found


def _is_drafted(run: Run, slots: Sequence[Slot], found: Drafted) -> bool:
    """Draw the drafts into ``found``; tell whether all places were gone through."""
    try:
        failure = attempt(partial(_draft, run, slots, found))
    except OF_ONE_QUERY:
        return False
    if failure is None:
        return True
    failure.record(run.trace, "plans")
    if len(slots) > 1:
        logger.warning("planning %d dialogues together failed (%s): each is planned by itself", len(slots), failure)
    return False


def _draft(run: Run, slots: Sequence[Slot], found: Drafted) -> None:
    """Read the candidates of all places together, the next one of those whose last one did not do."""
    todo = {slot: iter(slot.candidates) for slot in slots}
    while todo:
        prospects = _prospects(run, todo, found)
        menus: dict[Slot, Menu] = {}
        for slot, ground in survey(run, prospects).items():
            if isinstance(ground, Unfit):
                found.by_seed[prospects[slot].seed] = ground
            else:
                menus[slot] = Menu(run, ground)
        weights = weighed(run.options, [menu.able() for menu in menus.values()])
        for slot, menu in menus.items():
            seed = prospects[slot].seed
            found.by_seed[seed] = drawn = _drawn(run, menu, weights)
            if not isinstance(drawn, Unfit):
                found.taken[slot.index] = seed
                del todo[slot]


def _prospects(run: Run, todo: dict[Slot, Iterator[URIRef]], found: Drafted) -> dict[Slot, Prospect]:
    """Return, for each place, the next candidate that keeps the bounds; places that have none left are given up."""
    prospects: dict[Slot, Prospect] = {}
    while len(prospects) < len(todo):
        asked = {slot: next(rest, None) for slot, rest in todo.items() if slot not in prospects}
        for slot in [slot for slot, iri in asked.items() if iri is None]:
            del todo[slot]
        told = qualify(run, [(iri, slot.type) for slot, iri in asked.items() if iri is not None])
        for slot, iri in asked.items():
            one = told[iri] if iri is not None else None
            if isinstance(one, Prospect):
                prospects[slot] = one
            elif iri is not None and one is not None:
                found.by_seed[iri] = one
    return prospects


def _drawn(run: Run, menu: Menu, weights: Mapping[str, float]) -> Drafts | Unfit:
    """Draw the drafts of one seed that have enough turns."""
    options, seed = run.options, menu.ground.seed.entity.iri
    able, most, kept = menu.able(), 0, []
    for number in range(DRAFTS):
        chance = Random(f"{options.seed}/plan/{seed}/{number}")
        turns = draw(menu, wished(able, weights, options, chance, number), options.turns, chance)
        most = max(most, len(turns))
        if len(turns) == options.turns:
            kept.append(plan_of(turns))
    if kept:
        return tuple(kept)
    run.stock.turns[most] += 1
    return Unfit("plan", [Problem("turns", f"questions for {most} turns, not for {options.turns}")])


def plan_alone(run: Run, iri: URIRef, type_iri: str, wanted: Mapping[str, int]) -> Plan:
    """Plan one dialogue by itself, as like as can be to what is wanted.

    Raises:
        Unfit: the seed cannot carry a plan.
        EndpointError: the endpoint cannot be asked.
    """
    one = qualify(run, [(iri, type_iri)])[iri]
    ground = one if isinstance(one, Unfit) else survey(run, {iri: one})[iri]
    found = ground if isinstance(ground, Unfit) else _drawn(run, Menu(run, ground), shares(run.options))
    if isinstance(found, Unfit):
        raise found
    return nearest(found, wanted) if wanted else found[0]
