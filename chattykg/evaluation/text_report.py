"""The figures of one or more systems as text: one column a system, one row a figure, and the paired comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chattyshared.text import FigureRow, render_figures

from chattykg.evaluation.comparison import ConditionEffect, EvaluationSet, PairedComparison
from chattykg.evaluation.error_analysis import FAILURE_STAGES
from chattykg.evaluation.memorization import render_memorization
from chattykg.evaluation.reliability import SURE_CONFIDENCE, Reliability, RiskCoverageCurve
from chattykg.evaluation.scorecard import GROUPINGS, TIMED_STAGES, Scorecard

LISTED_QUESTIONS = 8
"""How many questions won, and how many lost, are shown."""
SIGNIFICANCE_LEVEL = 0.05
"""The p-value from which a difference is reported as chance; the usual level of the field."""
CONFIDENCE_LEVELS = (0.3, 0.5, 0.7, 0.9)
"""The confidences at which coverage and risk are shown."""
GROUPING_TITLES = {
    "form": "F1 by form", "link": "F1 by link", "turn": "F1 by turn", "answer_type": "F1 by kind of answer",
    "question_type": "F1 by type of question", "length": "F1 by length of question",
    "triples": "F1 by triple patterns of the gold query", "lang": "F1 by language", "kg": "F1 by graph",
    "seed_class": "F1 by class of the seed", "seed_band": "F1 by triples of the seed",
    "predicate_band": "F1 by the rarest predicate of the gold query",
}  # fmt: skip


def render_table(evaluation: EvaluationSet) -> str:
    """Return the figures of all systems side by side, the costs of conditions, and the questions won and lost.

    For one system it returns only what ``report.render_scores`` leaves out.
    """
    cards, several = evaluation.scorecards, len(evaluation.scorecards) > 1
    rows = [
        *(_headline_rows(cards) if several else ()),
        *_rate_rows(cards),
        *_external_rows(cards),
        *_candidate_rows(cards),
        *_stage_rows(cards),
        *_confidence_rows(cards),
        *_cost_rows(cards),
        *_group_rows(cards, skip=() if several else ("form", "link", "turn")),
    ]
    figures = render_figures([card.name for card in cards] if several else [], rows)
    effects = "\n".join(map(render_effect, evaluation.effects))
    twin = render_memorization(evaluation.memorization) if evaluation.memorization else ""
    parts = [twin, "\n".join(figures).lstrip("\n"), effects, *map(_comparison, evaluation.comparisons)]
    return "\n\n".join(part for part in parts if part)


def render_effect(effect: ConditionEffect) -> str:
    """Return one line on the cost of a condition, with its interval and p-value."""
    retained = "-" if effect.retained_percent is None else f"{effect.retained_percent:.1f} %"
    interval = effect.interval
    spread = f" (95 % interval {interval.low:.1f} to {interval.high:.1f} %)" if interval else ""
    drop = f"F1 {effect.f1_easier:.3f} ({effect.easier}) -> {effect.f1_harder:.3f} ({effect.harder})"
    turns = f"{effect.harder} is better on {effect.better} turns and worse on {effect.worse}"
    test = f"permutation p = {effect.p:.4f}{_verdict(effect)}"
    return f"{effect.condition}: {drop}, {retained} kept{spread}; {turns}, {test}"


def _verdict(effect: ConditionEffect) -> str:
    """Return what a percentage does not show: a difference within chance, or a gain."""
    if effect.p >= SIGNIFICANCE_LEVEL:
        return ": no difference beyond chance"
    if effect.retained_percent is not None and effect.retained_percent > 100:
        return ": the run that should be harder is better, so this is no cost; see the turns that differ"
    return ""


def render_comparison(comparison: PairedComparison) -> str:
    """Return one line on which system is better, with the interval and the p-value."""
    test = comparison.test
    return (
        f"{comparison.second} against {comparison.first}: F1 {test.difference:+.3f} "
        f"(95 % interval {test.interval.low:+.3f} to {test.interval.high:+.3f}), permutation p = {test.p:.4f}; "
        f"won {len(comparison.wins)}, lost {len(comparison.losses)}, even {comparison.ties} of {test.n}"
    )


def _comparison(comparison: PairedComparison) -> str:
    lines = [render_comparison(comparison)]
    for outcome, pairs in (("won", comparison.wins), ("lost", comparison.losses)):
        for first, second in pairs[:LISTED_QUESTIONS]:
            lines.append(
                f"  {outcome:<5}{first.f1:.2f} -> {second.f1:.2f}  {first.gold.id}  {_short(first.gold.question)}"
            )
        if len(pairs) > LISTED_QUESTIONS:
            lines.append(f"  {outcome:<5}and {len(pairs) - LISTED_QUESTIONS} more (--csv has all)")
    return "\n".join(lines)


def _short(question: str) -> str:
    words = " ".join(question.split())
    return words if len(words) <= 80 else f"{words[:79].rstrip()}…"


def _row(name: str, values: Iterable[float | str | None]) -> FigureRow:
    """Return a row; numbers get three decimals, and what is not there a dash."""
    cells = (f"{value:.3f}" if isinstance(value, (int, float)) else value or "-" for value in values)
    return f"  {name}", tuple(cells)


def _headline_rows(cards: Sequence[Scorecard]) -> Iterator[FigureRow]:
    for key in ("model", "history", "wording"):
        if any(card.system.manifest.get(key) for card in cards):
            yield _row(key, [str(card.system.manifest.get(key, "")) for card in cards])
    if any(card.system.switches for card in cards):
        yield _row("switches", [card.system.switches or "none" for card in cards])
    yield _row("F1", [card.scores.f1 for card in cards])
    yield _row(
        "false answers", [f"{card.scores.false_answers:.1%}" if card.scores.unanswerable else None for card in cards]
    )
    yield _row("F1, QALD macro", [card.scores.f1_qald_macro for card in cards])
    yield _row("precision", [card.scores.precision for card in cards])
    yield _row("recall", [card.scores.recall for card in cards])
    yield _row("P@1", [card.scores.p_at_1 for card in cards])
    yield _row("answered", [f"{card.scores.answered:.1%}" for card in cards])
    if any(card.scores.remembered.n for card in cards):
        remembered = [card.scores.remembered for card in cards]
        yield _row("from memory, apart (F1)", [f"{each.n} ({each.f1:.3f})" if each.n else None for each in remembered])
    yield _row("questions (unanswerable)", [f"{card.scores.questions} ({card.scores.unanswerable})" for card in cards])
    yield _row("without an answer line", [str(card.scores.missing) for card in cards])


def _rate_rows(cards: Sequence[Scorecard]) -> Iterator[FigureRow]:
    if any(card.system.experience for card in cards):
        yield _row("experience", [card.system.experience or "none" for card in cards])
    yield "more measures, over the turns with gold", ()
    for name, key in (("F1, 95 % interval", "f1"), ("F1, QALD macro, 95 % interval", "f1_qald_macro")):
        yield _row(name, [render_interval(card, key) for card in cards])
    yield _row("exact match", [card.headline.exact for card in cards])
    yield _row("F1, micro (all elements together)", [card.headline.f1_micro for card in cards])
    yield _row("F1, answered turns only", [card.answered_only.f1 for card in cards])
    yield _row("F1, follow-ups only", [card.follow_ups_only.f1 if card.follow_ups_only.n else None for card in cards])
    yield _row("P@1, ties share a rank", [card.headline.p_at_1_tied for card in cards])
    yield _row("MRR, ties share a rank", [card.headline.mrr for card in cards])
    yield _row("Hit@5, ties share a rank", [card.headline.hit_at_5 for card in cards])
    yield _row("rows assigned, extra columns forgiven", [card.table_metrics.assigned for card in cards])
    if any(card.table_metrics.tables for card in cards):
        yield _row("rows assigned, tables only", [card.table_metrics.tables_assigned for card in cards])
        yield _row("rows identical, tables only", [card.table_metrics.tables_exact for card in cards])
        yield _row("tables", [str(card.table_metrics.tables) for card in cards])


def _external_rows(cards: Sequence[Scorecard]) -> Iterator[FigureRow]:
    yield "over all turns, those with empty gold as well", ()
    yield _row("F1", [card.with_empty_gold.f1 for card in cards])
    yield _row("F1, QALD macro", [card.with_empty_gold.f1_qald_macro for card in cards])
    yield _row("trustworthiness (-1 to 1)", [card.with_empty_gold.trust for card in cards])
    yield _row("TEXT2SPARQL F, official", [card.text2sparql_official.f for card in cards])
    if any(card.text2sparql_official.n != card.text2sparql_without_empty_gold.n for card in cards):
        yield _row("TEXT2SPARQL F, official, empty gold out", [card.text2sparql_without_empty_gold.f for card in cards])
    yield _row("TEXT2SPARQL F, corrected", [card.text2sparql_corrected.f for card in cards])
    if any(card.text2sparql_official.ordered for card in cards):
        yield _row("TEXT2SPARQL F with nDCG, official", [card.text2sparql_official.f_ndcg for card in cards])
        yield _row("TEXT2SPARQL F with nDCG, corrected", [card.text2sparql_corrected.f_ndcg for card in cards])
        yield _row("nDCG, official (blind to order)", [card.text2sparql_official.ndcg for card in cards])
        yield _row("nDCG, corrected", [card.text2sparql_corrected.ndcg for card in cards])
    yield _row("F1 as Triad counts", [card.triad.f1 for card in cards])


def _candidate_rows(cards: Sequence[Scorecard]) -> Iterator[FigureRow]:
    columns = [dict(card.candidates.rows()) if card.candidates else {} for card in cards]
    names = dict.fromkeys(name for column in columns for name in column)
    if names:
        yield "candidate queries, before -> after the filter", ()
    for name in names:
        yield _row(name, [column.get(name) for column in columns])


def _stage_rows(cards: Sequence[Scorecard]) -> Iterator[FigureRow]:
    if any(card.linking_recall.vertices_n or card.linking_recall.predicates_n for card in cards):
        yield "linking: share of what the gold query names", ()
        yield _row("vertices proposed", [card.linking_recall.candidates for card in cards])
        yield _row("vertices chosen", [card.linking_recall.vertices for card in cards])
        yield _row("predicates proposed", [card.linking_recall.predicate_candidates for card in cards])
        yield _row("predicates chosen", [card.linking_recall.predicates for card in cards])
    stages = [stage for stage in FAILURE_STAGES if any(stage in card.failures for card in cards)]
    if stages:
        yield "turns not wholly right, by the first stage that failed", ()
    for stage in stages:
        yield _row(stage, [str(card.failures.get(stage, 0)) for card in cards])


def _confidence_rows(cards: Sequence[Scorecard]) -> Iterator[FigureRow]:
    if not any(card.risk_coverage for card in cards):
        return
    yield "answers at least so sure: coverage / risk", ()
    for confidence in CONFIDENCE_LEVELS:
        yield _row(f"{confidence:.1f}", [_coverage_and_risk(card.risk_coverage, confidence) for card in cards])
    yield _row(
        "area under the curve (0 best)", [card.risk_coverage.area if card.risk_coverage else None for card in cards]
    )
    yield from _reliability_rows([card.reliability for card in cards])


def _reliability_rows(parts: Sequence[Reliability | None]) -> Iterator[FigureRow]:
    """Yield a row for each bin of confidence that any system uses, then the figures over all answers."""
    yield "reliability: answers right / mean confidence (number of answers)", ()
    bins = [{found.low: found for found in part.bins} if part else {} for part in parts]
    for low in sorted({low for system_bins in bins for low in system_bins}):
        found_bins = [system_bins.get(low) for system_bins in bins]
        cells = (f"{found.right:.3f} / {found.confidence:.3f} ({found.n})" if found else "-" for found in found_bins)
        yield f"  from {low:.1f}", tuple(cells)
    yield _row("ECE, expected calibration error (0 best)", [part.ece if part else None for part in parts])
    yield _row("AUROC, right answers before wrong ones", [part.auroc if part else None for part in parts])
    yield _row(
        f"precision at a confidence of {SURE_CONFIDENCE} and more",
        [part.sure_precision if part else None for part in parts],
    )


def _cost_rows(cards: Sequence[Scorecard]) -> Iterator[FigureRow]:
    prices = [card.costs.usage.usd for card in cards]
    yield "costs", ()
    yield _row("model calls", [f"{card.costs.usage.calls:,}" for card in cards])
    yield _row("prompt tokens", [f"{card.costs.usage.prompt_tokens:,}" for card in cards])
    yield _row("completion tokens", [f"{card.costs.usage.completion_tokens:,}" for card in cards])
    yield _row("tokens estimated", ["yes" if card.costs.usage.estimated else "no" for card in cards])
    yield _row("price, US dollars", [None if usd is None else f"{usd:.4f}" for usd in prices])
    yield _row("queries", [f"{card.costs.queries:,}" for card in cards])
    candidates = [card.scores.candidate_queries_per_question for card in cards]
    if any(mean is not None for mean in candidates):
        yield "  candidate queries per question", tuple("-" if mean is None else f"{mean:.1f}" for mean in candidates)
    yield _row("seconds", [f"{card.costs.seconds:,.1f}" for card in cards])
    for stage in TIMED_STAGES:
        name = f"milliseconds per question: {stage}"
        yield _row(name, [f"{1000 * getattr(card.costs.stages, stage):.1f}" for card in cards])


def _group_rows(cards: Sequence[Scorecard], skip: Sequence[str]) -> Iterator[FigureRow]:
    for grouping, _ in GROUPINGS:
        names = list(dict.fromkeys(name for card in cards for name in card.groups[grouping]))
        if len(names) < 2 or grouping in skip:
            continue  # one group is the same as all turns
        yield f"{GROUPING_TITLES[grouping]} (number of turns)", ()
        for name in names:
            groups = [card.groups[grouping].get(name) for card in cards]
            yield f"  {name}", tuple(f"{group.f1:.3f} ({group.n})" if group else "-" for group in groups)


def render_interval(card: Scorecard, key: str) -> str:
    """Return the interval of a measure (``f1``, ...) as ``low - high``, or a dash if there is none."""
    interval = card.intervals.get(key)
    return f"{interval.low:.3f} - {interval.high:.3f}" if interval else "-"


def _coverage_and_risk(curve: RiskCoverageCurve | None, confidence: float) -> str | None:
    points = [point for point in curve.points if point.confidence >= confidence] if curve else []
    if not points:
        return "0.0% / -" if curve else None
    return f"{points[-1].coverage:.1%} / {points[-1].risk:.1%}"
