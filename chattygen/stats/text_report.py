"""The figures of benchmark files as text: one column a file, one row a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from chattyshared.popularity import BANDS
from chattyshared.text import FigureRow, render_figures

from chattygen.stats.distributions import Counts, SummaryStatistics, share
from chattygen.stats.figures import Figures
from chattygen.stats.kg_coverage import KGCoverage, type_name

T = TypeVar("T")
FIRST_WORDS = 10
"""How many pairs of first words the table shows."""


def render_table(figures: Sequence[Figures]) -> str:
    """Return the figures of one or more files side by side, as lines of text."""
    sections = (_dialogue_rows, _mix_rows, _wording_rows, _query_rows, _kg_rows, _cost_rows)
    rows = [row for section in sections for row in section(figures)]
    names = short_names(figures)
    if len(names) == 1:
        return "\n".join([*names, *render_figures((), rows)])
    return "\n".join(render_figures(names, rows))


def short_names(figures: Sequence[Figures]) -> tuple[str, ...]:
    """Return a short name for each file: its own, with its folder where two files have the same name."""
    paths = [Path(file.file) for file in figures]
    stems = [path.stem for path in paths]
    if len(set(stems)) == len(stems):
        return tuple(stems)
    folders = [f"{path.parent.name}/{path.name}" for path in paths]
    return tuple(folders if len(set(folders)) == len(folders) else [str(path) for path in paths])


def format_percent(value: float | None) -> str:
    """Return a share as percent, or a dash if it is None."""
    return "-" if value is None else f"{value:.1%}"


def format_decimal(value: float | None, places: int = 2) -> str:
    """Return a number with ``places`` decimals, or a dash if it is None."""
    return "-" if value is None else f"{value:.{places}f}"


def format_spread(value: SummaryStatistics) -> str:
    """Return a summary as ``mean (least-most)``, or a dash if it is empty."""
    return f"{value.mean:.1f} ({value.least:g}-{value.most:g})" if value.n else "-"


def _row(name: str, compared: Sequence[T], cell: Callable[[T], str]) -> FigureRow:
    return name, tuple(map(cell, compared))


def _shares(
    heading: str, figures: Sequence[Figures], counts: Callable[[Figures], Counts], most: int = 0
) -> Iterator[FigureRow]:
    """Yield a heading and one row a name: the names of all files, by greatest share; at most ``most`` (0: all)."""
    shares = [counts(file).shares() for file in figures]
    names = {name for file_shares in shares for name in file_shares}
    ordered = sorted(names, key=lambda name: (-max(file_shares.get(name, 0) for file_shares in shares), name))
    if ordered:
        yield heading, ()
        for name in ordered[: most or len(ordered)]:
            cells = (format_percent(file_shares.get(name, 0.0)) if file_shares else "-" for file_shares in shares)
            yield f"  {name}", tuple(cells)


def _dialogue_rows(figures: Sequence[Figures]) -> Iterator[FigureRow]:
    yield _row("dialogues", figures, lambda file: f"{file.talk.dialogues:,}")
    yield _row("turns", figures, lambda file: f"{file.talk.turns:,}")
    yield _row("turns per dialogue", figures, lambda file: format_spread(_turn_summary(file)))
    yield _row("later turns that hang on an answer", figures, lambda file: format_percent(file.talk.on_answer))
    yield _row("answerable", figures, lambda file: format_percent(file.talk.answerable))
    yield _row("yes-no turns (true, false)", figures, _yes_no_counts)
    yield _row("elements of a gold answer", figures, lambda file: format_spread(file.talk.answers))
    yield from _shares("forms", figures, lambda file: file.talk.forms)
    yield from _shares("unanswerable questions (share of them)", figures, lambda file: file.talk.unanswerable)
    yield from _shares("links", figures, lambda file: file.talk.links)
    yield from _shares("difficulty", figures, lambda file: file.talk.difficulty)
    yield from _shares("answer types", figures, lambda file: file.talk.answer_types, FIRST_WORDS)


def _mix_rows(figures: Sequence[Figures]) -> Iterator[FigureRow]:
    """Yield the mix of forms that came out, and the mix that was requested."""
    requested = dict.fromkeys(entry.name for file in figures for entry in file.talk.mix)
    if requested:
        yield "mix (came out / wanted)", ()
    for name in requested:
        cells = [next((entry for entry in file.talk.mix if entry.name == name), None) for file in figures]
        yield f"  {name}", tuple(f"{cell.got:.1%} / {cell.wanted:.1%}" if cell else "-" for cell in cells)


def _wording_rows(figures: Sequence[Figures]) -> Iterator[FigureRow]:
    yield "wording", ()
    yield _row("  words per question", figures, lambda file: format_spread(file.wording.words))
    yield _row("  words per standalone question", figures, lambda file: format_spread(file.wording.standalone_words))
    yield _row("  distinct first two words", figures, lambda file: str(len(file.wording.first_words)))
    yield _row("  entropy of the first two words, bits", figures, lambda file: format_decimal(file.wording.entropy))
    yield _row("  the same, standalone, bits", figures, lambda file: format_decimal(file.wording.standalone_entropy))
    yield _row("  distinct-1", figures, lambda file: format_decimal(file.wording.distinct_1, 3))
    yield _row("  distinct-2", figures, lambda file: format_decimal(file.wording.distinct_2, 3))
    yield _row("  asked in another dialogue, too", figures, lambda file: format_percent(file.wording.repeated))
    yield from _shares("first words", figures, lambda file: file.wording.first_words, FIRST_WORDS)


def _query_rows(figures: Sequence[Figures]) -> Iterator[FigureRow]:
    yield "queries", ()
    yield _row("  triple patterns per query", figures, lambda file: format_spread(file.queries.triples_per_query))
    yield _row("  complexity (Maestro), mean", figures, lambda file: format_decimal(file.queries.complexity.mean, 3))
    yield _row("  complexity (Maestro), most", figures, lambda file: format_decimal(file.queries.complexity.most, 3))
    yield _row("  predicates used", figures, lambda file: str(len(file.queries.predicates)))
    if any(file.queries.unread for file in figures):
        yield _row("  no SPARQL 1.1 (in no other row)", figures, lambda file: str(file.queries.unread))
    yield from _shares("shapes (share of the queries)", figures, lambda file: file.queries.shapes)
    features = dict.fromkeys(feature for file in figures for feature in file.queries.features)
    yield "SPARQL features (share of the queries)", ()
    for name in features:
        shares = (share(file.queries.features[name], file.queries.read) for file in figures)
        yield f"  {name}", tuple(map(format_percent, shares))


def _kg_rows(figures: Sequence[Figures]) -> Iterator[FigureRow]:
    coverages = [file.ground for file in figures]
    if not any(coverages):
        yield from _shares("seed types", figures, lambda file: Counts.of(_type_names(file)), FIRST_WORDS)
        return
    yield "against the knowledge graph", ()
    yield _row(
        "  divergence of the seed types, bits", coverages, lambda kg: format_decimal(kg.divergence if kg else None, 3)
    )
    yield _row("  usable classes with a seed", coverages, lambda kg: f"{kg.asked} of {kg.usable}" if kg else "-")
    yield _row("  askable predicates that are asked", coverages, lambda kg: f"{kg.used} of {kg.askable}" if kg else "-")
    yield _row("  triples with such a predicate", coverages, lambda kg: format_percent(kg.triples if kg else None))
    for name, cell in _BAND_CELLS:
        yield f"  {name}: head, torso, tail", tuple(cell(kg) if kg else "-" for kg in coverages)
    yield "seed types (benchmark / graph)", ()
    labels = dict.fromkeys((row.iri, row.label) for kg in coverages if kg for row in kg.types)
    for iri, label in labels:
        rows = [next((row for row in kg.types if row.iri == iri), None) if kg else None for kg in coverages]
        yield f"  {label}", tuple(f"{row.benchmark:.1%} / {row.kg:.1%}" if row else "-" for row in rows)


def _band_shares(counts: Counts) -> str:
    return ", ".join(format_percent(counts.shares().get(band, 0.0)) for band in BANDS)


_BAND_CELLS: tuple[tuple[str, Callable[[KGCoverage], str]], ...] = (
    ("seeds by their triples", lambda kg: _band_shares(kg.seed_bands)),
    ("turns by their rarest predicate", lambda kg: _band_shares(kg.turn_bands)),
    ("predicates asked", lambda kg: ", ".join(f"{used} of {all}" for used, all in kg.band_predicates.values())),
)
"""What is told by bands: its name, and the text of its three figures."""


def _cost_rows(figures: Sequence[Figures]) -> Iterator[FigureRow]:
    seeds, times = [file.costs.seeds for file in figures], [file.costs.timing for file in figures]
    yield "costs", ()
    yield _row(
        "  model calls per dialogue", figures, lambda file: format_decimal(file.costs.calls_per_dialogue.mean, 1)
    )
    yield _row("  tokens per dialogue", figures, lambda file: f"{file.costs.tokens_per_dialogue.mean:,.0f}")
    yield _row("  model calls in all", figures, lambda file: f"{file.costs.calls:,}")
    yield _row("  tokens in all", figures, lambda file: f"{file.costs.prompt_tokens + file.costs.completion_tokens:,}")
    yield _row("  price, US dollars", figures, lambda file: format_decimal(file.costs.usd, 4))
    yield _row("  seeds that became dialogues", seeds, lambda used: format_percent(used.success if used else None))
    if any(times):
        yield _row(
            "  seconds of model and endpoint", times, lambda time: format_decimal(time.seconds if time else None, 1)
        )
        yield _row(
            "  queries per dialogue", times, lambda time: format_decimal(time.queries_per_dialogue if time else None, 1)
        )
    if any(file.costs.estimated for file in figures):
        yield _row(
            "  tokens are estimated: characters / 4", figures, lambda file: "yes" if file.costs.estimated else "no"
        )
    yield from _stage_rows(figures)


def _stage_rows(figures: Sequence[Figures]) -> Iterator[FigureRow]:
    """Yield how many first queries of a model were right, by what its prompts showed, and the costs of each stage."""
    times = [file.costs.timing for file in figures]
    if any(time and time.first_queries for time in times):
        cells = (share(time.right_first_queries, time.first_queries) if time else None for time in times)
        yield "  facts in prompts", tuple(file.context or "-" for file in figures)
        yield "  SPARQL of a model that is right at once", tuple(map(format_percent, cells))
    stages = dict.fromkeys(name for time in times if time for name in time.stages)
    if stages:
        yield "stages (seconds of work / model calls / tokens / queries)", ()
    for name in stages:
        costs = [time.stages.get(name) if time else None for time in times]
        cell = (f"{c.seconds:.1f} / {c.calls:,} / {c.tokens:,} / {c.queries:,}" if c else "-" for c in costs)
        yield f"  {name}", tuple(cell)


def _yes_no_counts(file: Figures) -> str:
    number = file.talk.asks_true + file.talk.asks_false
    return f"{number} ({file.talk.asks_true}, {file.talk.asks_false})" if number else "-"


def _turn_summary(file: Figures) -> SummaryStatistics:
    return SummaryStatistics.of(
        int(length) for length, number in file.talk.turns_per_dialogue.items for _ in range(number)
    )


def _type_names(file: Figures) -> Iterator[str]:
    return (type_name(iri) for iri, number in file.seed_types.items for _ in range(number))
