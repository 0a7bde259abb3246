"""Figures for programs: one JSON object for all systems, and a CSV file with a line per question and system."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from chattykg.evaluation.aggregate_metrics import trust_score
from chattykg.evaluation.comparison import ConditionEffect, PairedComparison
from chattykg.evaluation.error_analysis import failure_stage_of
from chattykg.evaluation.evaluate import EvaluationSet
from chattykg.evaluation.external_metrics import order_ndcg
from chattykg.evaluation.metrics import TurnScore
from chattykg.evaluation.ranking_metrics import reciprocal_rank
from chattykg.evaluation.report import scores_to_json
from chattykg.evaluation.scorecard import Scorecard

CSV_COLUMNS = (
    "system", "id", "dialogue", "turn", "question", "form", "link", "answer_type", "lang", "kg", "answerable",
    "answered", "precision", "recall", "f1", "exact", "p_at_1", "reciprocal_rank", "trust", "ndcg", "failure",
    "confidence", "seconds", "queries", "model_calls", "prompt_tokens", "completion_tokens", "sparql",
)  # fmt: skip


def evaluation_to_json(bench: EvaluationSet) -> dict[str, Any]:
    """Return the figures: of one system as one flat object, of several as ``systems``, ``contests`` and ``effects``."""
    if len(bench.scorecards) == 1:
        return scorecard_to_json(bench.scorecards[0])
    return {
        "gold": str(bench.gold),
        "systems": [_condition(sheet) | scorecard_to_json(sheet) for sheet in bench.scorecards],
        "contests": list(map(_contest, bench.comparisons)),
        "effects": list(map(_effect, bench.effects)),
    }


def scorecard_to_json(sheet: Scorecard) -> dict[str, Any]:
    """Return the figures of one system: those of the headline under their old names, and all others."""
    of_groups = {
        f"by_{by}": {name: {"n": group.n, "f1": round(group.f1, 6)} for name, group in found.items()}
        for by, found in sheet.groups.items()
    }
    return _rounded({
        **scores_to_json(sheet.scores),
        **{key: value for key, value in sheet.headline.to_json().items() if key not in ("n", "trust")},
        "trust": sheet.with_empty_gold.trust,
        "with_empty_gold": sheet.with_empty_gold.to_json(),
        "answered_only": sheet.answered_only.to_json(),
        "follow_ups_only": sheet.follow_ups_only.to_json(),
        "rows": asdict(sheet.table_metrics),
        "text2sparql": {
            "official": sheet.text2sparql_official.to_json(),
            "official_without_empty_gold": sheet.text2sparql_without_empty_gold.to_json(),
            "corrected": sheet.text2sparql_corrected.to_json(),
        },
        "triad": sheet.triad.to_json(),
        "linking": asdict(sheet.linking_recall),
        "failures": dict(sheet.failures),
        "intervals": {name: [found.low, found.high] for name, found in sheet.intervals.items()},
        "risk_coverage": asdict(sheet.risk_coverage) if sheet.risk_coverage else None,
        "seconds_per_stage": asdict(sheet.costs.stages),
        "queries": sheet.costs.queries,
        **of_groups,
    })  # fmt: skip


def evaluation_to_csv(bench: EvaluationSet) -> str:
    """Return the scores of every turn of every system as CSV (RFC 4180, but lines end with a line feed alone)."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for sheet in bench.scorecards:
        writer.writerows(_line(sheet, turn) for turn in sheet.turns)
    return written.getvalue()


def _line(sheet: Scorecard, turn: TurnScore) -> Iterable[Any]:
    gold, said = turn.gold, turn.answer
    failed = turn.is_answerable and not turn.is_exact
    yield from (sheet.name, gold.id, gold.dialogue, gold.position, _plain(gold.question), gold.form, gold.link)
    yield from (gold.answer_type, gold.lang, gold.kg, int(turn.is_answerable), int(turn.is_answered))
    yield from (round(turn.precision, 6), round(turn.recall, 6), round(turn.f1, 6), int(turn.is_exact))
    yield from (int(turn.is_first_right), round(reciprocal_rank(turn.first_right_rank), 6), trust_score(turn))
    yield round(order_ndcg(turn), 6) if gold.is_ordered else ""
    yield failure_stage_of(turn, has_error=gold.id in sheet.system.failed_ids) if failed else ""
    if said is None:
        yield from [""] * 7
        return
    yield from (said.confidence, said.seconds, said.queries)
    yield from (said.usage.calls, said.usage.prompt_tokens, said.usage.completion_tokens, _plain(said.sparql))


def _plain(text: str) -> str:
    """Write a text on one line; a spreadsheet would take one that begins like a formula for one."""
    line = " ".join(text.split())
    return f"'{line}" if line[:1] in ("=", "+", "-", "@") else line


def _condition(sheet: Scorecard) -> dict[str, Any]:
    system = sheet.system
    return {
        "name": sheet.name,
        "file": str(system.path),
        "model": system.model,
        "history": system.history,
        "wording": system.wording,
    }


def _contest(contest: PairedComparison) -> dict[str, Any]:
    test = contest.test
    return _rounded({
        "first": contest.first,
        "second": contest.second,
        "n": test.n,
        "f1_difference": test.difference,
        "interval": [test.interval.low, test.interval.high],
        "p": test.p,
        "even": contest.ties,
        "won": list(map(_pair, contest.wins)),
        "lost": list(map(_pair, contest.losses)),
    })  # fmt: skip


def _pair(pair: tuple[TurnScore, TurnScore]) -> dict[str, Any]:
    one, other = pair
    return {"id": one.gold.id, "question": one.gold.question, "first": one.f1, "second": other.f1}


def _effect(effect: ConditionEffect) -> dict[str, Any]:
    interval = [effect.interval.low, effect.interval.high] if effect.interval else None
    return _rounded(asdict(effect) | {"kept": effect.retained_percent, "interval": interval})


def _rounded(found: Mapping[str, Any]) -> dict[str, Any]:
    """Round the figures of an object to six places."""
    return {name: _round(part) for name, part in found.items()}


def _round(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _rounded(value)
    if isinstance(value, list | tuple):
        return [_round(part) for part in value]
    return round(value, 6) if isinstance(value, float) else value
