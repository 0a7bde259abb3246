"""The plots of the HTML page, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from chattyshared.dialogue import FORMS, LINKS
from chattyshared.pages.frame import Chart
from chattyshared.pages.plots import Series, render_bars, render_columns
from chattyshared.sparql.analysis import FEATURES
from chattyshared.terms import iri_to_words

from chattygen.stats.distributions import Counts
from chattygen.stats.figures import Figures
from chattygen.stats.kg_coverage import type_name

MAX_BARS = 14
"""The most names that a plot shows."""
MAX_LENGTH = 24
"""Greater numbers of words, turns or patterns share the last column."""


@dataclass(frozen=True, slots=True)
class _Files:
    """The compared files: their figures, names and colors."""

    figures: Sequence[Figures]
    names: Sequence[str]
    styles: Sequence[str]

    def shares(self, counts: Callable[[Figures], Counts]) -> list[Series]:
        """Return one series of shares per file; files without any are left out."""
        return [
            Series(name, style, counts(figures).shares())
            for figures, name, style in zip(self.figures, self.names, self.styles, strict=True)
            if counts(figures).total
        ]


def chart_sections(
    figures: Sequence[Figures], names: Sequence[str], styles: Sequence[str]
) -> Iterator[tuple[str, tuple[Chart, ...]]]:
    """Yield the sections of the page: a heading and its plots; a section without data is left out."""
    files = _Files(figures, names, styles)
    for heading, charts in (
        ("What is asked", _question_charts(files)),
        ("How it is worded", _wording_charts(files)),
        ("The queries behind it", _query_charts(files)),
        ("Against the knowledge graph", _coverage_charts(files)),
    ):
        shown = tuple(charts)
        if shown:
            yield heading, shown


def _question_charts(files: _Files) -> Iterator[Chart]:
    yield from _name_chart(
        files, "Forms", "share of the turns, by operation", lambda figures: figures.talk.forms, order=FORMS
    )
    yield from _mix_chart(files)
    yield from _name_chart(
        files,
        "Links",
        "share of the turns, by how they depend on earlier turns",
        lambda figures: figures.talk.links,
        order=LINKS,
    )
    yield from _name_chart(
        files, "Answer types", "share of the turns, by what is asked for", lambda figures: figures.talk.answer_types
    )
    yield from _name_chart(
        files,
        "Difficulty",
        "share of the turns",
        lambda figures: figures.talk.difficulty,
        order=("easy", "medium", "hard"),
    )
    if len({length for figures in files.figures for length in figures.talk.turns_per_dialogue}) > 1:
        yield _number_chart(files, "Turns per dialogue", lambda figures: figures.talk.turns_per_dialogue, axis="turns")


def _mix_chart(files: _Files) -> Iterator[Chart]:
    """Draw the requested against the observed shares, for planned files."""
    series = [
        Series(name, style, {e.name: e.got for e in figures.talk.mix}, {e.name: e.wanted for e in figures.talk.mix})
        for figures, name, style in zip(files.figures, files.names, files.styles, strict=True)
        if figures.talk.mix
    ]
    if series:
        entries = list(dict.fromkeys(name for bars in series for name in bars.marks or {}))
        yield Chart(
            "The mix", "share of the turns; the stroke is the requested share", render_bars("The mix", entries, series)
        )


def _wording_charts(files: _Files) -> Iterator[Chart]:
    yield from _name_chart(
        files,
        "First words",
        "share of the questions, by their first two words",
        lambda figures: figures.wording.first_words,
    )
    yield _number_chart(files, "Length", lambda figures: figures.wording.lengths, axis="words per question")


def _query_charts(files: _Files) -> Iterator[Chart]:
    series = [
        Series(name, style, {f: n / figures.queries.read for f, n in figures.queries.features.items})
        for figures, name, style in zip(files.figures, files.names, files.styles, strict=True)
        if figures.queries.read
    ]
    if not series:
        return
    features = [feature for feature in FEATURES if any(feature in bars.values for bars in series)]
    yield Chart(
        "SPARQL features", "share of the queries that use them", render_bars("SPARQL features", features, series)
    )
    yield _number_chart(files, "Triple patterns", lambda figures: figures.queries.triples, axis="patterns per query")
    steps = [f"{step / 10:.1f}" for step in range(10)]
    yield Chart(
        "Complexity (Maestro)",
        "share of the queries, in steps of 0.1",
        render_columns(
            "Complexity", steps, files.shares(lambda figures: figures.queries.complexities), axis="complexity from"
        ),
    )
    yield from _predicate_chart(files)


def _predicate_chart(files: _Files) -> Iterator[Chart]:
    series = files.shares(lambda figures: figures.queries.predicates)
    shown = _most_frequent(series)
    total = len({iri for bars in series for iri in bars.values})
    caption = f"share of all uses; {total} predicates in all" + (
        f", the first {len(shown)}" if total > len(shown) else ""
    )
    yield Chart(
        "Predicates",
        caption,
        render_bars("Predicates", shown, series, format_name=lambda iri: iri_to_words(iri) or iri),
    )


def _coverage_charts(files: _Files) -> Iterator[Chart]:
    for figures, name, style in zip(files.figures, files.names, files.styles, strict=True):
        coverage = figures.ground
        if coverage is None:
            continue
        labels = {row.iri: row.label for row in coverage.types}
        series = [
            Series(f"seeds of {name}", style, {row.iri: row.benchmark for row in coverage.types if row.benchmark}),
            Series(f"entities of {coverage.kg}", "graph", {row.iri: row.kg for row in coverage.types if row.kg}),
        ]
        shown = [row.iri for row in coverage.types[: 2 * MAX_BARS]]
        caption = f"share of the seeds (color) and of the graph's entities (gray); {coverage.divergence:.3f} bits apart"
        svg = render_bars(f"Seed types, {name}", shown, series, format_name=labels.__getitem__)
        yield Chart(f"Seed types: {name}" if len(files.figures) > 1 else "Seed types", caption, svg)
    if any(figures.ground for figures in files.figures):
        yield _coverage_chart(files)
    else:
        yield from _name_chart(
            files, "Seed types", "share of the dialogues", lambda figures: figures.seed_types, format_name=type_name
        )


def _coverage_chart(files: _Files) -> Chart:
    rows = ["predicates", "triples"]
    series = [
        Series(name, style, {"predicates": figures.ground.predicates or 0.0, "triples": figures.ground.triples or 0.0})
        for figures, name, style in zip(files.figures, files.names, files.styles, strict=True)
        if figures.ground
    ]
    caption = "share of the graph's askable predicates that a query uses, and of the triples that have such a predicate"
    return Chart("Coverage", caption, render_bars("Coverage", rows, series))


def _name_chart(
    files: _Files,
    title: str,
    caption: str,
    counts: Callable[[Figures], Counts],
    *,
    order: Sequence[str] = (),
    format_name: Callable[[str], str] = str,
) -> Iterator[Chart]:
    """Draw shares by name: in a given order, or the greatest first."""
    series = files.shares(counts)
    if not series:
        return
    names = {name for bars in series for name in bars.values}
    ordered = [
        *(name for name in order if name in names),
        *(name for name in _most_frequent(series) if name not in order),
    ]
    more = len(names) - len(ordered)
    yield Chart(
        title,
        f"{caption}; {more} more" if more > 0 else caption,
        render_bars(title, ordered, series, format_name=format_name),
    )


def _number_chart(files: _Files, title: str, counts: Callable[[Figures], Counts], *, axis: str) -> Chart:
    """Draw shares by number: every number from the least to the greatest, the great ones in one column."""

    def truncate(figures: Figures) -> Counts:
        lengths = [(min(int(name), MAX_LENGTH), number) for name, number in counts(figures).items]
        return Counts.of(
            f"{name}+" if name == MAX_LENGTH else str(name) for name, number in lengths for _ in range(number)
        )

    series = files.shares(truncate)
    numbers = [int(name.rstrip("+")) for bars in series for name in bars.values] or [0]
    names = [f"{name}+" if name == MAX_LENGTH else str(name) for name in range(min(numbers), max(numbers) + 1)]
    return Chart(title, f"share by number of {axis}", render_columns(title, names, series, axis=axis))


def _most_frequent(series: Sequence[Series]) -> list[str]:
    names = dict.fromkeys(name for bars in series for name in bars.values)
    return sorted(names, key=lambda name: (-max(bars.values.get(name, 0.0) for bars in series), name))[:MAX_BARS]
