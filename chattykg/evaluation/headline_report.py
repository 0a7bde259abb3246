"""The scores of one system as a plain-text table and as the JSON object of ``evaluate --json``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from chattyshared.text import Column, render_rows

from chattykg.evaluation.metrics import FalseAnswerRate, GroupScore, Scores


def scores_to_json(scores: Scores) -> dict[str, Any]:
    """Return the figures under their names in files and reports, rates to six decimals."""
    usage, figures = scores.usage, round_figures(asdict(scores))
    return {
        **{name: value for name, value in figures.items() if value is None or isinstance(value, int | float)},
        "model_calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "tokens_estimated": usage.estimated,
        "usd": usage.usd,
        **{name: figures[name] for name in ("false_answers_by_kind", "by_form", "by_link", "by_turn")},
        **({"by_lang": figures["by_lang"]} if scores.by_lang else {}),
        **({"from_memory": figures["remembered"]} if scores.remembered.n else {}),
    }


def round_figures(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Round the figures of an object, and of all objects in it, to six decimals."""
    return {name: _round_value(value) for name, value in figures.items()}


def _round_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return round_figures(value)
    if isinstance(value, list | tuple):
        return [_round_value(part) for part in value]
    return round(value, 6) if isinstance(value, float) else value


def render_scores(scores: Scores) -> str:
    """Return the table: the headline first, then by form, link, turn, stated language and unanswerable kind, side by
    side."""
    columns = Column(min_width=20), Column(right=True, min_width=10), Column()
    lines = render_rows(columns, _headline(scores))
    languages = ("language", scores.by_lang)
    groupings = (("form", scores.by_form), ("link", scores.by_link), ("turn", scores.by_turn), languages)
    tables = [_group_table(title, groups) for title, groups in groupings if groups]
    if scores.false_answers_by_kind:
        tables.append(_kind_table(scores.false_answers_by_kind))
    if tables:
        height = max(map(len, tables))
        padded = [[*table, *[""] * (height - len(table))] for table in tables]
        lines += ["", *render_rows([Column()] * len(tables), zip(*padded, strict=True), gap=4)]
    return "\n".join(lines)


def _headline(scores: Scores) -> Iterator[tuple[str, str, str]]:
    usage = scores.usage
    yield "F1", f"{scores.f1:.3f}", "mean of F1 over the answerable turns"
    if scores.unanswerable:
        yield "false answers", f"{scores.false_answers:.1%}", f"of {scores.unanswerable} unanswerable turns"
    yield "F1, QALD macro", f"{scores.f1_qald_macro:.3f}", "harmonic mean of mean precision and mean recall"
    yield "precision", f"{scores.precision:.3f}", ""
    yield "recall", f"{scores.recall:.3f}", ""
    yield "P@1", f"{scores.p_at_1:.3f}", "the top answer is right"
    yield "answered", f"{scores.answered:.1%}", ""
    if scores.remembered.n:
        f1 = f"F1 {scores.remembered.f1:.3f}; not of the graph, so no answers in the rates above"
        yield "from memory", f"{scores.remembered.n:,}", f1
    yield "questions", f"{scores.questions:,}", _excluded_questions(scores)
    p50, p95 = f"{scores.seconds_p50:.3f}", f"{scores.seconds_p95:.3f}"
    yield "seconds per question", f"{scores.seconds_per_question:.3f}", f"p50 {p50}, p95 {p95}"
    yield "queries per question", f"{scores.queries_per_question:.1f}", f"p50 {scores.queries_p50:g}"
    if scores.candidate_queries_per_question is not None:
        yield "candidate queries", f"{scores.candidate_queries_per_question:.1f}", "of them; the others look things up"
    yield "model calls", f"{usage.calls:,}", "" if usage.usd is None else f"{usage.usd:.4f} USD"
    tokens = f"{usage.prompt_tokens + usage.completion_tokens:,}"
    kinds = f"{usage.prompt_tokens:,} prompt, {usage.completion_tokens:,} completion"
    yield "tokens", tokens, kinds + (" (estimated: characters / 4)" if usage.estimated else "")


def _excluded_questions(scores: Scores) -> str:
    notes = []
    if scores.unanswerable:
        notes.append(f"{scores.unanswerable} of them unanswerable, left out of the rates above")
    if scores.missing:
        notes.append(f"{scores.missing} without an answer line, counted as wrong")
    return "; ".join(notes)


def _group_table(title: str, groups: Mapping[str, GroupScore]) -> list[str]:
    columns = Column(title), Column("n", right=True, min_width=3), Column("F1", right=True, min_width=5)
    return render_rows(columns, [(name, str(group.n), f"{group.f1:.3f}") for name, group in groups.items()])


def _kind_table(rates: Mapping[str, FalseAnswerRate]) -> list[str]:
    columns = Column("unanswerable"), Column("n", right=True, min_width=3), Column("answered", right=True)
    return render_rows(columns, [(kind, str(rate.n), f"{rate.false_answers:.0%}") for kind, rate in rates.items()])
