"""The risk-coverage curve: how often a system is wrong if it answers only above some confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chattykg.evaluation.metrics import TurnScore


@dataclass(frozen=True, slots=True)
class RiskCoveragePoint:
    """The answers of at least ``confidence``: their share of all turns, and the share of them that is wrong.

    ``right``, ``wrong`` and ``silent`` are numbers of turns; their sum is the number of all turns.
    """

    confidence: float
    coverage: float
    risk: float
    right: int
    wrong: int
    silent: int


@dataclass(frozen=True, slots=True)
class RiskCoverageCurve:
    """The points from the highest confidence down, and the area under the curve: the mean risk over the answers in
    the order of their confidence (0 is best; El-Yaniv and Wiener, 2010).
    """

    points: tuple[RiskCoveragePoint, ...]
    area: float


def compute_risk_coverage(turns: Sequence[TurnScore]) -> RiskCoverageCurve | None:
    """Return the curve over all scored turns, also those with empty gold (any answer to them is wrong).

    An answer is right if it equals gold's set. None if no answer has a confidence.
    """
    answered = sorted(
        ((turn.answer.confidence, turn.is_exact) for turn in turns if turn.answer and turn.is_answered), reverse=True
    )
    if not any(confidence for confidence, _ in answered):
        return None
    points: list[RiskCoveragePoint] = []
    area = wrong = 0.0
    for rank, (confidence, is_right) in enumerate(answered, 1):
        wrong += not is_right
        if rank < len(answered) and answered[rank][0] == confidence:
            continue  # answers of equal confidence cannot be separated by a threshold
        before = sum(point.right + point.wrong for point in points[-1:])
        area += wrong / rank * (rank - before)
        wrong_count = int(wrong)
        right_count, silent_count = rank - wrong_count, len(turns) - rank
        points.append(
            RiskCoveragePoint(confidence, rank / len(turns), wrong / rank, right_count, wrong_count, silent_count)
        )
    return RiskCoverageCurve(tuple(points), area / len(answered))
