"""Counts of names, summary statistics of numbers, and the divergence of two distributions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from math import log2
from statistics import fmean, median
from typing import Any


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each name occurs: the most frequent first, equal ones by name."""

    items: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, names: Iterable[str]) -> Counts:
        """Count names."""
        return cls(tuple(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0]))))

    @property
    def total(self) -> int:
        """How many names were counted, repetitions included."""
        return sum(number for _, number in self.items)

    def __getitem__(self, name: str) -> int:
        return next((number for key, number in self.items if key == name), 0)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.items)

    def __len__(self) -> int:
        return len(self.items)

    def shares(self) -> dict[str, float]:
        """Return each name's share of the total, in 0..1."""
        total = self.total
        return {name: number / total for name, number in self.items}

    def entropy(self) -> float:
        """Return the Shannon entropy in bits: 0 if all are one name, log2 of the number of names if all are equally
        frequent."""
        return -sum(share * log2(share) for share in self.shares().values()) if len(self.items) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class SummaryStatistics:
    """Summary of numbers: how many there are, their mean, minimum, median, 90th percentile (nearest rank) and
    maximum."""

    n: int = 0
    mean: float = 0.0
    least: float = 0.0
    median: float = 0.0
    p90: float = 0.0
    most: float = 0.0

    @classmethod
    def of(cls, numbers: Iterable[float]) -> SummaryStatistics:
        """Describe numbers; without any, everything is 0."""
        ordered = sorted(numbers)
        if not ordered:
            return cls()
        rank = -(-len(ordered) * 9 // 10) - 1
        return cls(len(ordered), fmean(ordered), ordered[0], median(ordered), ordered[rank], ordered[-1])


def share(part: float, whole: float) -> float | None:
    """Return a share in 0..1; None if ``whole`` is 0."""
    return part / whole if whole else None


def js_divergence(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the Jensen-Shannon divergence of two distributions in bits (Lin 1991): 0 equal, 1 nothing in common."""

    def divergence_from_mean(shares: Mapping[str, float]) -> float:
        return sum(
            probability * log2(probability / ((one.get(name, 0.0) + other.get(name, 0.0)) / 2))
            for name, probability in shares.items()
            if probability > 0
        )

    return min(1.0, max(0.0, (divergence_from_mean(one) + divergence_from_mean(other)) / 2))


def to_json(value: Any) -> Any:
    """Return a value of figures in JSON types: counts as objects, floats rounded to four places."""
    if isinstance(value, Counts):
        return dict(value.items)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): to_json(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(part) for part in value]
    return round(value, 4) if isinstance(value, float) else value
