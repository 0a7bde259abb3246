"""Choose one plan per dialogue from several drafts each: together they meet the shares of the mix, and each of them is
as good a conversation as this allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import fsum

from chattyshared.question_forms import FORM_BY_NAME, LOOKUP, UNANSWERABLE

from chattygen.options import Options
from chattygen.planning.plan import DialoguePlan, kind_count_name, opening_count_name

TurnTargets = Mapping[str, float]
LINK_SHARES: tuple[tuple[str, float], ...] = (("position", 1.5), ("shift", 3.0))
"""Percent of all turns, by link: those that refer to a position, and those that shift to another entity; set by
hand."""
CLASS_SHARE = 4.0
"""Percent of all turns that leave the topic for all things of its class; set by hand: one dialogue of five turns in
five."""
MIN_TURNS_FOR_LINKS = 3
"""Turns: the fewest of a dialogue that the shares of the links hold for; a shorter one has no room."""
MIN_LOOKUP_SHARE = 1.0
"""Percent of all turns: the weight of lookups in a mix without any, since other turns need them before; set by hand."""
LEAD = "lead"
"""The name by which a walk draws lookups that lead to other turns: wanted as much as these."""
EMPHASIS = 10.0
"""How much more a draft wants the form whose turn it is; set by hand."""
UNANSWERABLE_SHARES: Mapping[str, float] = {
    "not-stated": 0.5, "relation": 0.2, "presupposition": 0.2, "entity": 0.1,
}  # fmt: skip
"""Share of the unanswerable turns, 0..1, by kind; set by hand: what people ask most comes first."""
TARGET_WEIGHTS = {
    LOOKUP: 12.0,
    "hang": 5.0,
    "shift": 1.5,
    "class": 3.0,
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
LIKENESS_WEIGHT = 250.0
"""Points of distance that it counts if another dialogue has the same relations (``DialoguePlan.is_like``)."""
MAX_SWEEPS = 8
"""Passes over all slots, at most; set by hand."""


def form_shares(options: Options) -> dict[str, float]:
    """Return the share of each form and of each link, in percent of all turns."""
    shares = {form: share for form, share in options.mix if share > 0}
    shares[LOOKUP] = max(MIN_LOOKUP_SHARE, shares.get(LOOKUP, 0.0))
    if options.turns >= MIN_TURNS_FOR_LINKS:
        shares |= dict(LINK_SHARES)
    return shares


def form_weights(options: Options, available_forms: Sequence[Collection[str]]) -> dict[str, float]:
    """Return how much drafts want each form: its share, raised by how few of the seeds can be asked that form."""
    return {
        form: share * len(available_forms) / max(1, sum(form in forms for forms in available_forms))
        for form, share in form_shares(options).items()
    }


def draft_weights(weights: Mapping[str, float], available_forms: Collection[str], number: int) -> dict[str, float]:
    """Return how much draft ``number`` of a seed wants each form: the drafts take turns in what they want most."""
    forms = [form for form in weights if form in available_forms]
    emphasized = forms[number % len(forms)] if forms else ""
    wanted = {form: weight * (EMPHASIS if form == emphasized else 1.0) for form, weight in weights.items()}
    return {**wanted, LEAD: sum(weight for form, weight in wanted.items() if _follows_lookup(form)) or wanted[LOOKUP]}


def _follows_lookup(name: str) -> bool:
    """Tell whether the turns of a name of a mix select from a set, or take a second step from an answer."""
    form = FORM_BY_NAME.get(name)
    return form is not None and (form.family in ("selection", "path") or form.narrows_set)


def turn_targets(options: Options, first: int, last: int) -> dict[str, int]:
    """Return how many turns of each form, link and unanswerable kind the dialogues from ``first`` up to (not
    with) ``last`` should have.

    The targets of consecutive parts sum to those of the whole run, however it is split.
    """
    shares = {form: options.turns * share / 100 for form, share in options.mix}
    if options.turns >= MIN_TURNS_FOR_LINKS:
        shares |= {link: options.turns * share / 100 for link, share in LINK_SHARES}
        shares["class"] = options.turns * CLASS_SHARE / 100
    for form, share in options.mix:
        name = opening_count_name(form)
        shares[name] = shares.get(name, 0.0) + share / 100
    shares |= {
        kind_count_name(kind): shares.get(UNANSWERABLE, 0.0) * share for kind, share in UNANSWERABLE_SHARES.items()
    }
    shares["hang"] = options.chain * (options.turns - 1)
    return {form: round(last * each) - round(first * each) for form, each in shares.items()}


class _Distance:
    """Measures the distance of counts, as tuples of numbers, from the targets."""

    def __init__(self, targets: TurnTargets) -> None:
        self._names = tuple(targets)
        self._terms = [(number, TARGET_WEIGHTS.get(name, 1.0)) for name, number in targets.items()]

    def count_vector(self, counts: Mapping[str, int]) -> tuple[int, ...]:
        """Return counts in the order of the targets, followed by the true and the false yes-no questions."""
        return (*(counts.get(name, 0) for name in self._names), counts.get("true", 0), counts.get("false", 0))

    def cost(self, vector: Sequence[int]) -> float:
        """Return the distance from the targets."""
        *counts, true, false = vector
        cost = DISTANCE_WEIGHT * sum(
            weight * (count - number) ** 2 / max(1, number)
            for count, (number, weight) in zip(counts, self._terms, strict=True)
        )
        return cost + TRUTH_BALANCE_WEIGHT * max(0, abs(true - false) - 1) ** 2


def choose_plans(
    drafts: Sequence[Sequence[DialoguePlan]], targets: TurnTargets, done: Sequence[DialoguePlan]
) -> tuple[DialoguePlan, ...]:
    """Return one draft for each slot, so that they, with the plans ``done``, meet the targets and are coherent.

    A greedy pass chooses one by one; further passes replace drafts as long as that is better. Of drafts that are as
    good, one is better with relations that few others ask, and that is like no other.
    """
    distance = _Distance(targets)
    vectors_by_slot = [[distance.count_vector(draft.turn_counts) for draft in slot_drafts] for slot_drafts in drafts]
    total, chosen = list(distance.count_vector({})), [-1] * len(drafts)
    asked: Counter[str] = Counter()
    for plan in done:
        total = _add(total, distance.count_vector(plan.turn_counts))
        asked.update(plan.topics)
    for _ in range(MAX_SWEEPS):
        previous = list(chosen)
        for slot, (slot_drafts, vectors) in enumerate(zip(drafts, vectors_by_slot, strict=True)):
            others_total = total
            if chosen[slot] >= 0:
                others_total = _add(total, vectors[chosen[slot]], -1)
                asked -= Counter(slot_drafts[chosen[slot]].topics)
            others = [
                plans[index]
                for plans, index in zip(drafts, chosen, strict=True)
                if index >= 0 and plans is not slot_drafts
            ]
            costs = [
                distance.cost(_add(others_total, vector))
                - COHERENCE_WEIGHT * draft.coherence
                - VARIETY_WEIGHT * fsum(1 / (1 + asked[relation]) for relation in draft.topics)
                + LIKENESS_WEIGHT * any(draft.is_like(other) for other in (*done, *others))
                for draft, vector in zip(slot_drafts, vectors, strict=True)
            ]
            if chosen[slot] < 0 or min(costs) < costs[chosen[slot]]:
                chosen[slot] = costs.index(min(costs))
            total = _add(others_total, vectors[chosen[slot]])
            asked += Counter(slot_drafts[chosen[slot]].topics)
        if chosen == previous:
            break
    return tuple(slot_drafts[index] for slot_drafts, index in zip(drafts, chosen, strict=True))


def _add(one: Sequence[int], other: Sequence[int], sign: int = 1) -> list[int]:
    return [left + sign * right for left, right in zip(one, other, strict=True)]
