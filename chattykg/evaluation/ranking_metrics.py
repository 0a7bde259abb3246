"""Measures of answers as a ranking: tied ranks, reciprocal rank, nDCG.

Ties share a rank and the next lower score has the next rank, so P@1 is 1 if any answer tied at the top is right:
ConvQuestions' rule, as in CONVEX (Christmann et al., CIKM 2019). Without scores, each answer has its own rank. By
construction P@1 <= MRR <= 1 and P@1 <= Hit@5.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

HIT_RANK = 5
"""The last rank at which a right answer counts for Hit@5."""


def tied_ranks(scores: Sequence[float], length: int) -> tuple[int, ...]:
    """Return the rank of each of ``length`` answers, from 1, in their order.

    The order is the system's; a score that differs from the one before begins the next rank. Scores are ignored if
    there are not ``length`` of them.
    """
    if len(scores) != length:
        return tuple(range(1, length + 1))
    ranks: list[int] = []
    for index in range(length):
        is_next = index == 0 or scores[index] != scores[index - 1]
        ranks.append((ranks[-1] if ranks else 0) + is_next)
    return tuple(ranks)


def reciprocal_rank(rank: int | None) -> float:
    """Return 1 / rank of the first right answer; 0 if none is right."""
    return 1 / rank if rank else 0.0


def ndcg(gains: Sequence[float], ideal: Sequence[float]) -> float:
    """Return the normalized discounted cumulative gain of a ranking (Jarvelin and Kekalainen, 2002)."""
    best = _discounted(ideal)
    return _discounted(gains) / best if best else 0.0


def ndcg_of_positions(positions: Sequence[int | None], length: int) -> float:
    """Return the nDCG of an ordered answer from the index in gold of each of its elements (None: not in gold).

    The gain of gold's first element is ``length``, that of its last 1, so gold in reverse order scores less than 1. An
    element counts once.
    """
    seen: set[int] = set()
    gains: list[float] = []
    for position in positions:
        gains.append(0.0 if position is None or position in seen else float(length - position))
        seen |= {position} if position is not None else set()
    return ndcg(gains, [float(length - position) for position in range(length)])


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(index + 2) for index, gain in enumerate(gains))
