"""Rates over a set of turns, each under the name that says how it is averaged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from statistics import fmean

from chattykg.evaluation.metrics import TurnScore, harmonic_mean
from chattykg.evaluation.ranking_metrics import HIT_RANK, reciprocal_rank


@dataclass(frozen=True, slots=True)
class AggregateMetrics:
    """Rates over ``n`` turns.

    ``f1`` is the mean of F1, ``f1_qald_macro`` the harmonic mean of QALD's mean precision and mean recall (see
    ``metrics``), the ``micro`` ones are over all elements of all turns together. ``exact`` is the share of turns with
    F1 = 1. ``p_at_1`` looks at the first answer alone; in ``p_at_1_tied``, ``mrr`` and ``hit_at_5`` ties share a rank.
    ``trust`` is the answer trustworthiness score: the mean of +1 where F1 = 1, 0 where nothing was said, else -1
    (-1 to 1).
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
        """Assert what no ranking can break: a published table with P@1 above Hit@5 has counted something else."""
        assert self.p_at_1 <= self.p_at_1_tied + 1e-9 <= self.hit_at_5 + 2e-9, "P@1 above Hit@5"

    def to_json(self) -> dict[str, float | int]:
        """Return the rates by name, to six places."""
        return {field.name: round(getattr(self, field.name), 6) for field in fields(self)}


def aggregate_turns(turns: Sequence[TurnScore]) -> AggregateMetrics:
    """Return the rates over some turns; all 0 of none."""
    if not turns:
        return AggregateMetrics()
    recall = fmean(turn.recall for turn in turns)
    right, size = sum(turn.right_count for turn in turns), sum(turn.answer_count for turn in turns)
    found, wanted = sum(turn.gold_found_count for turn in turns), sum(turn.gold_count for turn in turns)
    micro_precision, micro_recall = right / size if size else 0.0, found / wanted if wanted else 0.0
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
    """Return what a turn is worth to who has to rely on the system: right 1, silent 0, wrong -1."""
    if turn.is_exact:
        return 1
    return -1 if turn.is_answered else 0


def select_answerable(turns: Iterable[TurnScore]) -> list[TurnScore]:
    """Return the turns of the headline: those with gold."""
    return [turn for turn in turns if turn.is_answerable]


def select_answered(turns: Iterable[TurnScore]) -> list[TurnScore]:
    """Return the turns with gold to which something was said: all that Chatty-KG's in-run score counts."""
    return [turn for turn in turns if turn.is_answerable and turn.is_answered]


def select_follow_ups(turns: Iterable[TurnScore]) -> list[TurnScore]:
    """Return the turns with gold after the first of their dialogue, which alone ConvQuestions' scores count."""
    return [turn for turn in turns if turn.is_answerable and turn.gold.position > 1]
