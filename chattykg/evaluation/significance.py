"""How far figures can be trusted: bootstrap intervals, and a paired test of two systems; seeded, so that they repeat.

Whole dialogues are drawn, not turns: turns of one dialogue share a subject and its mistakes. A turn that stands alone
is a dialogue of its own. Intervals are percentile intervals (Efron); the test is the paired permutation test of the
difference of means (Fisher; Noreen's approximate randomization), two-sided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from chattykg.evaluation.metrics import TurnScore, harmonic_mean, percentile

SAMPLE_COUNT = 2000
"""How many samples are drawn."""
_LEVEL = 95
_MEASURES: tuple[tuple[str, Callable[[TurnScore], float]], ...] = (
    ("precision", lambda turn: turn.precision),
    ("recall", lambda turn: turn.recall),
    ("f1", lambda turn: turn.f1),
    ("qald_precision", lambda turn: turn.qald_precision),
    ("exact", lambda turn: float(turn.is_exact)),
    ("p_at_1", lambda turn: float(turn.is_first_right)),
    ("answered", lambda turn: float(turn.is_answered)),
)


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """A 95 % interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two systems on the same turns: the difference of their mean F1 (second less first), its interval, the p-value."""

    n: int
    difference: float
    interval: ConfidenceInterval
    p: float


def bootstrap_intervals(
    turns: Sequence[TurnScore], *, seed: int = 0, samples: int = SAMPLE_COUNT
) -> dict[str, ConfidenceInterval]:
    """Return the intervals of the means over some turns, and of the QALD macro; none of no turns."""
    clusters = list(_clusters(turns).values())
    if not clusters:
        return {}
    sums = [(len(each), *(sum(map(measure, each)) for _, measure in _MEASURES)) for each in clusters]
    random = Random(f"{seed}/intervals")
    found: dict[str, list[float]] = {}
    for _ in range(samples):
        drawn = random.choices(sums, k=len(sums))
        n, *totals = (sum(column) for column in zip(*drawn, strict=True))
        means = {name: total / n for (name, _), total in zip(_MEASURES, totals, strict=True)}
        means["f1_qald_macro"] = harmonic_mean(means.pop("qald_precision"), means["recall"])
        for name, mean in means.items():
            found.setdefault(name, []).append(mean)
    return {name: _interval(values) for name, values in found.items()}


def run_paired_test(
    first: Sequence[TurnScore], second: Sequence[TurnScore], *, seed: int = 0, samples: int = SAMPLE_COUNT
) -> PairedTest:
    """Compare two systems on the turns that both lists hold, in the same order.

    Raises:
        ValueError: the lists are not of the same turns.
    """
    if [turn.gold.id for turn in first] != [turn.gold.id for turn in second]:
        raise ValueError("two systems are compared on the same turns")
    gains: dict[str, list[float]] = {}
    for one, other in zip(first, second, strict=True):
        gains.setdefault(_cluster(one), []).append(other.f1 - one.f1)
    sums = [(len(each), sum(each)) for each in gains.values()]
    n = len(first)
    if not n:
        return PairedTest(0, 0.0, ConfidenceInterval(0.0, 0.0), 1.0)
    total = sum(gain for _, gain in sums)
    random = Random(f"{seed}/paired")
    drawn = (random.choices(sums, k=len(sums)) for _ in range(samples))
    means = [sum(gain for _, gain in each) / sum(size for size, _ in each) for each in drawn]
    moved = [gain for _, gain in sums if gain]
    flips = (sum(gain if random.random() < 0.5 else -gain for gain in moved) for _ in range(samples))
    extreme = sum(abs(flip) >= abs(total) - 1e-9 for flip in flips)
    return PairedTest(n, total / n, _interval(means), (1 + extreme) / (1 + samples))


def bootstrap_retention(
    first: Sequence[TurnScore], second: Sequence[TurnScore], *, seed: int = 0, samples: int = SAMPLE_COUNT
) -> ConfidenceInterval | None:
    """Return the interval of the percentage of the first system's F1 that the second has, on the same turns.

    None where the first system has no F1 in some sample: a percentage of nothing has no interval.
    """
    sums: dict[str, tuple[float, float]] = {}
    for one, other in zip(first, second, strict=True):
        had, has = sums.get(_cluster(one), (0.0, 0.0))
        sums[_cluster(one)] = (had + one.f1, has + other.f1)
    if not sums:
        return None
    random = Random(f"{seed}/kept")
    totals = []
    for _ in range(samples):
        drawn = random.choices(tuple(sums.values()), k=len(sums))
        totals.append((sum(had for had, _ in drawn), sum(has for _, has in drawn)))
    return _interval([100 * has / had for had, has in totals]) if all(had for had, _ in totals) else None


def _clusters(turns: Sequence[TurnScore]) -> dict[str, list[TurnScore]]:
    found: dict[str, list[TurnScore]] = {}
    for turn in turns:
        found.setdefault(_cluster(turn), []).append(turn)
    return found


def _cluster(turn: TurnScore) -> str:
    return f"dialogue {turn.gold.dialogue}" if turn.gold.dialogue else f"turn {turn.gold.id}"


def _interval(values: Sequence[float]) -> ConfidenceInterval:
    rest = (100 - _LEVEL) / 2
    return ConfidenceInterval(percentile(values, rest), percentile(values, 100 - rest))
