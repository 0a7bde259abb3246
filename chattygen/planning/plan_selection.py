"""Choose one plan per dialogue from several drafts each, so that together they have the shares of the mix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chattygen.options import Options
from chattygen.planning.form_quotas import LINK_SHARES
from chattygen.planning.plan import DialoguePlan
from chattygen.sampling.node_types import apportion

TurnTargets = Mapping[str, float]
_WEIGHTS = {"hang": 2.0}
TRUTH_BALANCE_WEIGHT = 6.0
"""How much it counts where a share is missed (1 for all else), and where true and false are not balanced."""
MAX_SWEEPS = 8


def run_quotas(options: Options) -> dict[str, int]:
    """Return how many turns of a run each form shall have; they sum to all turns (largest remainder)."""
    shares = dict(options.mix)
    turns = options.dialogues * options.turns
    seats = apportion([round(share * 1000) for share in shares.values()], turns)
    return dict(zip(shares, seats, strict=True))


def turn_targets(options: Options, first: int, last: int) -> dict[str, int]:
    """Return how many turns of each form and link the dialogues from ``first`` up to (not with) ``last`` shall have.

    The goals of all parts of a run sum to those of the whole, wherever it is parted.
    """
    shares = {form: options.turns * share / 100 for form, share in options.mix}
    if options.turns > 2:
        shares |= {link: options.turns * share / 100 for link, share in LINK_SHARES}
    shares["hang"] = options.chain * (options.turns - 1)
    return {form: round(last * each) - round(first * each) for form, each in shares.items()}


def target_distance(counts: Mapping[str, int], targets: TurnTargets) -> float:
    """Return by how much a tally misses the goals: the sum of squares, so that it misses none by much."""
    scale = _Scale(targets)
    return scale.cost(scale.told(counts))


class _Scale:
    """Weighs tallies, as tuples of numbers, against goals."""

    def __init__(self, wanted: TurnTargets) -> None:
        self._kinds = tuple(wanted)
        self._terms = [(number, _WEIGHTS.get(kind, 1.0)) for kind, number in wanted.items()]

    def told(self, tally: Mapping[str, int]) -> tuple[int, ...]:
        """Return a tally in the order of the goals, and then the true and the false yes-no questions."""
        return (*(tally.get(kind, 0) for kind in self._kinds), tally.get("true", 0), tally.get("false", 0))

    def cost(self, told: Sequence[int]) -> float:
        """Return by how much it misses."""
        *counts, true, false = told
        cost = sum(weight * (count - number) ** 2 for count, (number, weight) in zip(counts, self._terms, strict=True))
        return cost + TRUTH_BALANCE_WEIGHT * max(0, abs(true - false) - 1) ** 2


def closest_plan(drafts: Sequence[DialoguePlan], targets: TurnTargets) -> DialoguePlan:
    """Return the draft that misses the goals by the least; the first of several."""
    return min(drafts, key=lambda draft: target_distance(draft.turn_counts, targets))


def choose_plans(
    drafts: Sequence[Sequence[DialoguePlan]], targets: TurnTargets, done_counts: Mapping[str, int]
) -> tuple[DialoguePlan, ...]:
    """Return one draft for each place, so that these, and what there is already, meet the goals.

    They are chosen one by one at first; then each is changed as long as that helps.
    """
    scale = _Scale(targets)
    told = [[scale.told(draft.turn_counts) for draft in some] for some in drafts]
    total, taken = list(scale.told(done_counts)), [-1] * len(drafts)
    for _ in range(MAX_SWEEPS):
        before = list(taken)
        for place, some in enumerate(told):
            rest = _sum(total, some[taken[place]], -1) if taken[place] >= 0 else total
            costs = [scale.cost(_sum(rest, one)) for one in some]
            if taken[place] < 0 or min(costs) < costs[taken[place]]:
                taken[place] = costs.index(min(costs))
            total = _sum(rest, some[taken[place]])
        if taken == before:
            break
    return tuple(some[number] for some, number in zip(drafts, taken, strict=True))


def _sum(one: Sequence[int], other: Sequence[int], sign: int = 1) -> list[int]:
    return [left + sign * right for left, right in zip(one, other, strict=True)]
