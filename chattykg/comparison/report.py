"""The tables of a comparison as text, and as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from chattyshared.pages.frame import Chart, render_document, render_plots, series_style
from chattyshared.pages.plots import Series, render_bars
from chattyshared.text import Column, render_rows

from chattykg.comparison.results import Row

Tables = Mapping[str, Sequence[Row]]
_SHORT_TEXT = 60
"""Letters of a text that stands on one line of the page."""
_NOTE = (
    "F1, P@1 and answered are means over the questions with gold, with a 95 % bootstrap interval over dialogues; trust "
    "is +1 for a right answer, 0 for none, -1 for a wrong one. Difference: F1 less the baseline's on the same "
    "questions, p of the paired permutation test, and p corrected by Holm for the number of tests. Solved: exactly "
    "gold's set. Short: up to 6 words; long: 12 and more. Success: dialogues of all seeds that were tried."
)


def render_tables(tables: Tables) -> str:
    """Return the tables as text; a table without lines is left out."""
    parts = []
    for title, columns in _filled(tables):
        heads = [Column(name, is_number) for name, is_number, _ in columns]
        parts.append("\n".join((title, *render_rows(heads, zip(*(cells for _, _, cells in columns), strict=True)))))
    return "\n\n".join(parts)


def render_page(title: str, tables: Tables) -> str:
    """Return the tables, and a plot of each graph, as an HTML page."""
    parts = [f'<h1>{escape(title)}</h1><p class="note">{_NOTE}</p>', render_plots(_charts(tables["systems"]))]
    for heading, columns in _filled(tables):
        cells = ([_html_cell(cell, is_number) for cell in (name, *cells)] for name, is_number, cells in columns)
        lines = "".join(f"<tr>{''.join(line)}</tr>" for line in zip(*cells, strict=True))
        parts.append(f'<h2>{heading}</h2><div style="overflow-x:auto"><table>{lines}</table></div>')
    return render_document(title, "\n".join(parts))


def _filled(tables: Tables) -> Iterator[tuple[str, list[tuple[str, bool, list[str]]]]]:
    """Yield the tables with lines, each by its columns with values: head, whether it has figures, and cells."""
    for title, rows in tables.items():
        heads = [name for name in (rows[0] if rows else ()) if any(row[name] is not None for row in rows)]
        columns = {name: [row[name] for row in rows] for name in heads}
        if columns:
            yield (
                title,
                [
                    (name, any(isinstance(value, int | float) for value in values), [*map(_cell, values)])
                    for name, values in columns.items()
                ],
            )


def _html_cell(text: str, is_number: bool) -> str:
    """Return a cell; a short text is not broken into lines."""
    tag, side = ("td", ' class="n"') if is_number else ("th" if len(text) <= _SHORT_TEXT else "td", "")
    return f"<{tag}{side}>{escape(text)}</{tag}>"


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
