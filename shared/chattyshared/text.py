"""Texts for people: lists, quotes and bounded lines, prose, and tables with aligned columns of any script."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_MIN_WORDS = 3
"""Words of a text with a full stop from which it can be a sentence; set by hand."""
_MAX_PHRASE_WORDS = 6
"""Words up to which a text without a full stop is a phrase; set by hand."""
_MIN_LOWER_SHARE = 0.6
"""Share, 0..1, of words in small letters behind the first word of a sentence: titles and names have fewer; by hand."""
_PROSE_SHARE = 0.5
"""Share, 0..1, of sentences among the values of a predicate for prose; set by hand."""
FIGURE_WIDTH = 8
"""The least width of a column of figures, in cells of the terminal."""
FigureRow = tuple[str, tuple[str, ...]]
"""A figure's name and its cells, one a system or file; a row without cells is a heading."""


def join_texts(texts: Iterable[str], conjunction: str = "and", most: int = 0) -> str:
    """Return texts as a list in a sentence ("A, B and C"); with ``most`` its last element counts those left out."""
    listed = list(texts)
    if most and len(listed) > most:
        listed = [*listed[: most - 1], f"{len(listed) - most + 1} more"]
    return f" {conjunction} ".join((", ".join(listed[:-1]), listed[-1])) if len(listed) > 1 else "".join(listed)


def quote_text(text: str, limit: int | None = None) -> str:
    """Return at most ``limit`` characters of a text on one line, in double quotes; its own become single ones."""
    return '"' + " ".join(text[:limit].replace('"', "'").split()) + '"'


def cut_text(text: str, limit: int) -> str:
    """Return a text on one line; a text of more than ``limit`` characters is cut, with an ellipsis behind it."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[:limit].rstrip()}…"


def is_sentence(text: str) -> bool:
    """Tell whether a text is a sentence: mostly words in small letters, with a full stop or more than six words."""
    others = text.split()[1:]
    lower = sum(word[:1].islower() for word in others)
    has_stop = text.rstrip().endswith(".") and len(others) + 1 >= _MIN_WORDS
    return (has_stop or len(others) >= _MAX_PHRASE_WORDS) and lower >= _MIN_LOWER_SHARE * len(others)


def are_sentences(texts: Iterable[str]) -> bool:
    """Tell whether at least half of some texts are sentences; not if there are none."""
    listed = list(texts)
    return bool(listed) and sum(map(is_sentence, listed)) >= _PROSE_SHARE * len(listed)


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
