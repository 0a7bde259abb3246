"""What confidences are worth: how often a system is wrong if it only speaks when it is sure (risk-coverage curve)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chattykg.evaluation.metrics import TurnScore


@dataclass(frozen=True, slots=True)
class RiskCoveragePoint:
    """Answers of at least ``confidence``: the share of all turns that get one, and the share of those that is wrong.

    ``right``, ``wrong`` and ``silent`` are numbers of turns and sum up to all of them.
    """

    confidence: float
    coverage: float
    risk: float
    right: int
    wrong: int
    silent: int


@dataclass(frozen=True, slots=True)
class RiskCoverageCurve:
    """The points from the surest answer down, and the area under the curve: the mean risk over the answers, in the
    order of their confidence (0 best; El-Yaniv and Wiener, 2010).
    """

    points: tuple[RiskCoveragePoint, ...]
    area: float


def compute_risk_coverage(turns: Sequence[TurnScore]) -> RiskCoverageCurve | None:
    """Return the curve over all scored turns, those without gold as well (any answer to them is wrong).

    An answer is right if it is gold's set. None where no answer has a confidence.
    """
    answered = sorted(
        ((turn.answer.confidence, turn.is_exact) for turn in turns if turn.answer and turn.is_answered), reverse=True
    )
    if not any(confidence for confidence, _ in answered):
        return None
    points: list[RiskCoveragePoint] = []
    area = wrong = 0.0
    for place, (confidence, right) in enumerate(answered, 1):
        wrong += not right
        if place < len(answered) and answered[place][0] == confidence:
            continue  # equally sure: nobody can say one and not the other
        before = sum(point.right + point.wrong for point in points[-1:])
        area += wrong / place * (place - before)
        missed = int(wrong)
        points.append(
            RiskCoveragePoint(confidence, place / len(turns), wrong / place, place - missed, missed, len(turns) - place)
        )  # fmt: skip
    return RiskCoverageCurve(tuple(points), area / len(answered))


def thin_points(points: Iterable[RiskCoveragePoint], limit: int) -> tuple[RiskCoveragePoint, ...]:
    """Return at most so many points of a curve for a table, evenly, the first and the last among them."""
    listed = tuple(points)
    if len(listed) <= limit:
        return listed
    return tuple(listed[round(place * (len(listed) - 1) / (limit - 1))] for place in range(limit))
