"""A self-contained page of figures: headlines, samples, plots of all shares, the table, and what the figures mean."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattyshared.figures import Counts, Figure, Section, Values, first_names, headlines, render_rows_of_figures
from chattyshared.pages.frame import Chart, render_document, series_style
from chattyshared.pages.plots import Series, render_bars
from chattyshared.pages.samples import Sample, render_samples
from chattyshared.templates import render_template
from chattyshared.text import render_figures


def render_figure_page(
    sections: Sequence[Section],
    columns: Mapping[str, Values],
    *,
    title: str,
    lead: str,
    origins: Sequence[str],
    samples: Sequence[Sample] = (),
    headers: Mapping[str, Mapping[str, Any]],
) -> str:
    """Return the page for the figures of files by their short names; ``lead`` is one sentence about them, ``origins``
    tell where each is from, and ``headers`` are shown as they are."""
    values, names = list(columns.values()), list(columns)
    tiles = [list(headlines(sections, each)) for each in values]
    body = render_template(
        __package__,
        "figures.html.j2",
        title=title,
        lead=lead,
        names=names,
        files=list(zip(names, origins, tiles, strict=True)),
        samples=render_samples(samples, ()),
        sections=list(_charts(sections, columns)),
        table="\n".join(render_figures(names, list(render_rows_of_figures(sections, values)))),
        headers=[(name, json.dumps(header, ensure_ascii=False, indent=2)) for name, header in headers.items()],
        notes=[(figure.name, figure.help) for section in sections for figure in section.figures if figure.help],
    )
    return render_document(title, body, parts=("samples",) if samples else ())


def _charts(sections: Sequence[Section], columns: Mapping[str, Values]) -> Iterator[tuple[str, list[Chart]]]:
    """Yield the sections with shares: the heading, and a plot of each figure."""
    for section in sections:
        charts: list[Chart] = []
        for key, figure in section.keys():
            if figure.name:
                cells = [figure.format(values[key]) if values.get(key) else "" for values in columns.values()]
                charts += _chart(figure, dict(zip(columns, cells, strict=True)))
        if charts:
            yield section.heading or charts[0].title, charts


def _chart(figure: Figure, cells: Mapping[str, object]) -> Iterator[Chart]:
    """Yield a plot of the shares of the files that have any, each in the color of its place."""
    counts = {place: (name, cell) for place, (name, cell) in enumerate(cells.items()) if isinstance(cell, Counts)}
    series = [Series(name, series_style(place), each.shares()) for place, (name, each) in counts.items() if each.items]
    if series:
        shown = first_names(each for _, each in counts.values())
        total = len({name for bars in series for name in bars.values})
        more = f"; the first {len(shown)} of {total}" if total > len(shown) else ""
        caption = f"shares{more}" + (f"; {figure.help}" if figure.help else "")
        yield Chart(figure.name, caption, render_bars(figure.name, shown, series))
