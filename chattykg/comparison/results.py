"""The tables of a comparison: systems, types of questions, benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain, zip_longest
from statistics import fmean
from typing import Any

from chattyshared.sparql.analysis import parse_query_terms

from chattygen.stats import compute_figures, open_source
from chattykg.comparison.plan import Cell
from chattykg.evaluation.comparison import EvaluationSet
from chattykg.evaluation.evaluate import MISMATCH
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.significance import correct_for_tests

Row = dict[str, Any]
"""The values of one line by the heads of their columns; None: there is none."""
Scored = tuple[Sequence[Cell], EvaluationSet]
"""The cells of one graph in the order of their scorecards."""


def system_rows(scored: Sequence[Scored], baseline: str) -> list[Row]:
    """Return a line for each system on each graph, with its test against the baseline if that is the first."""
    rows: list[Row] = []
    for cells, evaluation in scored:
        tests = [comparison.test for comparison in evaluation.comparisons if cells[0].name == baseline]
        for cell, card, test in zip_longest(cells, evaluation.scorecards, [None, *tests]):
            interval, costs, memory = card.intervals.get("f1"), card.costs, card.scores.remembered
            rows.append({
                "graph": cell.graph, "system": cell.name, "n": card.headline.n, "F1": card.scores.f1,
                "interval": [interval.low, interval.high] if interval else None,
                "difference": test and test.difference, "p": test and test.p, "p, Holm": None,
                "P@1": card.scores.p_at_1, "answered": card.scores.answered, "trust": card.with_empty_gold.trust,
                "false answers": card.scores.false_answers if card.scores.unanswerable else None,
                "from memory": memory.n or None, "memory F1": memory.f1 if memory.n else None,
                "errors": len(card.failed_ids), "calls": costs.usage.calls,
                "tokens": costs.usage.prompt_tokens + costs.usage.completion_tokens, "USD": costs.usage.usd,
                "queries": costs.queries, "seconds": costs.seconds,
            })  # fmt: skip
    tested = [row for row in rows if row["p"] is not None]
    for row, corrected in zip(tested, correct_for_tests([row["p"] for row in tested]), strict=True):
        row["p, Holm"] = corrected
    return rows


def _pairs(scored: Sequence[Scored]) -> Iterator[tuple[Cell, Scorecard]]:
    return chain.from_iterable(zip(cells, scores.scorecards, strict=True) for cells, scores in scored)


def measure_rows(scored: Sequence[Scored]) -> Iterator[Row]:
    """Yield the measures of the published tables: Chatty-KG's 3, 4 and 6, and Triad's 2."""
    for cell, card in _pairs(scored):
        rates = card.headline
        yield {
            "graph": cell.graph, "system": cell.name, "precision": rates.precision, "recall": rates.recall,
            "F1, QALD macro": rates.f1_qald_macro, "F1, Triad": card.triad.f1, "exact": rates.exact,
            "MRR": rates.mrr, "Hit@5": rates.hit_at_5,
        }  # fmt: skip


def question_rows(scored: Sequence[Scored]) -> Iterator[Row]:
    """Yield the solved and all questions by type and length, as Table 8 of Chatty-KG's paper does."""
    for cell, card in _pairs(scored):
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


def language_rows(scored: Sequence[Scored]) -> Iterator[Row]:
    """Yield the scores in each language of gold in several."""
    for cell, card in _pairs(scored):
        for lang, group in card.groups["lang"].items() if len(card.groups["lang"]) > 1 else ():
            yield {"graph": cell.graph, "system": cell.name, "language": lang, **asdict(group)}


def filter_rows(scored: Sequence[Scored]) -> Iterator[Row]:
    """Yield the scores of lists of candidate queries before and after a filter: of all lists, and by language."""
    for cell, card in _pairs(scored):
        groups = card.candidates.groups if card.candidates else {}
        for lang in groups if len(groups) > 2 else [*groups][:1]:  # noqa: PLR2004 - one language is the same as all
            for state, score in groups[lang].items():
                yield {"graph": cell.graph, "system": cell.name, "lists": lang, "filter": state, **asdict(score)}


def note_rows(scored: Sequence[Scored]) -> Iterator[Row]:
    """Yield what reading the gold repaired or left out, and the systems whose answers are to another state of it."""
    for cells, evaluation in scored:
        mismatched = (f"{name}: {MISMATCH}" for name in evaluation.mismatched_systems)
        yield from ({"graph": cells[0].graph, "note": note} for note in (*evaluation.notes, *mismatched))


def benchmark_row(cell: Cell) -> Row:
    """Return the outcome and the costs of a generated benchmark, as Table 4 of Chatty-Gen's paper does.

    Raises:
        ConfigError, BenchmarkInvalid: a file of the run cannot be read.
    """
    figures = compute_figures(open_source(cell.output))
    errors = figures.get("costs.seeds.errors")
    return {
        "graph": cell.graph, "benchmark": cell.name, "dialogues": figures["talk.dialogues"],
        "success": figures.get("costs.seeds.success"),
        "errors": errors and ", ".join(f"{kind} {count}" for kind, count in errors.items),
        "calls": figures["costs.calls"], "tokens": figures["costs.prompt_tokens"] + figures["costs.completion_tokens"],
        "USD": figures["costs.usd"], "seconds": figures.get("costs.timing.seconds"),
    }  # fmt: skip
