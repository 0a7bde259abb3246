"""Bootstrap intervals and a paired test of two systems; both are seeded, so they are reproducible.

Samples consist of whole dialogues, because turns of one dialogue share a topic and its errors. A single question is a
dialogue of its own. Intervals are percentile intervals (Efron); the test is the paired permutation test of the
difference of means (Fisher; Noreen's approximate randomization), two-sided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from chattykg.evaluation.metrics import TurnScore, harmonic_mean, percentile

SAMPLE_COUNT = 2000
"""The number of bootstrap samples, and of permutations."""
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
    """Two systems on the same turns: the difference of their mean F1 (second - first), its interval, the p-value."""

    n: int
    difference: float
    interval: ConfidenceInterval
    p: float


def bootstrap_intervals(
    turns: Sequence[TurnScore], *, seed: int = 0, samples: int = SAMPLE_COUNT
) -> dict[str, ConfidenceInterval]:
    """Return the intervals of the means over some turns, and of the QALD macro F1; empty if there are no turns."""
    clusters = list(_clusters(turns).values())
    if not clusters:
        return {}
    rows = [[tuple(measure(turn) for _, measure in _MEASURES) for turn in cluster] for cluster in clusters]
    sampled: dict[str, list[float]] = {}
    for sample in _sample_means(rows, seed, samples):
        means = {name: mean for (name, _), mean in zip(_MEASURES, sample, strict=True)}
        means["f1_qald_macro"] = harmonic_mean(means.pop("qald_precision"), means["recall"])
        for name, mean in means.items():
            sampled.setdefault(name, []).append(mean)
    return {name: _interval(values) for name, values in sampled.items()}


def bootstrap_means(
    rows: Iterable[tuple[str, tuple[float, ...]]], *, seed: int = 0, samples: int = SAMPLE_COUNT
) -> tuple[ConfidenceInterval, ...]:
    """Return the interval of the mean of each column, from rows of a dialogue's name and the values of a turn."""
    clusters: dict[str, list[tuple[float, ...]]] = {}
    for dialogue, values in rows:
        clusters.setdefault(dialogue, []).append(values)
    columns = zip(*_sample_means(list(clusters.values()), seed, samples), strict=True)
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
    gains: dict[str, list[float]] = {}
    for one, other in zip(first, second, strict=True):
        gains.setdefault(_cluster(one), []).append(other.f1 - one.f1)
    sums = [(len(cluster), sum(cluster)) for cluster in gains.values()]
    n = len(first)
    if not n:
        return PairedTest(0, 0.0, ConfidenceInterval(0.0, 0.0), 1.0)
    total = sum(gain for _, gain in sums)
    rng = Random(f"{seed}/paired")
    resamples = (rng.choices(sums, k=len(sums)) for _ in range(samples))
    means = [sum(gain for _, gain in sample) / sum(size for size, _ in sample) for sample in resamples]
    nonzero = [gain for _, gain in sums if gain]
    permuted = (sum(gain if rng.random() < 0.5 else -gain for gain in nonzero) for _ in range(samples))
    extreme = sum(abs(permuted_total) >= abs(total) - 1e-9 for permuted_total in permuted)
    return PairedTest(n, total / n, _interval(means), (1 + extreme) / (1 + samples))


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
    sums: dict[str, tuple[float, float]] = {}
    for one, other in zip(first, second, strict=True):
        first_f1, second_f1 = sums.get(_cluster(one), (0.0, 0.0))
        sums[_cluster(one)] = (first_f1 + one.f1, second_f1 + other.f1)
    if not sums:
        return None
    rng = Random(f"{seed}/kept")
    totals = []
    for _ in range(samples):
        sample = rng.choices(tuple(sums.values()), k=len(sums))
        totals.append((sum(first_f1 for first_f1, _ in sample), sum(second_f1 for _, second_f1 in sample)))
    if not all(first_f1 for first_f1, _ in totals):
        return None
    return _interval([100 * second_f1 / first_f1 for first_f1, second_f1 in totals])


def _sample_means(
    clusters: Sequence[Sequence[tuple[float, ...]]], seed: int, samples: int
) -> Iterator[tuple[float, ...]]:
    """Yield, for each sample of whole clusters, the mean of each column of their rows."""
    sums = [(len(cluster), *map(sum, zip(*cluster, strict=True))) for cluster in clusters]
    rng = Random(f"{seed}/intervals")
    for _ in range(samples):
        n, *totals = map(sum, zip(*rng.choices(sums, k=len(sums)), strict=True))
        yield tuple(total / n for total in totals)


def _clusters(turns: Sequence[TurnScore]) -> dict[str, list[TurnScore]]:
    clusters: dict[str, list[TurnScore]] = {}
    for turn in turns:
        clusters.setdefault(_cluster(turn), []).append(turn)
    return clusters


def _cluster(turn: TurnScore) -> str:
    return f"dialogue {turn.gold.dialogue}" if turn.gold.dialogue else f"turn {turn.gold.id}"


def _interval(values: Sequence[float]) -> ConfidenceInterval:
    tail = (100 - _LEVEL) / 2
    return ConfidenceInterval(percentile(values, tail), percentile(values, 100 - tail))
