"""Figures as text: one column a file, one row a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from chattygen.stats.distributions import Counts, SummaryStatistics
from chattygen.stats.figures import Figures
from chattygen.stats.kg_coverage import type_name

FIRST_WORDS = 10
"""How many pairs of first words the table shows."""
Row = tuple[str, tuple[str, ...]]
"""A figure's name (empty: a blank line; with no cells: a heading) and its cells, one a file."""


def render_table(figures: Sequence[Figures]) -> str:
    """Return the figures of one or more files side by side, as lines of text."""
    rows = [row for section in (_talk, _mix, _wording, _queries, _ground, _costs) for row in section(figures)]
    heads = short_names(figures)
    left = max(len(name) for name, _ in rows)
    widths = [max(len(head), *(len(cells[place]) for _, cells in rows if cells), 8) for place, head in enumerate(heads)]
    lines = [_line("", heads, left, widths)] if len(figures) > 1 else [heads[0]]
    for name, cells in rows:
        lines.append(_line(name, cells, left, widths) if cells else f"\n{name}" if name else "")
    return "\n".join(line.rstrip() for line in lines)


def short_names(figures: Sequence[Figures]) -> tuple[str, ...]:
    """Return a short name for each file: its own, with its folder where two are called alike."""
    paths = [Path(one.file) for one in figures]
    stems = [path.stem for path in paths]
    if len(set(stems)) == len(stems):
        return tuple(stems)
    folders = [f"{path.parent.name}/{path.name}" for path in paths]
    return tuple(folders if len(set(folders)) == len(folders) else [str(path) for path in paths])


def format_percent(value: float | None) -> str:
    """Return a share as percent; a dash where there is none."""
    return "-" if value is None else f"{value:.1%}"


def format_decimal(value: float | None, places: int = 2) -> str:
    """Return a number with few places; a dash where there is none."""
    return "-" if value is None else f"{value:.{places}f}"


def format_spread(value: SummaryStatistics) -> str:
    """Return a spread as ``mean (least-most)``."""
    return f"{value.mean:.1f} ({value.least:g}-{value.most:g})" if value.n else "-"


def _line(name: str, cells: Sequence[str], left: int, widths: Sequence[int]) -> str:
    return f"{name:<{left}}  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _row(name: str, figures: Sequence[Figures], cell: Callable[[Figures], str]) -> Row:
    return name, tuple(map(cell, figures))


def _shares(
    heading: str, figures: Sequence[Figures], counts: Callable[[Figures], Counts], most: int = 0
) -> Iterator[Row]:
    """Yield a heading and one row a name: the names of all files, by their greatest share."""
    shares = [counts(one).shares() for one in figures]
    found = dict.fromkeys(name for some in shares for name in some)
    ordered = sorted(found, key=lambda name: (-max(some.get(name, 0) for some in shares), name))
    if ordered:
        yield heading, ()
        for name in ordered[: most or len(ordered)]:
            yield f"  {name}", tuple(format_percent(some.get(name, 0.0)) if some else "-" for some in shares)


def _talk(figures: Sequence[Figures]) -> Iterator[Row]:
    yield _row("dialogues", figures, lambda one: f"{one.talk.dialogues:,}")
    yield _row("turns", figures, lambda one: f"{one.talk.turns:,}")
    yield _row("turns per dialogue", figures, lambda one: format_spread(_turns(one)))
    yield _row("later turns that hang on an answer", figures, lambda one: format_percent(one.talk.on_answer))
    yield _row("answerable", figures, lambda one: format_percent(one.talk.answerable))
    yield _row("yes-no turns (true, false)", figures, _asks)
    yield _row("elements of a gold answer", figures, lambda one: format_spread(one.talk.answers))
    yield from _shares("forms", figures, lambda one: one.talk.forms)
    yield from _shares("links", figures, lambda one: one.talk.links)
    yield from _shares("difficulty", figures, lambda one: one.talk.difficulty)
    yield from _shares("answer types", figures, lambda one: one.talk.answer_types, FIRST_WORDS)


def _mix(figures: Sequence[Figures]) -> Iterator[Row]:
    """Yield the mix that was wanted against what came out."""
    wanted = dict.fromkeys(entry.name for one in figures for entry in one.talk.mix)
    if wanted:
        yield "mix (came out / wanted)", ()
    for name in wanted:
        cells = [next((entry for entry in one.talk.mix if entry.name == name), None) for one in figures]
        yield f"  {name}", tuple(f"{cell.got:.1%} / {cell.wanted:.1%}" if cell else "-" for cell in cells)


def _wording(figures: Sequence[Figures]) -> Iterator[Row]:
    yield "wording", ()
    yield _row("  words per question", figures, lambda one: format_spread(one.wording.words))
    yield _row("  words per standalone question", figures, lambda one: format_spread(one.wording.standalone_words))
    yield _row("  distinct first two words", figures, lambda one: str(len(one.wording.first_words)))
    yield _row("  entropy of the first two words, bits", figures, lambda one: format_decimal(one.wording.entropy))
    yield _row("  the same, standalone, bits", figures, lambda one: format_decimal(one.wording.standalone_entropy))
    yield _row("  distinct-1", figures, lambda one: format_decimal(one.wording.distinct_1, 3))
    yield _row("  distinct-2", figures, lambda one: format_decimal(one.wording.distinct_2, 3))
    yield _row("  asked in another dialogue, too", figures, lambda one: format_percent(one.wording.repeated))
    yield from _shares("first words", figures, lambda one: one.wording.first_words, FIRST_WORDS)


def _queries(figures: Sequence[Figures]) -> Iterator[Row]:
    yield "queries", ()
    yield _row("  triple patterns per query", figures, lambda one: format_spread(one.queries.triples_per_query))
    yield _row("  complexity (Maestro), mean", figures, lambda one: format_decimal(one.queries.complexity.mean, 3))
    yield _row("  complexity (Maestro), most", figures, lambda one: format_decimal(one.queries.complexity.most, 3))
    yield _row("  predicates used", figures, lambda one: str(len(one.queries.predicates)))
    if any(one.queries.unread for one in figures):
        yield _row("  no SPARQL 1.1 (in no other row)", figures, lambda one: str(one.queries.unread))
    found = dict.fromkeys(feature for one in figures for feature in one.queries.features)
    yield "SPARQL features (share of the queries)", ()
    for name in found:
        yield f"  {name}", tuple(format_percent(_of(one.queries.features[name], one.queries.read)) for one in figures)


def _ground(figures: Sequence[Figures]) -> Iterator[Row]:
    grounds = [one.ground for one in figures]
    if not any(grounds):
        yield from _shares("seed types", figures, lambda one: Counts.of(_type_names(one)), FIRST_WORDS)
        return
    yield "against the knowledge graph", ()
    yield "  divergence of the seed types, bits", tuple(format_decimal(g.divergence if g else None, 3) for g in grounds)
    yield "  askable predicates that are asked", tuple(f"{g.used} of {g.askable}" if g else "-" for g in grounds)
    yield "  triples with such a predicate", tuple(format_percent(g.triples if g else None) for g in grounds)
    yield "seed types (benchmark / graph)", ()
    labels = dict.fromkeys((row.iri, row.label) for g in grounds if g for row in g.types)
    for iri, label in labels:
        rows = [next((row for row in g.types if row.iri == iri), None) if g else None for g in grounds]
        yield f"  {label}", tuple(f"{row.benchmark:.1%} / {row.kg:.1%}" if row else "-" for row in rows)


def _costs(figures: Sequence[Figures]) -> Iterator[Row]:
    yield "costs", ()
    yield _row("  model calls per dialogue", figures, lambda one: format_decimal(one.costs.calls_per_dialogue.mean, 1))
    yield _row("  tokens per dialogue", figures, lambda one: f"{one.costs.tokens_per_dialogue.mean:,.0f}")
    yield _row("  model calls in all", figures, lambda one: f"{one.costs.calls:,}")
    yield _row("  tokens in all", figures, lambda one: f"{one.costs.prompt_tokens + one.costs.completion_tokens:,}")
    yield _row("  price, US dollars", figures, lambda one: format_decimal(one.costs.usd, 4))
    yield _row(
        "  seeds that became dialogues",
        figures,
        lambda one: format_percent(one.costs.seeds.success if one.costs.seeds else None),
    )
    if any(one.costs.timing for one in figures):
        times = [one.costs.timing for one in figures]
        yield (
            "  seconds of model and endpoint",
            tuple(format_decimal(time.seconds if time else None, 1) for time in times),
        )
        yield (
            "  queries per dialogue",
            tuple(format_decimal(time.queries_per_dialogue if time else None, 1) for time in times),
        )
    if any(one.costs.estimated for one in figures):
        yield "  tokens are estimated: characters / 4", tuple("yes" if one.costs.estimated else "no" for one in figures)


def _asks(one: Figures) -> str:
    number = one.talk.asks_true + one.talk.asks_false
    return f"{number} ({one.talk.asks_true}, {one.talk.asks_false})" if number else "-"


def _turns(one: Figures) -> SummaryStatistics:
    return SummaryStatistics.of(
        int(length) for length, number in one.talk.turns_per_dialogue.items for _ in range(number)
    )


def _type_names(one: Figures) -> Iterator[str]:
    return (type_name(iri) for iri, number in one.seed_types.items for _ in range(number))


def _of(part: int, whole: int) -> float | None:
    return part / whole if whole else None
