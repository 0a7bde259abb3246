"""Calibration of confidence: reliability (is 0.8 right in 80 % of the cases?), and risk and coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from statistics import fmean
from typing import Any

from chattykg.evaluation.metrics import TurnScore

BIN_COUNT = 10
"""Bins of equal width of the reliability curve, as in Guo et al., 2017."""
CONFIDENCE_LEVELS = (0.3, 0.5, 0.7, 0.9)
"""The confidences at which coverage and risk are shown."""
SURE_CONFIDENCE = 0.9
"""Confidence (0..1) from which an answer counts as sure."""


def measure_reliability(turns: Sequence[TurnScore]) -> dict[str, Any] | None:
    """Return the reliability of the answers to all scored turns, also to those with empty gold.

    None if no answer has a confidence.
    """
    answers = _answers_of(turns)
    return compare_confidences(answers) if any(confidence for confidence, _ in answers) else None


def compare_confidences(answers: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Return how far the confidences of answers (at least one), each with whether it is right, can be trusted.

    ``ece`` is the expected calibration error: the mean distance of confidence and share of right answers over the
    ``bins``, weighted by their sizes. ``auroc`` is the probability that a right answer has more confidence than a wrong
    one (None: all are right, or all are wrong). ``sure_n`` answers are sure, ``sure_precision`` of them are right.
    """
    bins = list(_fill_bins(answers))
    sure = [is_right for confidence, is_right in answers if confidence >= SURE_CONFIDENCE]
    return {
        "n": len(answers),
        "ece": sum(part["n"] * abs(part["confidence"] - part["right"]) for part in bins) / len(answers),
        "auroc": rank_auroc(answers),
        "sure_n": len(sure),
        "sure_precision": fmean(sure) if sure else None,
        "bins": bins,
    }


def rank_auroc(answers: Sequence[tuple[float, bool]]) -> float | None:
    """Return the area under the ROC curve of pairs of confidence and rightness, where ties count one half."""
    right_count = sum(is_right for _, is_right in answers)
    wrong_count = len(answers) - right_count
    if not right_count or not wrong_count:
        return None
    won, wrong_below = 0.0, 0
    for _, tied in groupby(sorted(answers), key=itemgetter(0)):
        outcomes = [is_right for _, is_right in tied]
        wrong = len(outcomes) - sum(outcomes)
        won += sum(outcomes) * (wrong_below + wrong / 2)
        wrong_below += wrong
    return won / (right_count * wrong_count)


def _fill_bins(answers: Sequence[tuple[float, bool]]) -> Iterator[dict[str, float]]:
    """Yield the bins that hold answers, from the lowest confidence up: ``n`` answers with a confidence from ``low`` on,
    their mean confidence, and the share that is right."""

    def bin_of(answer: tuple[float, bool]) -> int:
        return min(BIN_COUNT - 1, int(round(answer[0] * BIN_COUNT, 9)))

    for index, part in groupby(sorted(answers), key=bin_of):
        members = list(part)
        confidence, right = map(fmean, zip(*members, strict=True))
        yield {"low": index / BIN_COUNT, "n": len(members), "confidence": confidence, "right": right}


def measure_risk(turns: Sequence[TurnScore]) -> dict[str, Any] | None:
    """Return risk and coverage over all scored turns, also those with empty gold; None if no answer has a confidence.

    ``at`` holds, for each of some confidences, the share of all turns that have an answer at least so sure
    (``coverage``), and the share of these answers that is wrong (``risk``). ``area`` is that under the curve: the mean
    risk over the answers in the order of their confidence, equally sure ones together (0 is best; El-Yaniv and
    Wiener, 2010).
    """
    answered = sorted(_answers_of(turns), reverse=True)
    if not any(confidence for confidence, _ in answered):
        return None
    area, rank, wrong = 0.0, 0, 0
    for _, tied in groupby(answered, key=itemgetter(0)):
        outcomes = [is_right for _, is_right in tied]
        rank, wrong = rank + len(outcomes), wrong + outcomes.count(False)
        area += wrong / rank * len(outcomes)
    at: dict[str, dict[str, float | None]] = {}
    for level in CONFIDENCE_LEVELS:
        outcomes = [is_right for confidence, is_right in answered if confidence >= level]
        risk = outcomes.count(False) / len(outcomes) if outcomes else None
        at[f"{level:.1f}"] = {"coverage": len(outcomes) / len(turns), "risk": risk}
    return {"at": at, "area": area / len(answered)}


def _answers_of(turns: Sequence[TurnScore]) -> list[tuple[float, bool]]:
    """Return the confidence of each answer, and whether it is right."""
    return [(turn.answer.line.confidence, turn.is_exact) for turn in turns if turn.answer and turn.is_answered]
