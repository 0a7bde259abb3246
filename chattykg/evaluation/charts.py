"""The plots of an evaluation's page, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from chattyshared.pages.frame import Chart, series_style
from chattyshared.pages.plots import Series, format_percent, render_bars

from chattykg.evaluation.error_analysis import FAILURE_STAGES
from chattykg.evaluation.scorecard import GROUPINGS, Scorecard
from chattykg.evaluation.text_report import GROUPING_TITLES

MAX_DRAWN = 24
"""The most groups that are drawn."""
_RATE_FORMAT = "{:.3f}".format


def render_charts(scorecards: Sequence[Scorecard]) -> Iterator[tuple[str, tuple[Chart, ...]]]:
    """Yield the sections of the page: a heading and its plots. A section without plots is left out."""
    for heading, section in (
        ("How much is right", _rate_charts(scorecards)),
        ("Where it is right", _group_charts(scorecards)),
        ("What goes wrong", _failure_charts(scorecards)),
    ):
        charts = tuple(section)
        if charts:
            yield heading, charts


def _rate_charts(scorecards: Sequence[Scorecard]) -> Iterator[Chart]:
    names = {"F1": "f1", "F1, QALD macro": "f1_qald_macro", "precision": "precision", "recall": "recall",
             "exact match": "exact", "P@1": "p_at_1"}  # fmt: skip
    series = [
        Series(card.name, series_style(index), _headline_figures(card, names), ranges=_interval_ranges(card, names))
        for index, card in enumerate(scorecards)
    ]
    caption = "over the turns with gold; the strokes are 95 % bootstrap intervals over dialogues"
    yield Chart("Answers", caption, render_bars("Answers", list(names), series, format_value=_RATE_FORMAT))
    caption = "one set of answers under the F1 of the field's scorers: what to compare with which paper"
    yield _bar_chart(scorecards, "F1, by who counts", caption, _f1_by_scorer, format_value=_RATE_FORMAT)


def _headline_figures(card: Scorecard, names: dict[str, str]) -> dict[str, float]:
    return {name: getattr(card.headline, key) for name, key in names.items()}


def _interval_ranges(card: Scorecard, names: dict[str, str]) -> dict[str, tuple[float, float]]:
    intervals = {name: card.intervals.get(key) for name, key in names.items()}
    return {name: (interval.low, interval.high) for name, interval in intervals.items() if interval}


def _f1_by_scorer(card: Scorecard) -> dict[str, float]:
    """Return F1 by the scorer that computes it."""
    return {
        "mean F1": card.headline.f1,
        "QALD macro": card.headline.f1_qald_macro,
        "micro": card.headline.f1_micro,
        "answered only": card.answered_only.f1,
        "rows assigned": card.table_metrics.assigned,
        "TEXT2SPARQL official": card.text2sparql_official.f,
        "the same, corrected": card.text2sparql_corrected.f,
        "Triad": card.triad.f1,
    }


def _group_charts(scorecards: Sequence[Scorecard]) -> Iterator[Chart]:
    for grouping, _ in GROUPINGS:
        names = list(dict.fromkeys(name for card in scorecards for name in card.groups[grouping]))[:MAX_DRAWN]
        if len(names) < 2:
            continue
        sizes = {
            name: max(card.groups[grouping][name].n for card in scorecards if name in card.groups[grouping])
            for name in names
        }
        series = [
            Series(
                card.name,
                series_style(index),
                {name: card.groups[grouping][name].f1 for name in names if name in card.groups[grouping]},
            )
            for index, card in enumerate(scorecards)
        ]
        labels = {name: f"{name} ({sizes[name]})" for name in names}
        title = GROUPING_TITLES[grouping]
        svg = render_bars(title, names, series, format_value=_RATE_FORMAT, format_name=labels.__getitem__)
        yield Chart(title, "mean F1; the number of turns in brackets", svg)


def _failure_charts(scorecards: Sequence[Scorecard]) -> Iterator[Chart]:
    stages = [stage for stage in FAILURE_STAGES if any(stage in card.failures for card in scorecards)]

    def shares(card: Scorecard) -> dict[str, float]:
        return {stage: card.failures.get(stage, 0) / max(1, len(card.headline_turns)) for stage in stages}

    if stages:
        caption = "share of the turns with gold, by the first that failed"
        yield _bar_chart(scorecards, "Failures by stage", caption, shares)
    if any(card.linking_recall.vertices_n or card.linking_recall.predicates_n for card in scorecards):
        yield _bar_chart(scorecards, "Recall of linking", "share of what the gold queries name", _linking_figures)


def _linking_figures(card: Scorecard) -> dict[str, float]:
    recalls = {
        "vertex proposed": card.linking_recall.candidates,
        "vertex chosen": card.linking_recall.vertices,
        "predicate proposed": card.linking_recall.predicate_candidates,
        "predicate chosen": card.linking_recall.predicates,
    }
    return {name: value for name, value in recalls.items() if value is not None}


def _bar_chart(
    scorecards: Sequence[Scorecard],
    title: str,
    caption: str,
    figures: Callable[[Scorecard], dict[str, float]],
    *,
    format_value: Callable[[float], str] = format_percent,
) -> Chart:
    """Draw a bar per figure and system; ``format_value`` writes a value."""
    series = [Series(card.name, series_style(index), figures(card)) for index, card in enumerate(scorecards)]
    names = list(dict.fromkeys(name for card in series for name in card.values))
    return Chart(title, caption, render_bars(title, names, series, format_value=format_value))
