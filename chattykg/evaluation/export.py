"""Exports an evaluation: one JSON object for all systems, and a CSV file with a line per question and system."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from chattyshared.formats.table import join_list, protect_cell

from chattykg.evaluation.comparison import ConditionEffect, EvaluationSet, PairedComparison
from chattykg.evaluation.error_analysis import failure_stage_of
from chattykg.evaluation.external_metrics import order_ndcg
from chattykg.evaluation.headline_report import round_figures, scores_to_json
from chattykg.evaluation.memorization import memorization_to_json
from chattykg.evaluation.metrics import TurnScore, reciprocal_rank, trust_score
from chattykg.evaluation.scorecard import Scorecard

CSV_COLUMNS = (
    "system", "id", "dialogue", "turn", "question", "form", "link", "answer_type", "lang", "kg", "answerable",
    "answered", "precision", "recall", "f1", "exact", "p_at_1", "reciprocal_rank", "trust", "ndcg", "failure",
    "confidence", "seconds", "queries", "model_calls", "prompt_tokens", "completion_tokens", "sparql",
    "gold_answers", "given_answers",
)  # fmt: skip


def evaluation_to_json(evaluation: EvaluationSet) -> dict[str, Any]:
    """Return the figures: one flat object for one system, ``systems``, ``contests`` and ``effects`` for several."""
    if len(evaluation.scorecards) == 1:
        figures, twin = scorecard_to_json(evaluation.scorecards[0]), evaluation.memorization
        return figures | ({"twin": round_figures(memorization_to_json(twin))} if twin else {})
    return {
        "gold": str(evaluation.gold),
        "systems": [_system_to_json(card) | scorecard_to_json(card) for card in evaluation.scorecards],
        "contests": list(map(_comparison_to_json, evaluation.comparisons)),
        "effects": list(map(_effect_to_json, evaluation.effects)),
    }


def scorecard_to_json(card: Scorecard) -> dict[str, Any]:
    """Return the figures of one system as a flat object, the headline first."""
    group_scores = {
        f"by_{grouping}": {name: asdict(group) for name, group in groups.items()}
        for grouping, groups in card.groups.items()
    }
    return round_figures({
        **scores_to_json(card.scores),
        **{key: value for key, value in asdict(card.headline).items() if key not in ("n", "trust")},
        "trust": card.with_empty_gold.trust,
        "with_empty_gold": asdict(card.with_empty_gold),
        "answered_only": asdict(card.answered_only),
        "follow_ups_only": asdict(card.follow_ups_only),
        "rows": asdict(card.table_metrics),
        "text2sparql": {
            "official": asdict(card.text2sparql_official),
            "official_without_empty_gold": asdict(card.text2sparql_without_empty_gold),
            "corrected": asdict(card.text2sparql_corrected),
        },
        "triad": asdict(card.triad),
        "linking": asdict(card.linking_recall),
        "failures": dict(card.failures),
        "intervals": {name: [interval.low, interval.high] for name, interval in card.intervals.items()},
        "risk_coverage": asdict(card.risk_coverage) if card.risk_coverage else None,
        "reliability": asdict(card.reliability) if card.reliability else None,
        **({"candidates": asdict(card.candidates)} if card.candidates else {}),
        "seconds_per_stage": asdict(card.costs.stages),
        "queries": card.costs.queries,
        **group_scores,
    })  # fmt: skip


def evaluation_to_csv(evaluation: EvaluationSet) -> str:
    """Return the scores of every turn of every system as CSV (RFC 4180, but lines end with a line feed)."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for card in evaluation.scorecards:
        writer.writerows(_csv_cells(card, turn) for turn in card.turns)
    return buffer.getvalue()


def _csv_cells(card: Scorecard, turn: TurnScore) -> Iterable[Any]:
    gold, answer = turn.gold, turn.answer
    is_wrong = turn.is_answerable and not turn.is_exact
    yield from (card.name, gold.id, gold.dialogue, gold.position, _one_line(gold.question), gold.form, gold.link)
    yield from (gold.answer_type, gold.lang, gold.kg, int(turn.is_answerable), int(turn.is_answered))
    yield from (round(turn.precision, 6), round(turn.recall, 6), round(turn.f1, 6), int(turn.is_exact))
    yield from (int(turn.is_first_right), round(reciprocal_rank(turn.first_right_rank), 6), trust_score(turn))
    yield round(order_ndcg(turn), 6) if gold.is_ordered else ""
    yield failure_stage_of(turn, has_error=gold.id in card.system.failed_ids) if is_wrong else ""
    gold_answers = _one_line(join_list(element.text for element in gold.elements))
    if answer is None:
        yield from (*[""] * 7, gold_answers, "")
        return
    yield from (answer.confidence, answer.seconds, answer.queries)
    yield from (answer.usage.calls, answer.usage.prompt_tokens, answer.usage.completion_tokens)
    yield from (_one_line(answer.sparql), gold_answers)
    yield _one_line(join_list(element.text for element in answer.elements))


def _one_line(text: str) -> str:
    """Return a text on one line; quote it if a spreadsheet would take it for a formula."""
    return protect_cell(" ".join(text.split()))


def _system_to_json(card: Scorecard) -> dict[str, Any]:
    system = card.system
    return {
        "name": card.name,
        "file": str(system.path),
        "model": system.model,
        "history": system.history,
        "wording": system.wording,
        **({"switches": system.switches} if system.switches else {}),
        **({"experience": system.experience} if system.experience else {}),
    }


def _comparison_to_json(comparison: PairedComparison) -> dict[str, Any]:
    test = comparison.test
    return round_figures({
        "first": comparison.first,
        "second": comparison.second,
        "n": test.n,
        "f1_difference": test.difference,
        "interval": [test.interval.low, test.interval.high],
        "p": test.p,
        "even": comparison.ties,
        "won": list(map(_pair_to_json, comparison.wins)),
        "lost": list(map(_pair_to_json, comparison.losses)),
    })  # fmt: skip


def _pair_to_json(pair: tuple[TurnScore, TurnScore]) -> dict[str, Any]:
    first, second = pair
    return {"id": first.gold.id, "question": first.gold.question, "first": first.f1, "second": second.f1}


def _effect_to_json(effect: ConditionEffect) -> dict[str, Any]:
    interval = [effect.interval.low, effect.interval.high] if effect.interval else None
    return round_figures(asdict(effect) | {"kept": effect.retained_percent, "interval": interval})
