"""Rates over a set of turns: means over turns (macro) and over all elements together (micro)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from chattykg.evaluation.metrics import HIT_RANK, TurnScore, harmonic_mean, reciprocal_rank


@dataclass(frozen=True, slots=True)
class AggregateMetrics:
    """Rates over ``n`` turns.

    ``f1`` is the mean of F1. ``f1_qald_macro`` is the harmonic mean of QALD's mean precision and mean recall (see
    ``metrics``). The ``micro`` rates are over all elements of all turns together. ``exact`` is the share of turns with
    F1 = 1. ``p_at_1`` looks at the first answer only; in ``p_at_1_tied``, ``mrr`` and ``hit_at_5`` ties share a rank.
    ``trust`` is the answer trustworthiness score: the mean of +1 for F1 = 1, 0 for no answer, else -1 (-1 to 1).
    """

    n: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    f1_qald_macro: float = 0.0
    precision_micro: float = 0.0
    recall_micro: float = 0.0
    f1_micro: float = 0.0
    exact: float = 0.0
    p_at_1: float = 0.0
    p_at_1_tied: float = 0.0
    mrr: float = 0.0
    hit_at_5: float = 0.0
    trust: float = 0.0

    def __post_init__(self) -> None:
        """Assert that P@1 is at most Hit@5, which holds for every ranking."""
        assert self.p_at_1 <= self.p_at_1_tied + 1e-9 <= self.hit_at_5 + 2e-9, "P@1 above Hit@5"


def aggregate_turns(turns: Sequence[TurnScore]) -> AggregateMetrics:
    """Return the rates over some turns; all are 0 if there are no turns."""
    if not turns:
        return AggregateMetrics()
    recall = fmean(turn.recall for turn in turns)
    right, answered = sum(turn.right_count for turn in turns), sum(turn.answer_count for turn in turns)
    gold_found, gold = sum(turn.gold_found_count for turn in turns), sum(turn.gold_count for turn in turns)
    micro_precision, micro_recall = right / answered if answered else 0.0, gold_found / gold if gold else 0.0
    return AggregateMetrics(
        n=len(turns),
        precision=fmean(turn.precision for turn in turns),
        recall=recall,
        f1=fmean(turn.f1 for turn in turns),
        f1_qald_macro=harmonic_mean(fmean(turn.qald_precision for turn in turns), recall),
        precision_micro=micro_precision,
        recall_micro=micro_recall,
        f1_micro=harmonic_mean(micro_precision, micro_recall),
        exact=fmean(turn.is_exact for turn in turns),
        p_at_1=fmean(turn.is_first_right for turn in turns),
        p_at_1_tied=fmean(turn.first_right_rank == 1 for turn in turns),
        mrr=fmean(reciprocal_rank(turn.first_right_rank) for turn in turns),
        hit_at_5=fmean(turn.first_right_rank is not None and turn.first_right_rank <= HIT_RANK for turn in turns),
        trust=fmean(map(trust_score, turns)),
    )


def trust_score(turn: TurnScore) -> int:
    """Return the trustworthiness of one turn: 1 if it is right, 0 if there is no answer, -1 if it is wrong."""
    if turn.is_exact:
        return 1
    return -1 if turn.is_answered else 0


def select_answerable(turns: Iterable[TurnScore]) -> list[TurnScore]:
    """Return the turns of the headline: those with non-empty gold."""
    return [turn for turn in turns if turn.is_answerable]


def select_answered(turns: Iterable[TurnScore]) -> list[TurnScore]:
    """Return the answered turns with gold, the only ones that Chatty-KG's in-run score counts."""
    return [turn for turn in turns if turn.is_answerable and turn.is_answered]


def select_follow_ups(turns: Iterable[TurnScore]) -> list[TurnScore]:
    """Return the follow-up turns with gold, the only ones that ConvQuestions' scores count."""
    return [turn for turn in turns if turn.is_answerable and turn.gold.position > 1]
