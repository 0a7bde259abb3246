"""The tables of a comparison as text, and as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattyshared.pages.frame import Chart, render_document, render_plots, series_style
from chattyshared.pages.plots import Series, render_bars
from chattyshared.templates import render_template
from chattyshared.text import Column, render_rows

from chattykg.comparison.results import Row

Tables = Mapping[str, Sequence[Row]]
_NOTE = (
    "F1, P@1 and answered are means over the questions with gold, with a 95 % bootstrap interval over dialogues; trust "
    "is +1 for a right answer, 0 for none, -1 for a wrong one. Difference: F1 less the baseline's on the same "
    "questions, p of the paired permutation test, and p corrected by Holm for the number of tests. Solved: exactly "
    "gold's set. Short: up to 6 words; long: 12 and more. Success: dialogues of all seeds that were tried. "
    "Tau: Kendall's tau-b of the F1s of the systems on two sets, with a bootstrap interval over dialogues."
)


def render_tables(tables: Tables) -> str:
    """Return the tables as text; a table without lines is left out."""
    parts = []
    for title, columns in _filled(tables):
        rows = zip(*(cells for _, cells in columns), strict=True)
        parts.append("\n".join((title, *render_rows([column for column, _ in columns], rows))))
    return "\n\n".join(parts)


def render_page(title: str, tables: Tables) -> str:
    """Return the tables, and a plot of each graph, as an HTML page."""
    body = render_template(
        __package__, "tables.html.j2", title=title, note=_NOTE, plots=render_plots(_charts(tables["systems"])),
        tables=list(_filled(tables)),
    )  # fmt: skip
    return render_document(title, body)


def _filled(tables: Tables) -> Iterator[tuple[str, list[tuple[Column, list[str]]]]]:
    """Yield the tables with lines, each by its columns with values and their cells."""
    for title, rows in tables.items():
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
        filled = [
            (Column(name, any(isinstance(value, int | float) for value in values)), [*map(_cell, values)])
            for name, values in columns.items()
            if any(value is not None for value in values)
        ]
        if filled:
            yield title, filled


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " - ".join(map(_cell, value))
    if isinstance(value, float):
        digits = 1 if abs(value) >= 10 else 4 if 0 < abs(value) < 0.001 else 3  # noqa: PLR2004
        return f"{value:,.{digits}f}"
    return "-" if value in (None, "") else f"{value:,}" if isinstance(value, int) else str(value)


def _charts(rows: Sequence[Row]) -> Iterator[Chart]:
    for graph in dict.fromkeys(row["graph"] for row in rows):
        shown = {row["system"]: row for row in rows if row["graph"] == graph}
        ranges = {name: tuple(row["interval"]) for name, row in shown.items() if row["interval"]}
        series = Series("F1", series_style(0), {name: row["F1"] for name, row in shown.items()}, ranges=ranges)
        yield Chart(graph, "mean F1 with its interval", render_bars(graph, list(shown), [series], format_value=_cell))
