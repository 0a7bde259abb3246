"""Figures of one or more systems as text: one column a system, one row a figure; below it, who won what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from chattykg.evaluation.comparison import ConditionEffect, PairedComparison
from chattykg.evaluation.error_analysis import FAILURE_STAGES
from chattykg.evaluation.evaluate import EvaluationSet
from chattykg.evaluation.risk_coverage import RiskCoverageCurve
from chattykg.evaluation.scorecard import GROUPINGS, TIMED_STAGES, Scorecard

FigureRow = tuple[str, tuple[str, ...]]
"""A figure's name and its cells, one a system; a heading has no cells."""
LISTED_QUESTIONS = 8
"""How many questions won, and how many lost, are shown."""
SIGNIFICANCE_LEVEL = 0.05
"""The p-value from which a difference is put down to chance."""
CONFIDENCE_LEVELS = (0.3, 0.5, 0.7, 0.9)
"""The confidences at which coverage and risk are shown."""
GROUPING_TITLES = {
    "form": "F1 by form", "link": "F1 by link", "turn": "F1 by turn", "answer_type": "F1 by kind of answer",
    "triples": "F1 by triple patterns of the gold query", "lang": "F1 by language", "kg": "F1 by graph",
}  # fmt: skip
_NARROW = 8


def render_table(bench: EvaluationSet) -> str:
    """Return the figures of all systems side by side, with tests, questions won and lost, and costs of conditions.

    Of one system it returns what its plain table leaves out.
    """
    sheets, several = bench.scorecards, len(bench.scorecards) > 1
    rows = [*(_headline(sheets) if several else ()), *_rates(sheets), *_peers(sheets), *_stages(sheets)]
    rows += [*_confidence(sheets), *_costs(sheets), *_groups(sheets, skip=() if several else ("form", "link", "turn"))]
    parts = [_aligned([one.name for one in sheets] if several else [], rows)]
    parts.append("\n".join(map(render_effect, bench.effects)))
    parts += [_contest(contest) for contest in bench.comparisons]
    return "\n\n".join(part for part in parts if part)


def render_effect(effect: ConditionEffect) -> str:
    """Say in one line what a condition costs, how surely, and whether there is a cost at all."""
    kept = "-" if effect.retained_percent is None else f"{effect.retained_percent:.1f} %"
    range_ = effect.interval
    sure = f" (95 % interval {range_.low:.1f} to {range_.high:.1f} %)" if range_ else ""
    drop = f"F1 {effect.f1_easier:.3f} ({effect.easier}) -> {effect.f1_harder:.3f} ({effect.harder})"
    turns = f"{effect.harder} is better on {effect.better} turns and worse on {effect.worse}"
    return f"{effect.condition}: {drop}, {kept} kept{sure}; {turns}, permutation p = {effect.p:.4f}{_verdict(effect)}"


def _verdict(effect: ConditionEffect) -> str:
    """Say what a percentage does not show: a difference within chance, or more than all."""
    if effect.p >= SIGNIFICANCE_LEVEL:
        return ": no difference beyond chance"
    if effect.retained_percent is not None and effect.retained_percent > 100:
        return ": the run that should be harder is better, so this is no cost; see the turns that differ"
    return ""


def render_comparison(contest: PairedComparison) -> str:
    """Say in one line who is better, and how surely."""
    test = contest.test
    return (
        f"{contest.second} against {contest.first}: F1 {test.difference:+.3f} "
        f"(95 % interval {test.interval.low:+.3f} to {test.interval.high:+.3f}), permutation p = {test.p:.4f}; "
        f"won {len(contest.wins)}, lost {len(contest.losses)}, even {contest.ties} of {test.n}"
    )


def _contest(contest: PairedComparison) -> str:
    lines = [render_comparison(contest)]
    for said, pairs in (("won", contest.wins), ("lost", contest.losses)):
        for one, other in pairs[:LISTED_QUESTIONS]:
            lines.append(f"  {said:<5}{one.f1:.2f} -> {other.f1:.2f}  {one.gold.id}  {_short(one.gold.question)}")
        if len(pairs) > LISTED_QUESTIONS:
            lines.append(f"  {said:<5}and {len(pairs) - LISTED_QUESTIONS} more (--csv has all)")
    return "\n".join(lines)


def _short(question: str) -> str:
    words = " ".join(question.split())
    return words if len(words) <= 80 else f"{words[:79].rstrip()}…"


def _aligned(heads: Sequence[str], rows: Sequence[FigureRow]) -> str:
    left = max(len(name) for name, _ in rows) + 2
    count = max(len(cells) for _, cells in rows)
    widths = [
        max(_NARROW, *(len(cells[place]) for _, cells in rows if cells), len(heads[place]) if heads else 0)
        for place in range(count)
    ]
    lines = [_line("", heads, left, widths)] if heads else []
    for name, cells in rows:
        lines.append(_line(f"  {name}", cells, left, widths) if cells else f"\n{name}")
    return "\n".join(line.rstrip() for line in lines).lstrip("\n")


def _line(name: str, cells: Sequence[str], left: int, widths: Sequence[int]) -> str:
    return f"{name:<{left}}  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _each(name: str, sheets: Sequence[Scorecard], cell: Callable[[Scorecard], float | str | None]) -> FigureRow:
    """Return a row; numbers get three places, what is not there a dash."""
    cells = (cell(one) for one in sheets)
    return name, tuple("-" if c is None or c == "" else c if isinstance(c, str) else f"{c:.3f}" for c in cells)


def _headline(sheets: Sequence[Scorecard]) -> Iterator[FigureRow]:
    for name, made in (("model", "model"), ("history", "history"), ("wording", "wording")):
        if any(one.system.manifest.get(made) for one in sheets):
            yield _each(name, sheets, lambda one, made=made: str(one.system.manifest.get(made, "")))  # type: ignore[misc]
    yield _each("F1", sheets, lambda one: one.scores.f1)
    yield _each("F1, QALD macro", sheets, lambda one: one.scores.f1_qald_macro)
    yield _each("precision", sheets, lambda one: one.scores.precision)
    yield _each("recall", sheets, lambda one: one.scores.recall)
    yield _each("P@1", sheets, lambda one: one.scores.p_at_1)
    yield _each("answered", sheets, lambda one: f"{one.scores.answered:.1%}")
    yield _each("false answers", sheets, lambda one: f"{one.scores.false_answers:.1%}" if _unanswerable(one) else None)
    yield _each("questions (unanswerable)", sheets, lambda one: f"{one.scores.questions} ({_unanswerable(one)})")
    yield _each("without an answer line", sheets, lambda one: str(one.scores.missing))


def _rates(sheets: Sequence[Scorecard]) -> Iterator[FigureRow]:
    yield "more measures, over the turns with gold", ()
    for name, key in (("F1, 95 % interval", "f1"), ("F1, QALD macro, 95 % interval", "f1_qald_macro")):
        yield _each(name, sheets, lambda one, key=key: render_interval(one, key))  # type: ignore[misc]
    yield _each("exact match", sheets, lambda one: one.headline.exact)
    yield _each("F1, micro (all elements together)", sheets, lambda one: one.headline.f1_micro)
    yield _each("F1, answered turns only", sheets, lambda one: one.answered_only.f1)
    yield _each("F1, follow-ups only", sheets, lambda one: one.follow_ups_only.f1 if one.follow_ups_only.n else None)
    yield _each("P@1, ties share a rank", sheets, lambda one: one.headline.p_at_1_tied)
    yield _each("MRR, ties share a rank", sheets, lambda one: one.headline.mrr)
    yield _each("Hit@5, ties share a rank", sheets, lambda one: one.headline.hit_at_5)
    yield _each("rows assigned, extra columns forgiven", sheets, lambda one: one.table_metrics.assigned)
    if any(one.table_metrics.tables for one in sheets):
        yield _each("rows assigned, tables only", sheets, lambda one: one.table_metrics.tables_assigned)
        yield _each("rows identical, tables only", sheets, lambda one: one.table_metrics.tables_exact)
        yield _each("tables", sheets, lambda one: str(one.table_metrics.tables))


def _peers(sheets: Sequence[Scorecard]) -> Iterator[FigureRow]:
    yield "over all turns, those with empty gold as well", ()
    yield _each("F1", sheets, lambda one: one.with_empty_gold.f1)
    yield _each("F1, QALD macro", sheets, lambda one: one.with_empty_gold.f1_qald_macro)
    yield _each("trustworthiness (-1 to 1)", sheets, lambda one: one.with_empty_gold.trust)
    yield _each("TEXT2SPARQL F, official", sheets, lambda one: one.text2sparql_official.f)
    if any(one.text2sparql_official.n != one.text2sparql_without_empty_gold.n for one in sheets):
        yield _each("TEXT2SPARQL F, official, empty gold out", sheets, lambda one: one.text2sparql_without_empty_gold.f)
    yield _each("TEXT2SPARQL F, corrected", sheets, lambda one: one.text2sparql_corrected.f)
    if any(one.text2sparql_official.ordered for one in sheets):
        yield _each("TEXT2SPARQL F with nDCG, official", sheets, lambda one: one.text2sparql_official.f_ndcg)
        yield _each("TEXT2SPARQL F with nDCG, corrected", sheets, lambda one: one.text2sparql_corrected.f_ndcg)
        yield _each("nDCG, official (blind to order)", sheets, lambda one: one.text2sparql_official.ndcg)
        yield _each("nDCG, corrected", sheets, lambda one: one.text2sparql_corrected.ndcg)
    yield _each("F1 as Triad counts", sheets, lambda one: one.triad.f1)


def _stages(sheets: Sequence[Scorecard]) -> Iterator[FigureRow]:
    if any(one.linking_recall.vertices_n or one.linking_recall.predicates_n for one in sheets):
        yield "linking: share of what the gold query names", ()
        yield _each("vertices among the candidates", sheets, lambda one: one.linking_recall.candidates)
        yield _each("vertices chosen", sheets, lambda one: one.linking_recall.vertices)
        yield _each("predicates chosen", sheets, lambda one: one.linking_recall.predicates)
    found = [stage for stage in FAILURE_STAGES if any(stage in one.failures for one in sheets)]
    if found:
        yield "turns not wholly right, by the first stage that failed", ()
    for stage in found:
        yield _each(stage, sheets, lambda one, stage=stage: str(one.failures.get(stage, 0)))  # type: ignore[misc]


def _confidence(sheets: Sequence[Scorecard]) -> Iterator[FigureRow]:
    if not any(one.risk_coverage for one in sheets):
        return
    yield "answers at least so sure: coverage / risk", ()
    for sure in CONFIDENCE_LEVELS:
        yield _each(f"{sure:.1f}", sheets, lambda one, sure=sure: _at(one.risk_coverage, sure))  # type: ignore[misc]
    yield _each(
        "area under the curve (0 best)", sheets, lambda one: one.risk_coverage.area if one.risk_coverage else None
    )


def _costs(sheets: Sequence[Scorecard]) -> Iterator[FigureRow]:
    yield "costs", ()
    yield _each("model calls", sheets, lambda one: f"{one.costs.usage.calls:,}")
    yield _each("prompt tokens", sheets, lambda one: f"{one.costs.usage.prompt_tokens:,}")
    yield _each("completion tokens", sheets, lambda one: f"{one.costs.usage.completion_tokens:,}")
    yield _each("tokens estimated", sheets, lambda one: "yes" if one.costs.usage.estimated else "no")
    yield _each("price, US dollars", sheets, lambda one: _usd(one.costs.usage.usd))
    yield _each("queries", sheets, lambda one: f"{one.costs.queries:,}")
    candidates = [one.scores.candidate_queries_per_question for one in sheets]
    if any(mean is not None for mean in candidates):
        yield "candidate queries per question", tuple("-" if mean is None else f"{mean:.1f}" for mean in candidates)
    yield _each("seconds", sheets, lambda one: f"{one.costs.seconds:,.1f}")
    for stage in TIMED_STAGES:
        name = f"milliseconds per question: {stage}"
        yield _each(name, sheets, lambda one, stage=stage: f"{1000 * getattr(one.costs.stages, stage):.1f}")  # type: ignore[misc]


def _groups(sheets: Sequence[Scorecard], skip: Sequence[str]) -> Iterator[FigureRow]:
    for by, _ in GROUPINGS:
        found = list(dict.fromkeys(name for one in sheets for name in one.groups[by]))
        if len(found) < 2 or by in skip:
            continue  # one group is the whole
        yield f"{GROUPING_TITLES[by]} (number of turns)", ()
        for name in found:
            groups = [one.groups[by].get(name) for one in sheets]
            yield name, tuple(f"{group.f1:.3f} ({group.n})" if group else "-" for group in groups)


def render_interval(one: Scorecard, key: str) -> str:
    """Return an interval as ``low - high``; a dash where there is none."""
    found = one.intervals.get(key)
    return f"{found.low:.3f} - {found.high:.3f}" if found else "-"


def _at(curve: RiskCoverageCurve | None, sure: float) -> str | None:
    points = [point for point in curve.points if point.confidence >= sure] if curve else []
    if not points:
        return "0.0% / -" if curve else None
    return f"{points[-1].coverage:.1%} / {points[-1].risk:.1%}"


def _unanswerable(one: Scorecard) -> int:
    return one.scores.unanswerable


def _usd(usd: float | None) -> str | None:
    return None if usd is None else f"{usd:.4f}"
