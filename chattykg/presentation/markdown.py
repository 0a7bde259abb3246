"""An answer as text for chats: a sentence, a list, or a table, in Markdown in which no label can act as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from chattyshared.dialogue import Answer, Value

SHOWN_VALUES = 50
"""Values and rows of an answer that a text lists."""
_MARKUP = re.compile(r"[\\`*_\[\]<>|~$]|&(?=#?\w+;)|(?<=\w):(?=//)|(?<=www)\.|^[#+=-]|(?<=^\d)[.)](?=\s)", re.ASCII)
"""Characters that Markdown, and its extensions for tables, links and formulas, give a meaning."""
_MAX_NAME_CHARACTERS = 300
_SUGGESTIONS_HEADING = "You can ask, for example:"
_NOTE = "Note: "
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def render_markdown(answer: Answer, *, limit: int = SHOWN_VALUES) -> str:
    """Return an answer as Markdown: its sentence, or its values as a list or a table; its notes and its options.

    Labels are escaped, so that they are text and no links, images or HTML. ``limit`` values or rows are listed; the
    number of the others follows.
    """
    blocks = [escape_markdown(answer.text or answer.explanation)]
    if answer.rows:
        blocks = [*blocks[: not answer.values], _render_table(answer, limit)]
    elif len(answer.values) > 1:
        blocks = [_render_list(answer.values, limit)]
    blocks += [_render_offers(answer)] if answer.options or answer.suggestions else []
    notes = [note for note in answer.notes if answer.values or note != answer.explanation]
    blocks += [f"{_NOTE}{escape_markdown(note)}" for note in notes]
    return "\n\n".join(block for block in blocks if block)


def _render_list(values: Sequence[Value], limit: int) -> str:
    lines = [f"- {escape_markdown(value.text)}" for value in values[:limit]]
    return "\n".join((*lines, *_rest(len(values) - limit)))


def _render_table(answer: Answer, limit: int) -> str:
    width = max(map(len, answer.rows))
    names = (*answer.columns, *("" for _ in range(width - len(answer.columns))))
    lines = [
        _row(names),
        _row("---" for _ in names),
        *(_row(value.text for value in row) for row in answer.rows[:limit]),
    ]
    return "\n".join((*lines, *_rest(len(answer.rows) - limit, "\n")))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell if cell == '---' else escape_markdown(cell) for cell in cells)} |"


def _rest(number: int, before: str = "") -> Iterator[str]:
    if number > 0:
        yield f"{before}… and {number:,} more"


def _render_offers(answer: Answer) -> str:
    lines = [f"{number}. {escape_markdown(option.label)}" for number, option in enumerate(answer.options, 1)]
    suggestions = [f"- {escape_markdown(question)}" for question in answer.suggestions]
    return "\n".join((*lines, *([_SUGGESTIONS_HEADING, "", *suggestions] if suggestions else [])))


def read_markdown(text: str) -> Iterator[str]:
    """Yield the values in a text of ``render_markdown``: its list, the first column of its table, or its sentence.

    A question back has none.
    """
    lines = [line.strip() for line in text.partition(_SUGGESTIONS_HEADING)[0].splitlines()]
    lines = [line for line in lines if line and not line.startswith(_NOTE)]
    if any(line.startswith("|") for line in lines):
        rows = [_CELL_BORDER.split(line)[1] for line in lines if line.startswith("|") and len(line) > 1]
        yield from map(_unescape_markdown, rows[2:])
    elif any(line.startswith("- ") for line in lines):
        yield from (_unescape_markdown(line[2:]) for line in lines if line.startswith("- "))
    elif not any(line.startswith("1. ") for line in lines):
        yield from map(_unescape_markdown, lines[:1])


def _unescape_markdown(text: str) -> str:
    return _ESCAPED.sub(r"\1", text.strip())


def escape_markdown(text: str) -> str:
    """Return text on one line, cut and with all characters escaped that Markdown gives a meaning."""
    line = " ".join(text.split())
    line = line if len(line) <= _MAX_NAME_CHARACTERS else f"{line[:_MAX_NAME_CHARACTERS]}…"
    return _MARKUP.sub(lambda mark: f"\\{mark[0]}", line)
