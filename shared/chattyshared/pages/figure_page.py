"""A self-contained page of figures: headlines, samples, plots of all shares, the table, and what the figures mean."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattyshared.figures import (
    Counts,
    Estimate,
    Section,
    Values,
    first_names,
    format_precisely,
    headlines,
    render_rows_of_figures,
)
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
    remarks: str = "",
    samples: Sequence[Sample] = (),
    headers: Mapping[str, Mapping[str, Any]],
) -> str:
    """Return the page for the figures of files or systems by their short names.

    ``lead`` is one sentence about them, ``origins`` tell where each is from, ``remarks`` are HTML for below the
    headlines, and ``headers`` are shown as they are. Answers in the samples are in the order of the columns.
    """
    values, names = list(columns.values()), list(columns)
    tiles = [list(headlines(sections, each)) for each in values]
    body = render_template(
        __package__,
        "figures.html.j2",
        title=title,
        lead=lead,
        names=names,
        files=list(zip(names, origins, tiles, strict=True)),
        remarks=remarks,
        samples=render_samples(samples, names if any(sample.answers for sample in samples) else ()),
        sections=list(_charts(sections, columns)),
        table="\n".join(render_figures(names, list(render_rows_of_figures(sections, values)))),
        headers=[(name, json.dumps(header, ensure_ascii=False, indent=2)) for name, header in headers.items()],
        notes=[(figure.name, figure.help) for section in sections for figure in section.figures if figure.help],
    )
    return render_document(title, body, parts=("samples",) if samples else ())


MAX_BARS = 24
"""The most bars of estimates in a plot."""
Bars = Mapping[str, Estimate]


def _charts(sections: Sequence[Section], columns: Mapping[str, Values]) -> Iterator[tuple[str, list[Chart]]]:
    """Yield the sections with plots: the heading, and a plot of each figure with names, or of all together."""
    for section in sections:
        charts: list[Chart] = []
        if section.caption:
            together = [
                {figure.name: values[key] for key, figure in section.keys() if isinstance(values.get(key), Estimate)}
                for values in columns.values()
            ]
            charts += _plot(section.heading, section.caption, dict(zip(columns, together, strict=True)))
        for key, figure in section.keys():
            if figure.name:
                cells = [figure.format(values[key]) if values.get(key) else "" for values in columns.values()]
                charts += _plot(figure.name, figure.help, dict(zip(columns, cells, strict=True)))
        if charts:
            yield section.heading or charts[0].title, charts


def _plot(title: str, help: str, cells: Mapping[str, object]) -> Iterator[Chart]:
    """Yield a plot of the shares or estimates by name in the cells of files, each in the color of its place."""
    counts = [cell for cell in cells.values() if isinstance(cell, Counts)]
    bars = {name: _bars(cell) for name, cell in cells.items()}
    sizes = {name: bar.n for each in reversed(bars.values()) for name, bar in each.items()}
    shown = first_names(counts) if counts else list(dict.fromkeys(name for each in bars.values() for name in each))
    shown = shown[:MAX_BARS]
    series = [
        Series(
            name, series_style(place), {key: bar.value for key, bar in each.items()},
            {key: bar.interval for key, bar in each.items() if bar.interval},
        )
        for place, (name, each) in enumerate(bars.items()) if each
    ]  # fmt: skip
    if series and counts:
        more = f"; the first {len(shown)} of {len(sizes)}" if len(sizes) > len(shown) else ""
        yield Chart(title, f"shares{more}" + (f"; {help}" if help else ""), render_bars(title, shown, series))
    elif series:
        labels = {name: f"{name} ({size})" if len({*sizes.values()}) > 1 else name for name, size in sizes.items()}
        svg = render_bars(title, shown, series, format_value=format_precisely, format_name=labels.__getitem__)
        yield Chart(title, help, svg)


def _bars(cell: object) -> Bars:
    """Return the bars of a cell: the shares of counts, and estimates of more than no unit."""
    if isinstance(cell, Counts):
        return {name: Estimate(value, 1) for name, value in cell.shares().items()}
    parts = cell.items() if isinstance(cell, Mapping) else ()
    return {name: part for name, part in parts if isinstance(part, Estimate) and part.n}
