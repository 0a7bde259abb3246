"""Which plots the page has, section by section."""

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
"""How many names a plot shows that could have many."""
MAX_LENGTH = 24
"""Questions of so many words or more stand in the last column."""


@dataclass(frozen=True, slots=True)
class _Files:
    """The files that are compared: their figures, names and colors."""

    figures: Sequence[Figures]
    names: Sequence[str]
    styles: Sequence[str]

    def shares(self, counts: Callable[[Figures], Counts]) -> list[Series]:
        """Return one series of shares a file; a file without any is left out."""
        return [
            Series(name, style, counts(one).shares())
            for one, name, style in zip(self.figures, self.names, self.styles, strict=True)
            if counts(one).total
        ]


def chart_sections(
    figures: Sequence[Figures], names: Sequence[str], styles: Sequence[str]
) -> Iterator[tuple[str, tuple[Chart, ...]]]:
    """Yield the sections of the page: a heading and its plots; what no file has is left out."""
    compared = _Files(figures, names, styles)
    for heading, drawn in (
        ("What is asked", _asked(compared)),
        ("How it is worded", _worded(compared)),
        ("The queries behind it", _queried(compared)),
        ("Against the knowledge graph", _grounded(compared)),
        ("What it took", _took(compared)),
    ):
        made = tuple(drawn)
        if made:
            yield heading, made


def _asked(some: _Files) -> Iterator[Chart]:
    yield from _named(some, "Forms", "share of the turns, by operation", lambda one: one.talk.forms, order=FORMS)
    yield from _mixes(some)
    yield from _named(
        some,
        "Links",
        "share of the turns, by how they hang on what came before",
        lambda one: one.talk.links,
        order=LINKS,
    )
    yield from _named(
        some, "Answer types", "share of the turns, by what is asked for", lambda one: one.talk.answer_types
    )
    yield from _named(
        some, "Difficulty", "share of the turns", lambda one: one.talk.difficulty, order=("easy", "medium", "hard")
    )
    if len({length for one in some.figures for length in one.talk.turns_per_dialogue}) > 1:
        yield _numbered(
            some, "Turns per dialogue", lambda one: one.talk.turns_per_dialogue, axis="turns", last=MAX_LENGTH
        )


def _mixes(some: _Files) -> Iterator[Chart]:
    """Draw what was wanted against what came out, where a file was planned."""
    series = [
        Series(name, style, {e.name: e.got for e in one.talk.mix}, {e.name: e.wanted for e in one.talk.mix})
        for one, name, style in zip(some.figures, some.names, some.styles, strict=True)
        if one.talk.mix
    ]
    if series:
        entries = list(dict.fromkeys(name for one in series for name in one.marks or {}))
        yield Chart(
            "The mix", "share of the turns; the stroke is what was wanted", render_bars("The mix", entries, series)
        )


def _worded(some: _Files) -> Iterator[Chart]:
    yield from _named(
        some, "First words", "share of the questions, by their first two words", lambda one: one.wording.first_words
    )
    yield _numbered(some, "Length", lambda one: one.wording.lengths, axis="words per question", last=MAX_LENGTH)


def _queried(some: _Files) -> Iterator[Chart]:
    series = [
        Series(name, style, {f: n / one.queries.read for f, n in one.queries.features.items})
        for one, name, style in zip(some.figures, some.names, some.styles, strict=True)
        if one.queries.read
    ]
    if not series:
        return
    found = [feature for feature in FEATURES if any(feature in one.values for one in series)]
    yield Chart("SPARQL features", "share of the queries that use them", render_bars("SPARQL features", found, series))
    yield _numbered(
        some, "Triple patterns", lambda one: one.queries.triples, axis="patterns per query", last=MAX_LENGTH
    )
    steps = [f"{step / 10:.1f}" for step in range(10)]
    yield Chart(
        "Complexity (Maestro)",
        "share of the queries, in steps of 0.1",
        render_columns("Complexity", steps, some.shares(lambda one: one.queries.complexities), axis="complexity from"),
    )
    yield from _predicates(some)


def _predicates(some: _Files) -> Iterator[Chart]:
    counted = some.shares(lambda one: one.queries.predicates)
    top = _top(counted)
    kinds = len({iri for one in counted for iri in one.values})
    caption = f"share of all uses; {kinds} predicates in all" + (f", the first {len(top)}" if kinds > len(top) else "")
    yield Chart("Predicates", caption, render_bars("Predicates", top, counted, format_name=_predicate))


def _predicate(iri: str) -> str:
    return iri_to_words(iri) or iri


def _grounded(some: _Files) -> Iterator[Chart]:
    for one, name, style in zip(some.figures, some.names, some.styles, strict=True):
        ground = one.ground
        if ground is None:
            continue
        labels = {row.iri: row.label for row in ground.types}
        series = [
            Series(f"seeds of {name}", style, {row.iri: row.benchmark for row in ground.types if row.benchmark}),
            Series(f"entities of {ground.kg}", "graph", {row.iri: row.kg for row in ground.types if row.kg}),
        ]
        shown = [row.iri for row in ground.types[: 2 * MAX_BARS]]
        caption = f"share of the seeds (color) and of the graph's entities (gray); {ground.divergence:.3f} bits apart"
        svg = render_bars(f"Seed types, {name}", shown, series, format_name=labels.__getitem__)
        yield Chart(f"Seed types: {name}" if len(some.figures) > 1 else "Seed types", caption, svg)
    if any(one.ground for one in some.figures):
        yield _coverage(some)
    else:
        yield from _named(some, "Seed types", "share of the dialogues", lambda one: one.seed_types, spoken=type_name)


def _coverage(some: _Files) -> Chart:
    rows = ["predicates", "triples"]
    series = [
        Series(name, style, {"predicates": one.ground.predicates or 0.0, "triples": one.ground.triples or 0.0})
        for one, name, style in zip(some.figures, some.names, some.styles, strict=True)
        if one.ground
    ]
    caption = "share of the graph's askable predicates that a query uses, and of the triples that have such a predicate"
    return Chart("Coverage", caption, render_bars("Coverage", rows, series))


def _took(some: _Files) -> Iterator[Chart]:
    lost = [
        Series(name, style, {"dialogues": seeds.success or 0.0, **{k: n / seeds.used for k, n in seeds.errors.items}})
        for one, name, style in zip(some.figures, some.names, some.styles, strict=True)
        if (seeds := one.costs.seeds) is not None and seeds.used and seeds.errors.total
    ]
    if lost:
        found = ["dialogues", *(name for name in _top(lost) if name != "dialogues")]
        yield Chart("What became of the seeds", "share of the seeds that were tried", render_bars("Seeds", found, lost))


def _named(
    some: _Files,
    title: str,
    caption: str,
    counts: Callable[[Figures], Counts],
    *,
    order: Sequence[str] = (),
    spoken: Callable[[str], str] = str,
) -> Iterator[Chart]:
    """Draw shares by name: in a given order, or the greatest first."""
    series = some.shares(counts)
    if not series:
        return
    found = {name for one in series for name in one.values}
    ordered = [*(name for name in order if name in found), *(name for name in _top(series) if name not in order)]
    more = len(found) - len(ordered)
    yield Chart(
        title,
        f"{caption}; {more} more" if more > 0 else caption,
        render_bars(title, ordered, series, format_name=spoken),
    )


def _numbered(some: _Files, title: str, counts: Callable[[Figures], Counts], *, axis: str, last: int) -> Chart:
    """Draw shares by number: every number between the least and the most, the long tail in one column."""

    def cut(one: Figures) -> Counts:
        found = [(min(int(name), last), number) for name, number in counts(one).items]
        return Counts.of(f"{name}+" if name == last else str(name) for name, number in found for _ in range(number))

    series = some.shares(cut)
    numbers = [int(name.rstrip("+")) for one in series for name in one.values] or [0]
    names = [f"{name}+" if name == last else str(name) for name in range(min(numbers), max(numbers) + 1)]
    return Chart(title, f"share by number of {axis}", render_columns(title, names, series, axis=axis))


def _top(series: Sequence[Series]) -> list[str]:
    found = dict.fromkeys(name for one in series for name in one.values)
    return sorted(found, key=lambda name: (-max(one.values.get(name, 0.0) for one in series), name))[:MAX_BARS]
