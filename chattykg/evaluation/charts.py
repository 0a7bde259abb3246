"""Which plots the page of an evaluation has, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from chattyshared.pages.curves import Line, curves
from chattyshared.pages.frame import Chart, style
from chattyshared.pages.plots import Series, bars, percent

from chattykg.evaluation.error_analysis import STAGES
from chattykg.evaluation.risk_coverage import thinned
from chattykg.evaluation.scorecard import GROUPS, WORK, Sheet
from chattykg.evaluation.text_report import TITLES

MOST = 24
"""How many points of a curve, and how many groups, are drawn."""


def charts(sheets: Sequence[Sheet]) -> Iterator[tuple[str, tuple[Chart, ...]]]:
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


def _rates(sheets: Sequence[Sheet]) -> Iterator[Chart]:
    names = {"F1": "f1", "F1, QALD macro": "f1_qald_macro", "precision": "precision", "recall": "recall",
             "exact match": "exact", "P@1": "p_at_1"}  # fmt: skip
    series = [
        Series(one.name, style(place), _picked(one, names), ranges=_spans(one, names))
        for place, one in enumerate(sheets)
    ]
    caption = "over the turns with gold; the strokes are 95 % bootstrap intervals over dialogues"
    yield Chart("Answers", caption, bars("Answers", list(names), series, said=_rate))
    caption = "one set of answers under the F1 of the field's scorers: what to compare with which paper"
    yield _bars(sheets, "F1, by who counts", caption, _counted, said=_rate)


def _picked(one: Sheet, names: dict[str, str]) -> dict[str, float]:
    return {name: getattr(one.headline, key) for name, key in names.items()}


def _spans(one: Sheet, names: dict[str, str]) -> dict[str, tuple[float, float]]:
    found = {name: one.intervals.get(key) for name, key in names.items()}
    return {name: (span.low, span.high) for name, span in found.items() if span}


def _counted(one: Sheet) -> dict[str, float]:
    """Return F1 by the scorer that counts."""
    return {
        "mean F1": one.headline.f1,
        "QALD macro": one.headline.f1_qald_macro,
        "micro": one.headline.f1_micro,
        "answered only": one.answered.f1,
        "rows assigned": one.tables.assigned,
        "TEXT2SPARQL official": one.official.f,
        "the same, corrected": one.corrected.f,
        "Triad": one.triad.f1,
    }


def _groups(sheets: Sequence[Sheet]) -> Iterator[Chart]:
    for by, _ in GROUPS:
        found = list(dict.fromkeys(name for one in sheets for name in one.groups[by]))[:MOST]
        if len(found) < 2:
            continue
        sizes = {name: max(one.groups[by][name].n for one in sheets if name in one.groups[by]) for name in found}
        series = [
            Series(one.name, style(place), {name: one.groups[by][name].f1 for name in found if name in one.groups[by]})
            for place, one in enumerate(sheets)
        ]
        spoken = {name: f"{name} ({sizes[name]})" for name in found}
        svg = bars(TITLES[by], found, series, said=_rate, spoken=spoken.__getitem__)
        yield Chart(TITLES[by], "mean F1; the number of turns in brackets", svg)


def _failures(sheets: Sequence[Sheet]) -> Iterator[Chart]:
    stages = [stage for stage in STAGES if any(stage in one.failures for one in sheets)]

    def shares(one: Sheet) -> dict[str, float]:
        return {stage: one.failures.get(stage, 0) / max(1, len(one.head)) for stage in stages}

    if stages:
        yield _bars(sheets, "Failures by stage", "share of the turns with gold, by the first that failed", shares)
    if any(one.linking.vertices_n or one.linking.predicates_n for one in sheets):
        yield _bars(sheets, "Recall of linking", "share of what the gold queries name", _linked)


def _linked(one: Sheet) -> dict[str, float]:
    found = {
        "vertex a candidate": one.linking.candidates,
        "vertex chosen": one.linking.vertices,
        "predicate chosen": one.linking.predicates,
    }
    return {name: value for name, value in found.items() if value is not None}


def _confidence(sheets: Sequence[Sheet]) -> Iterator[Chart]:
    lines = [
        Line(one.name, style(place), tuple((point.coverage, point.risk) for point in thinned(one.curve.points, MOST)))
        for place, one in enumerate(sheets)
        if one.curve
    ]
    if lines:
        caption = "answers are given from the surest down: the share of turns answered, and the share of answers wrong"
        svg = curves("Risk and coverage", lines, across="coverage", up="risk")
        yield Chart("Risk and coverage", caption, svg)


def _costs(sheets: Sequence[Sheet]) -> Iterator[Chart]:
    if any(any(_times(one).values()) for one in sheets):
        yield _bars(sheets, "Time by stage", "mean milliseconds per question", _times, said=_amount)
    yield _bars(sheets, "Calls", "per question", _calls, said=_amount)


def _times(one: Sheet) -> dict[str, float]:
    return {stage: 1000 * getattr(one.costs.stages, stage) for stage in WORK}


def _calls(one: Sheet) -> dict[str, float]:
    asked = max(1, one.costs.questions)
    return {"model calls": one.costs.usage.calls / asked, "queries": one.costs.queries / asked}


def _bars(
    sheets: Sequence[Sheet],
    title: str,
    caption: str,
    figures: Callable[[Sheet], dict[str, float]],
    *,
    said: Callable[[float], str] = percent,
) -> Chart:
    """Draw a bar per figure and system; ``said`` writes a value."""
    series = [Series(one.name, style(place), figures(one)) for place, one in enumerate(sheets)]
    names = list(dict.fromkeys(name for one in series for name in one.values))
    return Chart(title, caption, bars(title, names, series, said=said))


def _rate(value: float) -> str:
    return f"{value:.3f}"


def _amount(value: float) -> str:
    return f"{value:.1f}"
