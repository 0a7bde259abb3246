"""Choose one plan per dialogue from several drafts each: together they meet the shares of the mix, and each of them is
as good a conversation as this allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import fsum

from chattyshared.question_forms import FORM_BY_NAME, LOOKUP, LOOKUP_FORMS, UNANSWERABLE

from chattygen.options import Options
from chattygen.planning.plan import DialoguePlan, kind_count_name, opening_count_name

TurnTargets = Mapping[str, float]
Redraft = Callable[[int, Mapping[str, float], Mapping[str, int]], Sequence[DialoguePlan]]
"""From the number of a slot, how many turns of each name are wanted of it, and how many other dialogues have each topic
to more drafts for it."""
LINK_SHARES: Mapping[str, float] = {"position": 1.5, "shift": 3.0, "class": 4.0}
"""Percent of all turns, by link: those that refer to a position, those that shift to another entity, and those that
leave the topic for all things of its class; set by hand."""
LEAD = "lead"
"""The name by which a walk draws lookups that lead to other turns: wanted as much as these."""
LIMITS = ("class",)
"""Names whose targets may be missed by less."""
MIN_TURNS_FOR_LINKS = 3
"""Turns: the fewest of a dialogue that the shares of the links hold for; a shorter one has no room."""
UNANSWERABLE_SHARES: Mapping[str, float] = {
    "not-stated": 0.5, "relation": 0.2, "presupposition": 0.2, "entity": 0.1,
}  # fmt: skip
"""Share of the unanswerable turns, 0..1, by kind; set by hand: what people ask most comes first."""
TARGET_WEIGHTS = {
    LOOKUP: 20.0,
    UNANSWERABLE: 2.0,
    "hang": 2.5,
    "shift": 2.0,
    "class": 2.0,
    "position": 1.5,
    **{kind_count_name(kind): 0.5 for kind in UNANSWERABLE_SHARES},
}
"""Factors of the distance to a target, by form or link; 1 for those not listed; set by hand."""
DISTANCE_WEIGHT = 60.0
"""Points that a target counts which is missed by as many turns as its root; set by hand."""
TRUTH_BALANCE_WEIGHT = 6.0
"""Factor of the squared surplus of true or false yes-no questions; set by hand."""
COHERENCE_WEIGHT = 6.0
"""Points of distance that one point of a draft's coherence outweighs; set by hand."""
VARIETY_WEIGHT = 40.0
"""Points of distance that a relation outweighs which no other dialogue asks; set by hand."""
LIKENESS_WEIGHT = 500.0
"""Points of distance that it counts if another dialogue has the same relations (``DialoguePlan.is_like``)."""
REDRAFTS = 2
"""Passes over all slots in which more drafts are made by what is still wanted; set by hand."""
MAX_SWEEPS = 8
"""Passes over all slots, at most; set by hand."""


def turn_targets(options: Options, first: int, last: int) -> dict[str, int]:
    """Return how many turns of each form, link and unanswerable kind the dialogues from ``first`` up to (not
    with) ``last`` should have.

    The targets of consecutive parts sum to those of the whole run, however it is split.
    """
    shares = {form: options.turns * share / 100 for form, share in options.mix if share > 0}
    shares.setdefault(LOOKUP, 0.0)  # others need it before them
    if options.turns >= MIN_TURNS_FOR_LINKS:
        shares |= {link: options.turns * share / 100 for link, share in LINK_SHARES.items()}
        forms = ((FORM_BY_NAME[name], share) for name, share in options.mix if name in FORM_BY_NAME)
        more = fsum(share - form.default_share for form, share in forms if form.selects)
        shares["class"] += options.turns * max(0.0, more) / 100
        named = fsum(share for name, share in options.mix if name in LOOKUP_FORMS)
        shares["shift"] += options.turns * named / 200
    for form, share in options.mix:
        name = opening_count_name(form)
        shares[name] = shares.get(name, 0.0) + share / 100
    shares |= {
        kind_count_name(kind): shares.get(UNANSWERABLE, 0.0) * share for kind, share in UNANSWERABLE_SHARES.items()
    }
    shares["hang"] = options.chain * (options.turns - 1)
    return {form: round(last * each) - round(first * each) for form, each in shares.items()}


def distance(targets: TurnTargets, counts: Mapping[str, int]) -> float:
    """Return the distance of counts from the targets, in points."""
    missed = (
        (name, number, counts.get(name, 0) - number) for name, number in targets.items()
        if name not in LIMITS or counts.get(name, 0) > number
    )  # fmt: skip
    surplus = abs(counts.get("true", 0) - counts.get("false", 0)) - 1
    return (
        DISTANCE_WEIGHT * fsum(TARGET_WEIGHTS.get(name, 1.0) * by**2 / max(1, number) for name, number, by in missed)
        + TRUTH_BALANCE_WEIGHT * max(0, surplus) ** 2
    )


def choose_plans(
    drafts: Sequence[Sequence[DialoguePlan]],
    targets: TurnTargets,
    done: Sequence[DialoguePlan],
    redraft: Redraft = lambda *_: (),
) -> tuple[DialoguePlan, ...]:
    """Return one draft for each slot, so that they, with the plans ``done``, meet the targets and are coherent.

    A greedy pass chooses one by one; further passes replace drafts as long as that is better. The first passes draft
    anew, by what all other dialogues leave to be asked; all of them do for a dialogue that is like another. Of drafts
    that are as good, one is better with relations that few others ask, and that is like no other.
    """
    plans, chosen = [list(each) for each in drafts], dict[int, DialoguePlan]()
    total, asked = Counter[str](), Counter[str]()

    def is_like_other(plan: DialoguePlan) -> bool:
        return any(map(plan.is_like, done)) or any(map(plan.is_like, chosen.values()))

    def cost(plan: DialoguePlan) -> float:
        names = (*targets, "true", "false")
        return (
            distance(targets, {name: total[name] + plan.turn_counts.get(name, 0) for name in names})
            - COHERENCE_WEIGHT * plan.coherence
            - VARIETY_WEIGHT * fsum(1 / (1 + asked[relation]) for relation in plan.topics)
            + LIKENESS_WEIGHT * is_like_other(plan)
        )

    for plan in done:
        total.update(plan.turn_counts)
        asked.update(plan.topics)
    for sweep in range(MAX_SWEEPS):
        previous = dict(chosen)
        for slot, slot_plans in enumerate(plans):
            replaced = chosen.pop(slot, None)
            if replaced is not None:
                total.subtract(replaced.turn_counts)
                asked.subtract(replaced.topics)
            if sweep < REDRAFTS or (replaced is not None and is_like_other(replaced)):
                left = len(plans) - len(chosen)
                wanted = {name: (number - total[name]) / left for name, number in targets.items()}
                slot_plans += redraft(slot, wanted, asked)
            chosen[slot] = min(slot_plans, key=cost)
            total.update(chosen[slot].turn_counts)
            asked.update(chosen[slot].topics)
        if chosen == previous and sweep >= REDRAFTS:
            break
    return tuple(chosen[slot] for slot in range(len(plans)))
