"""Tables of plain text: aligned columns, headings between the rows, characters of double width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

FIGURE_WIDTH = 8
"""The least width of a column of figures, in cells of the terminal."""
FigureRow = tuple[str, tuple[str, ...]]
"""A figure's name and its cells, one a system or file; a row without cells is a heading."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its head, its side, and its least and greatest width in cells of the terminal (0: no limit)."""

    head: str = ""
    right: bool = False
    min_width: int = 0
    max_width: int = 0


def text_width(text: str) -> int:
    """Return how many cells of a terminal a text takes: combining marks none, East Asian wide characters two."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def render_rows(columns: Sequence[Column], rows: Iterable[Sequence[str]], *, gap: int = 2) -> list[str]:
    """Return the lines of a table: the heads, unless all are empty, then one line a row.

    A cell beyond its column's greatest width is cut. ``gap`` is the number of spaces between two columns.
    """
    heads = [column.head for column in columns]
    lines = [[_cut(cell, column) for cell, column in zip(row, columns, strict=True)] for row in rows]
    lines = [heads, *lines] if any(heads) else lines
    widths = [
        max((column.min_width, *(text_width(line[index]) for line in lines))) for index, column in enumerate(columns)
    ]
    return [(" " * gap).join(map(_pad, line, widths, (column.right for column in columns))).rstrip() for line in lines]


def render_figures(heads: Sequence[str], rows: Sequence[FigureRow]) -> list[str]:
    """Return the lines of figures side by side, one column a system or file; a blank line stands before a heading.

    The line of heads is left out if ``heads`` is empty.
    """
    count = len(heads) or max(len(cells) for _, cells in rows)
    first = Column(min_width=max(text_width(name) for name, _ in rows))
    columns = [first, *(Column(head, True, FIGURE_WIDTH) for head in (heads or [""] * count))]
    lines = iter(render_rows(columns, [(name, *cells) for name, cells in rows if cells]))
    return [*([next(lines)] if any(heads) else []), *_with_headings(rows, lines)]


def _with_headings(rows: Sequence[FigureRow], lines: Iterator[str]) -> Iterator[str]:
    for name, cells in rows:
        if cells:
            yield next(lines)
        else:
            yield ""
            yield name


def _cut(text: str, column: Column) -> str:
    while column.max_width and text_width(text) > column.max_width:
        text = text[:-1]
    return text


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - text_width(text))
    return space + text if right else text + space


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
