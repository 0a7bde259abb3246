"""Exports an evaluation: one JSON object for all systems, and a CSV file with a line per question and system."""

from __future__ import annotations

import csv
import io
from typing import Any

from chattyshared.figures import round_to_json, values_to_json
from chattyshared.formats.table import join_list, protect_cell

from chattykg.evaluation.comparison import ConditionEffect, EvaluationSet, PairedComparison
from chattykg.evaluation.error_analysis import failure_stage_of
from chattykg.evaluation.external_metrics import order_ndcg
from chattykg.evaluation.metrics import MEASURES, SystemAnswer, TurnScore
from chattykg.evaluation.scorecard import DIGITS, Scorecard


def evaluation_to_json(evaluation: EvaluationSet) -> dict[str, Any]:
    """Return the figures: one flat object for one system, ``systems``, ``contests`` and ``effects`` for several."""
    systems = [values_to_json(card.values, DIGITS) for card in evaluation.scorecards]
    if len(systems) == 1:
        twin = {"twin": values_to_json(evaluation.twin, DIGITS)} if evaluation.twin else {}
        return systems[0] | twin
    return {
        "gold": str(evaluation.gold.path),
        "systems": systems,
        "contests": [round_to_json(_comparison_to_json(each), DIGITS) for each in evaluation.comparisons],
        "effects": [round_to_json(_effect_to_json(each), DIGITS) for each in evaluation.effects],
    }


def _comparison_to_json(comparison: PairedComparison) -> dict[str, Any]:
    test = comparison.test
    return {
        "first": comparison.first, "second": comparison.second, "n": test.n, "f1_difference": test.difference,
        "interval": test.interval, "p": test.p, "least_p": test.least_p, "even": comparison.ties,
        "won": list(map(_pair_to_json, comparison.wins)), "lost": list(map(_pair_to_json, comparison.losses)),
    }  # fmt: skip


def _pair_to_json(pair: tuple[TurnScore, TurnScore]) -> dict[str, Any]:
    first, second = pair
    return {"id": first.gold.id, "question": first.gold.question, "first": first.f1, "second": second.f1}


def _effect_to_json(effect: ConditionEffect) -> dict[str, Any]:
    comparison = effect.comparison
    return {
        "condition": effect.condition, "easier": comparison.first, "harder": comparison.second,
        "f1_easier": effect.f1_easier, "f1_harder": effect.f1_harder, "interval": effect.interval,
        "p": comparison.test.p, "better": len(comparison.wins), "worse": len(comparison.losses),
        "kept": effect.retained_percent,
    }  # fmt: skip


_OF_THE_ANSWER = (
    "confidence", "seconds", "queries", "model_calls", "prompt_tokens", "completion_tokens", "sparql", "given_answers",
)  # fmt: skip


def turn_to_row(card: Scorecard, turn: TurnScore) -> dict[str, Any]:
    """Return the scores of a turn, by the heads of the columns of a table."""
    gold, answer = turn.gold, turn.answer or SystemAnswer()
    is_wrong = turn.is_answerable and not turn.is_exact
    line = card.system.lines.get(gold.id) or answer.line
    row = {
        "system": card.name, "id": gold.id, "dialogue": gold.dialogue, "turn": gold.position,
        "question": gold.question, "form": gold.form, "link": gold.link, "answer_type": gold.answer_type,
        "lang": gold.lang, "kg": gold.kg, "answerable": turn.is_answerable, "answered": turn.is_answered,
        **{name: MEASURES[name](turn) for name in ("precision", "recall", "f1", "exact", "p_at_1")},
        "reciprocal_rank": MEASURES["mrr"](turn), "trust": MEASURES["trust"](turn),
        "ndcg": order_ndcg(turn) if gold.is_ordered else None,
        "failure": failure_stage_of(turn, has_error=bool(line.error)) if is_wrong else "",
        "confidence": line.confidence, "seconds": line.seconds, "queries": line.queries,
        "model_calls": line.usage.calls, "prompt_tokens": line.usage.prompt_tokens,
        "completion_tokens": line.usage.completion_tokens, "sparql": line.sparql,
        "gold_answers": [element.text for element in gold.elements],
        "given_answers": [element.text for element in answer.elements],
    }  # fmt: skip
    return row if turn.answer else row | dict.fromkeys(_OF_THE_ANSWER)


def evaluation_to_csv(evaluation: EvaluationSet) -> str:
    """Return the scores of every turn of every system as CSV (RFC 4180, but lines end with a line feed)."""
    rows = [turn_to_row(card, turn) for card in evaluation.scorecards for turn in card.turns]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    """Return a value for a cell: a text on one line, quoted if a spreadsheet would take it for a formula."""
    if isinstance(value, list):
        value = join_list(value)
    if isinstance(value, str):
        return protect_cell(" ".join(value.split()))
    return int(value) if isinstance(value, bool) else round(value, DIGITS) if isinstance(value, float) else value
