"""Bootstrap intervals and a paired test of two systems; both are seeded, so they are reproducible.

Samples consist of whole dialogues, because turns of one dialogue share a topic and its errors. A single question is a
dialogue of its own. Intervals are percentile intervals (Efron); the test is the paired permutation test of the
difference of means (Fisher), two-sided: over all permutations if they are few, else over a sample of them (Noreen).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from operator import mul
from random import Random
from typing import NamedTuple

from chattykg.evaluation.metrics import MEASURES, TurnScore, harmonic_mean, percentile

SAMPLE_COUNT = 2000
"""The number of bootstrap samples, and of permutations."""
SIGNIFICANCE_LEVEL = 0.05
"""The p-value from which a difference is reported as chance; the usual level of the field."""
_LEVEL = 95
_INTERVALS = ("precision", "recall", "f1", "qald_precision", "exact", "p_at_1", "answered")
_ROUNDING = 1e-9
Row = tuple[str, tuple[float, ...]]
"""The name of the dialogue of a turn, and values of the turn."""
_Sums = tuple[float, ...]
"""The number of the turns of a dialogue, and the sum of each of their values."""


class ConfidenceInterval(NamedTuple):
    """A 95 % interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two systems on the same ``n`` turns of ``units`` dialogues or single questions: the difference of their mean F1
    (second - first), its interval, the p-value."""

    n: int
    difference: float
    interval: ConfidenceInterval
    p: float
    units: int

    @property
    def least_p(self) -> float:
        """The least p-value that so many units can reach."""
        return min(1.0, 2.0 ** (1 - self.units))

    @property
    def is_too_small(self) -> bool:
        """Whether no difference between so few units can be told from chance."""
        return self.least_p >= SIGNIFICANCE_LEVEL

    def describe_p(self) -> str:
        """Return the p-value; of few units, that it cannot be small enough to tell anything."""
        return f"p = {self.p:.4f}" + (f" ({self.limit})" if self.is_too_small else "")

    @property
    def limit(self) -> str:
        """What so few units cannot tell."""
        return f"n = {self.units} is too small: p cannot be less than {self.least_p:.4f}"


def bootstrap_intervals(
    turns: Sequence[TurnScore], *, seed: int = 0, samples: int = SAMPLE_COUNT
) -> dict[str, ConfidenceInterval]:
    """Return the intervals of the means over some turns, and of the QALD macro F1; empty if there are no turns."""
    rows = ((_cluster(turn), tuple(float(MEASURES[name](turn)) for name in _INTERVALS)) for turn in turns)
    sampled: dict[str, list[float]] = {}
    for sample in sample_means(rows, Random(f"{seed}/intervals"), samples):
        means = dict(zip(_INTERVALS, sample, strict=True))
        means["f1_qald_macro"] = harmonic_mean(means.pop("qald_precision"), means["recall"])
        for name, mean in means.items():
            sampled.setdefault(name, []).append(mean)
    return {name: _interval(values) for name, values in sampled.items()}


def bootstrap_means(
    rows: Iterable[Row], *, seed: int = 0, samples: int = SAMPLE_COUNT
) -> tuple[ConfidenceInterval, ...]:
    """Return the interval of the mean of each value of the turns."""
    columns = zip(*sample_means(rows, Random(f"{seed}/intervals"), samples), strict=True)
    return tuple(_interval(column) for column in columns)


def run_paired_test(
    first: Sequence[TurnScore], second: Sequence[TurnScore], *, seed: int = 0, samples: int = SAMPLE_COUNT
) -> PairedTest:
    """Compare two systems on the same turns, in the same order.

    Raises:
        ValueError: the lists are not about the same turns.
    """
    if [turn.gold.id for turn in first] != [turn.gold.id for turn in second]:
        raise ValueError("two systems are compared on the same turns")
    if not first:
        return PairedTest(0, 0.0, ConfidenceInterval(0.0, 0.0), 1.0, 0)
    rows = [(_cluster(one), (other.f1 - one.f1,)) for one, other in zip(first, second, strict=True)]
    rng = Random(f"{seed}/paired")
    means = [mean for (mean,) in sample_means(rows, rng, samples)]
    gains = [gain for _, gain in _sum_clusters(rows)]
    p = _permutation_p([gain for gain in gains if gain], rng, samples)
    return PairedTest(len(first), sum(gains) / len(first), _interval(means), p, len(gains))


def _permutation_p(gains: Sequence[float], rng: Random, samples: int) -> float:
    """Return the share of the permutations whose sum is at least as far from 0; exact, if all are few enough."""
    total = abs(sum(gains)) - _ROUNDING
    if not gains:
        return 1.0
    if 2 ** (len(gains) - 1) <= samples:  # the other half has the opposite signs
        signs = product((1.0,), *[(1.0, -1.0)] * (len(gains) - 1))
        extreme = [abs(sum(map(mul, each, gains))) >= total for each in signs]
        return extreme.count(True) / len(extreme)
    permuted = (sum(gain if rng.random() < 0.5 else -gain for gain in gains) for _ in range(samples))
    return (1 + sum(abs(each) >= total for each in permuted)) / (1 + samples)


def correct_for_tests(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of several tests, corrected by Holm's step-down procedure, in their order."""
    corrected, highest = [1.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = highest
    return corrected


def bootstrap_retention(
    first: Sequence[TurnScore], second: Sequence[TurnScore], *, seed: int = 0, samples: int = SAMPLE_COUNT
) -> ConfidenceInterval | None:
    """Return the interval of the percentage of the first system's F1 that the second has, on the same turns.

    None if the first system has an F1 of 0 in some sample, or if there are no turns.
    """
    rows = [(_cluster(one), (one.f1, other.f1)) for one, other in zip(first, second, strict=True)]
    means = list(sample_means(rows, Random(f"{seed}/kept"), samples))
    if not means or not all(first_f1 for first_f1, _ in means):
        return None
    return _interval([100 * second_f1 / first_f1 for first_f1, second_f1 in means])


def _sum_clusters(rows: Iterable[Row]) -> list[_Sums]:
    clusters: dict[str, list[tuple[float, ...]]] = {}
    for cluster, values in rows:
        clusters.setdefault(cluster, []).append(values)
    return [(len(cluster), *map(sum, zip(*cluster, strict=True))) for cluster in clusters.values()]


def sample_means(rows: Iterable[Row], rng: Random, samples: int) -> Iterator[tuple[float, ...]]:
    """Yield, for each sample of whole dialogues, the mean of each value; nothing if there are no rows."""
    sums = _sum_clusters(rows)
    for _ in range(samples if sums else 0):
        n, *totals = map(sum, zip(*rng.choices(sums, k=len(sums)), strict=True))
        yield tuple(total / n for total in totals)


def rank_agreement(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b of two scorings of the same systems, -1..1; None where one of them has ties alone."""
    pairs = list(combinations(zip(first, second, strict=True), 2))
    one, other = ([_sign(left[index] - right[index]) for left, right in pairs] for index in (0, 1))
    untied = sum(map(abs, one)) * sum(map(abs, other))
    return sum(map(mul, one, other)) / untied**0.5 if untied else None


def bootstrap_agreement(
    first: Sequence[Sequence[TurnScore]],
    second: Sequence[Sequence[TurnScore]],
    *,
    seed: int = 0,
    samples: int = SAMPLE_COUNT,
) -> ConfidenceInterval | None:
    """Return the interval of Kendall's tau-b between the mean F1s of systems on two sets of questions.

    ``first`` and ``second`` hold the turns of each system, in one order of systems; both sets are sampled by whole
    dialogues, each apart. None if no sample tells the systems apart.
    """
    sampled = []
    for name, systems in (("first", first), ("second", second)):
        rows = [(_cluster(turns[0]), tuple(turn.f1 for turn in turns)) for turns in zip(*systems, strict=True)]
        sampled.append(sample_means(rows, Random(f"{seed}/{name}"), samples))
    agreements = (rank_agreement(one, other) for one, other in zip(*sampled, strict=True))
    values = [value for value in agreements if value is not None]
    return _interval(values) if values else None


def _sign(value: float) -> int:
    return (value > _ROUNDING) - (value < -_ROUNDING)


def _cluster(turn: TurnScore) -> str:
    return f"dialogue {turn.gold.dialogue}" if turn.gold.dialogue else f"turn {turn.gold.id}"


def _interval(values: Sequence[float]) -> ConfidenceInterval:
    tail = (100 - _LEVEL) / 2
    return ConfidenceInterval(percentile(values, tail), percentile(values, 100 - tail))
