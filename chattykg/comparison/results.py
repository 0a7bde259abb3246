"""The tables of a comparison: systems, types of questions, benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain, combinations, zip_longest
from statistics import fmean
from typing import Any

from chattyshared.figures import Estimate
from chattyshared.sparql.analysis import parse_query_terms

from chattygen.stats import compute_figures, open_source
from chattykg.comparison.plan import Cell
from chattykg.evaluation.comparison import MISMATCH, EvaluationSet
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.significance import bootstrap_agreement, correct_for_tests, rank_agreement

Row = dict[str, Any]
"""The values of one line by the heads of their columns; None: there is none."""
Scored = tuple[Sequence[Cell], EvaluationSet]
"""The cells of one graph in the order of their scorecards."""
LEAST_SYSTEMS = 3
"""Two systems have one order or the other."""


_RATES = {"P@1": "p_at_1", "answered": "answered", "trust": "trust"}
_COSTS = {"calls": "model_calls", "USD": "usd", "queries": "queries", "seconds": "seconds"}
_PUBLISHED = {
    "precision": "precision", "recall": "recall", "F1, QALD macro": "f1_qald_macro", "F1, Triad": "triad.f1",
    "exact": "exact", "MRR": "mrr", "Hit@5": "hit_at_5",
}  # fmt: skip
"""The heads of columns, and the keys of their figures."""


def _columns(card: Scorecard, columns: Mapping[str, str]) -> Row:
    values = {head: card.values[key] for head, key in columns.items()}
    return {head: value.value if isinstance(value, Estimate) else value for head, value in values.items()}


def system_rows(scored: Sequence[Scored], baseline: str) -> list[Row]:
    """Return a line for each system on each graph, with its test against the baseline if that is the first."""
    rows: list[Row] = []
    for cells, evaluation in scored:
        tests = [comparison.test for comparison in evaluation.comparisons if cells[0].name == baseline]
        for cell, card, test in zip_longest(cells, evaluation.scorecards, [None, *tests]):
            f1, false, memory = (card.headline[key] for key in ("f1", "false_answers", "from_memory"))
            rows.append({
                "graph": cell.graph, "system": cell.name, "n": f1.n, "F1": f1.value,
                "interval": list(f1.interval) if f1.interval else None,
                "difference": test and test.difference, "p": test and test.p, "p, Holm": None,
                **_columns(card, _RATES), "false answers": false.value if false.n else None,
                "from memory": memory and memory.n, "memory F1": memory and memory.f1, "errors": len(card.failed_ids),
                "tokens": card.usage.prompt_tokens + card.usage.completion_tokens, **_columns(card, _COSTS),
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
        yield {"graph": cell.graph, "system": cell.name, **_columns(card, _PUBLISHED)}


def question_rows(scored: Sequence[Scored]) -> Iterator[Row]:
    """Yield the solved and all questions by type and length, as Table 8 of Chatty-KG's paper does."""
    for cell, card in _pairs(scored):
        golds = [turn.gold for turn in card.answerable]
        predicates = [len(terms.predicates) for gold in golds if (terms := parse_query_terms(gold.sparql))]
        groups = {**card.groups("question_type"), **card.groups("length")}
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
        groups = card.groups("lang")
        for lang, group in groups.items() if len(groups) > 1 else ():
            yield {"graph": cell.graph, "system": cell.name, "language": lang, **asdict(group)}


def filter_rows(scored: Sequence[Scored]) -> Iterator[Row]:
    """Yield the scores of lists of candidate queries before and after a filter: of all lists, and by language."""
    for cell, card in _pairs(scored):
        groups = card.values.get("candidates.groups", {})
        for lang in groups if len(groups) > 2 else [*groups][:1]:  # noqa: PLR2004 - one language is the same as all
            for state, score in groups[lang].items():
                yield {"graph": cell.graph, "system": cell.name, "lists": lang, "filter": state, **score}


def agreement_rows(scored: Sequence[Scored], *, seed: int = 0) -> Iterator[Row]:
    """Yield, for each two sets of questions over one graph, how far they order the systems alike: Kendall's tau-b of
    the mean F1s of the systems that both have, with its interval. It needs three systems.

    Where one set is a generated benchmark and the other by people, it tells whether the benchmark tells who is better.
    """
    for one, other in combinations(scored, 2):
        if _sources(one) != _sources(other):
            continue
        turns = [{cell.name: card.answerable for cell, card in _pairs([each])} for each in (one, other)]
        names = [name for name in turns[0] if name in turns[1]]
        first, second = ([part[name] for name in names] for part in turns)
        if len(names) < LEAST_SYSTEMS or not (first[0] and second[0]):
            continue
        means = [[fmean(turn.f1 for turn in each) for each in part] for part in (first, second)]
        interval = bootstrap_agreement(first, second, seed=seed)
        yield {
            "one": one[0][0].graph, "other": other[0][0].graph, "systems": len(names), "n": len(first[0]),
            "n of the other": len(second[0]), "tau": rank_agreement(*means), "interval": interval and list(interval),
        }  # fmt: skip


def _sources(scored: Scored) -> list[str]:
    return [argument for argument in scored[0][0].arguments if argument.startswith("--kg=")]


def note_rows(scored: Sequence[Scored]) -> Iterator[Row]:
    """Yield what reading the gold repaired or left out, the systems whose answers are to another state of it, and the
    tests that cannot tell anything."""
    for cells, evaluation in scored:
        mismatched = (f"{name}: {MISMATCH}" for name in evaluation.mismatched_systems)
        tests = {each.test.limit for each in evaluation.comparisons if each.test.is_too_small}
        for note in (*evaluation.notes, *mismatched, *sorted(tests)):
            yield {"graph": cells[0].graph, "note": note}


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
