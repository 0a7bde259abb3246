"""Which plots the page of an evaluation has, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from chattyshared.pages.curves import LineSeries, render_curves
from chattyshared.pages.frame import Chart, series_style
from chattyshared.pages.plots import Series, format_percent, render_bars

from chattykg.evaluation.error_analysis import FAILURE_STAGES
from chattykg.evaluation.risk_coverage import thin_points
from chattykg.evaluation.scorecard import GROUPINGS, TIMED_STAGES, Scorecard
from chattykg.evaluation.text_report import GROUPING_TITLES

MAX_DRAWN = 24
"""How many points of a curve, and how many groups, are drawn."""


def render_charts(sheets: Sequence[Scorecard]) -> Iterator[tuple[str, tuple[Chart, ...]]]:
    """Yield the sections of the page: a heading and its plots; what no system has is left out."""
    for heading, drawn in (
        ("How much is right", _rates(sheets)),
        ("Where it is right", _groups(sheets)),
        ("What goes wrong", _failures(sheets)),
        ("What confidences are worth", _confidence(sheets)),
        ("What it took", _costs(sheets)),
    ):
        made = tuple(drawn)
        if made:
            yield heading, made


def _rates(sheets: Sequence[Scorecard]) -> Iterator[Chart]:
    names = {"F1": "f1", "F1, QALD macro": "f1_qald_macro", "precision": "precision", "recall": "recall",
             "exact match": "exact", "P@1": "p_at_1"}  # fmt: skip
    series = [
        Series(one.name, series_style(place), _picked(one, names), ranges=_spans(one, names))
        for place, one in enumerate(sheets)
    ]
    caption = "over the turns with gold; the strokes are 95 % bootstrap intervals over dialogues"
    yield Chart("Answers", caption, render_bars("Answers", list(names), series, format_value=_rate))
    caption = "one set of answers under the F1 of the field's scorers: what to compare with which paper"
    yield _bars(sheets, "F1, by who counts", caption, _counted, said=_rate)


def _picked(one: Scorecard, names: dict[str, str]) -> dict[str, float]:
    return {name: getattr(one.headline, key) for name, key in names.items()}


def _spans(one: Scorecard, names: dict[str, str]) -> dict[str, tuple[float, float]]:
    found = {name: one.intervals.get(key) for name, key in names.items()}
    return {name: (span.low, span.high) for name, span in found.items() if span}


def _counted(one: Scorecard) -> dict[str, float]:
    """Return F1 by the scorer that counts."""
    return {
        "mean F1": one.headline.f1,
        "QALD macro": one.headline.f1_qald_macro,
        "micro": one.headline.f1_micro,
        "answered only": one.answered_only.f1,
        "rows assigned": one.table_metrics.assigned,
        "TEXT2SPARQL official": one.text2sparql_official.f,
        "the same, corrected": one.text2sparql_corrected.f,
        "Triad": one.triad.f1,
    }


def _groups(sheets: Sequence[Scorecard]) -> Iterator[Chart]:
    for by, _ in GROUPINGS:
        found = list(dict.fromkeys(name for one in sheets for name in one.groups[by]))[:MAX_DRAWN]
        if len(found) < 2:
            continue
        sizes = {name: max(one.groups[by][name].n for one in sheets if name in one.groups[by]) for name in found}
        series = [
            Series(
                one.name,
                series_style(place),
                {name: one.groups[by][name].f1 for name in found if name in one.groups[by]},
            )
            for place, one in enumerate(sheets)
        ]
        spoken = {name: f"{name} ({sizes[name]})" for name in found}
        svg = render_bars(GROUPING_TITLES[by], found, series, format_value=_rate, format_name=spoken.__getitem__)
        yield Chart(GROUPING_TITLES[by], "mean F1; the number of turns in brackets", svg)


def _failures(sheets: Sequence[Scorecard]) -> Iterator[Chart]:
    stages = [stage for stage in FAILURE_STAGES if any(stage in one.failures for one in sheets)]

    def shares(one: Scorecard) -> dict[str, float]:
        return {stage: one.failures.get(stage, 0) / max(1, len(one.headline_turns)) for stage in stages}

    if stages:
        yield _bars(sheets, "Failures by stage", "share of the turns with gold, by the first that failed", shares)
    if any(one.linking_recall.vertices_n or one.linking_recall.predicates_n for one in sheets):
        yield _bars(sheets, "Recall of linking", "share of what the gold queries name", _linked)


def _linked(one: Scorecard) -> dict[str, float]:
    found = {
        "vertex a candidate": one.linking_recall.candidates,
        "vertex chosen": one.linking_recall.vertices,
        "predicate chosen": one.linking_recall.predicates,
    }
    return {name: value for name, value in found.items() if value is not None}


def _confidence(sheets: Sequence[Scorecard]) -> Iterator[Chart]:
    lines = [
        LineSeries(
            one.name,
            series_style(place),
            tuple((point.coverage, point.risk) for point in thin_points(one.risk_coverage.points, MAX_DRAWN)),
        )
        for place, one in enumerate(sheets)
        if one.risk_coverage
    ]
    if lines:
        caption = "answers are given from the surest down: the share of turns answered, and the share of answers wrong"
        svg = render_curves("Risk and coverage", lines, x_label="coverage", y_label="risk")
        yield Chart("Risk and coverage", caption, svg)


def _costs(sheets: Sequence[Scorecard]) -> Iterator[Chart]:
    if any(any(_times(one).values()) for one in sheets):
        yield _bars(sheets, "Time by stage", "mean milliseconds per question", _times, said=_amount)
    yield _bars(sheets, "Calls", "per question", _calls, said=_amount)


def _times(one: Scorecard) -> dict[str, float]:
    return {stage: 1000 * getattr(one.costs.stages, stage) for stage in TIMED_STAGES}


def _calls(one: Scorecard) -> dict[str, float]:
    asked = max(1, one.costs.questions)
    return {"model calls": one.costs.usage.calls / asked, "queries": one.costs.queries / asked}


def _bars(
    sheets: Sequence[Scorecard],
    title: str,
    caption: str,
    figures: Callable[[Scorecard], dict[str, float]],
    *,
    said: Callable[[float], str] = format_percent,
) -> Chart:
    """Draw a bar per figure and system; ``said`` writes a value."""
    series = [Series(one.name, series_style(place), figures(one)) for place, one in enumerate(sheets)]
    names = list(dict.fromkeys(name for one in series for name in one.values))
    return Chart(title, caption, render_bars(title, names, series, format_value=said))


def _rate(value: float) -> str:
    return f"{value:.3f}"


def _amount(value: float) -> str:
    return f"{value:.1f}"
