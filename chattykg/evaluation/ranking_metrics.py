"""Answers as a ranking: ranks that ties share, and how early the first right answer stands.

Ties share a rank and the next lower score has the next rank, so that any right answer among those tied at the top makes
P@1 right: ConvQuestions' rule, as CONVEX counts (Christmann et al., CIKM 2019). Without scores each place is a rank of
its own. By construction P@1 <= MRR <= 1 and P@1 <= Hit@5.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

HIT_RANK = 5
"""The last rank at which a right answer counts for Hit@5."""


def tied_ranks(scores: Sequence[float], length: int) -> tuple[int, ...]:
    """Return the rank of each of ``length`` answers, from 1, in their order.

    The order is the system's; a score that differs from the one before begins the next rank. Scores of another number
    than the answers cannot be read beside them and are not.
    """
    if len(scores) != length:
        return tuple(range(1, length + 1))
    found: list[int] = []
    for place in range(length):
        begins = place == 0 or scores[place] != scores[place - 1]
        found.append((found[-1] if found else 0) + begins)
    return tuple(found)


def reciprocal_rank(rank: int | None) -> float:
    """Return 1 / rank of the first right answer; 0 where none is right."""
    return 1 / rank if rank else 0.0


def ndcg(gains: Sequence[float], ideal: Sequence[float]) -> float:
    """Return the discounted gain of a ranking against that of the ideal one (Jarvelin and Kekalainen, 2002)."""
    best = _discounted(ideal)
    return _discounted(gains) / best if best else 0.0


def ndcg_of_positions(said: Sequence[int | None], length: int) -> float:
    """Return nDCG of an ordered answer: ``said`` holds, for each element said, its place in gold (None: not in it).

    The gain of gold's first element is ``length``, of its last 1: gold said backwards is worth less than 1. An element
    counts once.
    """
    seen: set[int] = set()
    gains: list[float] = []
    for place in said:
        gains.append(0.0 if place is None or place in seen else float(length - place))
        seen |= {place} if place is not None else set()
    return ndcg(gains, [float(length - place) for place in range(length)])


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(place + 2) for place, gain in enumerate(gains))
