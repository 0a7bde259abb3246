"""Calibration of confidence: reliability (is 0.8 right in 80 % of the cases?) and the risk-coverage curve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from chattykg.evaluation.metrics import TurnScore

BIN_COUNT = 10
"""Bins of equal width of the reliability curve, as in Guo et al., 2017."""
SURE_CONFIDENCE = 0.9
"""Confidence (0..1) from which an answer counts as sure."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The ``n`` answers with a confidence from ``low`` on: their mean confidence, and the share that is right."""

    low: float
    n: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far the confidences of ``n`` answers can be trusted; an answer is right if it equals gold's set.

    ``ece`` is the expected calibration error: the mean distance of confidence and share of right answers over the
    bins, weighted by their sizes. ``auroc`` is the probability that a right answer has more confidence than a wrong
    one (None: all are right, or all are wrong). ``sure_n`` answers are sure, ``sure_precision`` of them are right.
    """

    n: int
    ece: float
    auroc: float | None
    sure_n: int
    sure_precision: float | None
    bins: tuple[ReliabilityBin, ...]


def measure_reliability(turns: Sequence[TurnScore]) -> Reliability | None:
    """Return the reliability of the answers to all scored turns, also to those with empty gold.

    None if no answer has a confidence.
    """
    answers = [(turn.answer.confidence, turn.is_exact) for turn in turns if turn.answer and turn.is_answered]
    return compare_confidences(answers) if any(confidence for confidence, _ in answers) else None


def compare_confidences(answers: Sequence[tuple[float, bool]]) -> Reliability:
    """Return the reliability of answers (at least one), each given as its confidence and whether it is right."""
    bins = tuple(_fill_bins(answers))
    sure = [is_right for confidence, is_right in answers if confidence >= SURE_CONFIDENCE]
    return Reliability(
        n=len(answers),
        ece=sum(part.n * abs(part.confidence - part.right) for part in bins) / len(answers),
        auroc=rank_auroc(answers),
        sure_n=len(sure),
        sure_precision=fmean(sure) if sure else None,
        bins=bins,
    )


def rank_auroc(answers: Sequence[tuple[float, bool]]) -> float | None:
    """Return the area under the ROC curve of pairs of confidence and rightness, where ties count one half."""
    right_count = sum(is_right for _, is_right in answers)
    wrong_count = len(answers) - right_count
    if not right_count or not wrong_count:
        return None
    won, wrong_below = 0.0, 0
    for _, tied in groupby(sorted(answers), key=lambda answer: answer[0]):
        outcomes = [is_right for _, is_right in tied]
        wrong = len(outcomes) - sum(outcomes)
        won += sum(outcomes) * (wrong_below + wrong / 2)
        wrong_below += wrong
    return won / (right_count * wrong_count)


def _fill_bins(answers: Sequence[tuple[float, bool]]) -> Iterator[ReliabilityBin]:
    """Yield the bins that hold answers, from the lowest confidence up."""

    def bin_of(answer: tuple[float, bool]) -> int:
        return min(BIN_COUNT - 1, int(round(answer[0] * BIN_COUNT, 9)))

    for index, part in groupby(sorted(answers), key=bin_of):
        members = list(part)
        confidence = fmean(confidence for confidence, _ in members)
        yield ReliabilityBin(index / BIN_COUNT, len(members), confidence, fmean(is_right for _, is_right in members))


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
