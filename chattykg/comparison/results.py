"""The tables of a comparison: systems, types of questions, benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from chattyshared.sparql.analysis import parse_query_terms

from chattygen.stats import compute_figures, open_source
from chattykg.comparison.plan import Cell
from chattykg.evaluation.evaluate import EvaluationSet
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.significance import correct_for_tests

Row = dict[str, Any]
"""The values of one line by the heads of their columns; None: there is none."""
Scored = tuple[Sequence[Cell], EvaluationSet]
"""The cells of one graph in the order of their scorecards."""


def system_rows(scored: Sequence[Scored], baseline: str) -> list[Row]:
    """Return a line for each system on each graph, with its test against the baseline if that is the first."""
    rows = []
    for cells, evaluation in scored:
        comparisons = evaluation.comparisons if cells[0].name == baseline else ()
        tests = (None, *(comparison.test for comparison in comparisons), *[None] * len(cells))
        rows += [
            _system_row(cell, card) | {"difference": test and test.difference, "p": test and test.p, "p, Holm": None}
            for cell, card, test in zip(cells, evaluation.scorecards, tests, strict=False)
        ]
    tested = [row for row in rows if row["p"] is not None]
    for row, corrected in zip(tested, correct_for_tests([row["p"] for row in tested]), strict=True):
        row["p, Holm"] = corrected
    return rows


def _system_row(cell: Cell, card: Scorecard) -> Row:
    interval, costs = card.intervals.get("f1"), card.costs
    return {
        "graph": cell.graph, "system": cell.name, "n": card.headline.n, "F1": card.scores.f1,
        "interval": [interval.low, interval.high] if interval else None, "P@1": card.scores.p_at_1,
        "answered": card.scores.answered, "trust": card.with_empty_gold.trust,
        "false answers": card.scores.false_answers if card.scores.unanswerable else None,
        "errors": len(card.failed_ids), "calls": costs.usage.calls,
        "tokens": costs.usage.prompt_tokens + costs.usage.completion_tokens, "USD": costs.usage.usd,
        "queries": costs.queries, "seconds": costs.seconds,
    }  # fmt: skip


def question_rows(scored: Sequence[Scored]) -> Iterator[Row]:
    """Yield the solved and all questions by type and length, as Table 8 of Chatty-KG's paper does."""
    for cell, card in ((*pair,) for cells, scores in scored for pair in zip(cells, scores.scorecards, strict=True)):
        golds = [turn.gold for turn in card.headline_turns]
        predicates = [len(terms.predicates) for gold in golds if (terms := parse_query_terms(gold.sparql))]
        groups = {**card.groups["question_type"], **card.groups["length"]}
        solved = {name: f"{group.solved}/{group.n}" for name, group in groups.items()}
        yield {
            "graph": cell.graph, "system": cell.name,
            **{name: solved.get(name) for name in ("factoid", "count", "boolean", "short", "medium", "long")},
            "words": fmean(len(gold.question.split()) for gold in golds) if golds else None,
            "predicates": fmean(predicates) if predicates else None,
        }  # fmt: skip


def benchmark_row(cell: Cell) -> Row:
    """Return the outcome and the costs of a generated benchmark, as Table 4 of Chatty-Gen's paper does.

    Raises:
        ConfigError, BenchmarkInvalid: a file of the run cannot be read.
    """
    figures = compute_figures(open_source(cell.output))
    costs, seeds = figures.costs, figures.costs.seeds
    return {
        "graph": cell.graph, "benchmark": cell.name, "dialogues": figures.talk.dialogues,
        "success": seeds and seeds.success,
        "errors": seeds and ", ".join(f"{kind} {count}" for kind, count in seeds.errors.items),
        "calls": costs.calls, "tokens": costs.prompt_tokens + costs.completion_tokens, "USD": costs.usd,
        "seconds": costs.timing and costs.timing.seconds,
    }  # fmt: skip
