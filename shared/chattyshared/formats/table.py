"""CSV tables of questions, a turn a row, as spreadsheets open them.

The first line names the columns; ``question`` is the only one that must be there. Lists of answers and of labels are
joined by `` | `` (within an element ``|`` and a backslash have a backslash before them; an empty element is a lone
backslash). A cell that a spreadsheet would take for a formula has an apostrophe before it, which the reader takes away.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from chattyshared.benchmark import TURN_COLUMNS, turn_row
from chattyshared.dialogue import Dialogue
from chattyshared.errors import BenchmarkInvalid
from chattyshared.formats.reading import ParsedFile, drop_empty
from chattyshared.questions import Question

SEPARATOR = " | "
COLUMNS = (*TURN_COLUMNS, "unanswerable", "lang")
"""The columns that are written."""
_DELIMITERS = ",;\t"
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_PROTECTED = re.compile(r"'+[=+\-@\t\r]")
_TRUTH = {"true": True, "false": False}
_MAX_CELL = 1 << 30
"""Characters of the longest cell; Python's own limit is too short for long lists of answers."""


def to_table(dialogues: Iterable[Dialogue]) -> str:
    """Return the turns of dialogues as CSV (RFC 4180)."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for dialogue in dialogues:
        for turn in dialogue.turns:
            row = {**turn_row(dialogue, turn), "unanswerable": turn.unanswerable, "lang": dialogue.lang}
            writer.writerow(protect_cell(_to_cell(row[name])) for name in COLUMNS)
    return buffer.getvalue()


def join_list(texts: Iterable[str]) -> str:
    """Return the text of a cell that holds a list."""
    return SEPARATOR.join(map(_escape, texts))


def protect_cell(text: str) -> str:
    """Return a text for a cell: with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def is_table_head(line: str) -> bool:
    """Tell whether a line names the columns of a table of questions; a line with a question mark is a question."""
    return "?" not in line and "question" in _split_head(line)


def parse_table(text: str, path: Path) -> ParsedFile:
    """Parse a table of questions; an empty cell of ``answers`` is gold (nothing) only if the row states ``answerable``.

    Raises:
        BenchmarkInvalid: a row has no question, too many cells, or a turn that is no number; it carries the line. Or
            the table holds the scores of systems.
    """
    csv.field_size_limit(_MAX_CELL)
    text = text.lstrip()
    line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    head, rows = (
        _split_head(line),
        csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter_of(line), strict=True),
    )
    if {"system", "f1"} <= set(head):
        raise BenchmarkInvalid("a table of scores, as chattykg evaluate --csv writes it, has no gold", file=str(path))
    questions: list[Question] = []
    try:
        next(rows)
        for row in rows:
            if not any(row):
                continue
            if len(row) > len(head):
                raise BenchmarkInvalid(f"{len(row)} cells in {len(head)} columns", file=str(path), line=rows.line_num)
            cells = {name: _read_cell(cell) for name, cell in zip(head, row, strict=False)}
            questions.append(_parse_row(cells, len(questions) + 1, str(path), rows.line_num))
    except csv.Error as error:
        raise BenchmarkInvalid(f"not CSV: {error}", file=str(path), line=rows.line_num) from error
    return ParsedFile(tuple(questions))


def _parse_row(cells: Mapping[str, str], number: int, file: str, line: int) -> Question:
    if not cells.get("question", "").strip():
        raise BenchmarkInvalid("the cell of the question is empty", file=file, line=line)
    try:
        turn = float(cells["turn"]) if cells.get("turn") else None
    except ValueError as error:
        raise BenchmarkInvalid(f"the turn {cells['turn']!r:.50} is no number", file=file, line=line) from error
    answers, is_answerable = tuple(_split_list(cells.get("answers", ""))), cells.get("answerable", "").casefold()
    has_gold = bool(answers) or ("answers" in cells and bool(is_answerable)) or is_answerable == "false"
    extra = {name: cells.get(name, "") for name in ("sparql", "standalone", "form", "link", "unanswerable")}
    return Question(
        id=cells.get("id") or number,
        question=cells["question"],
        dialogue_id=cells.get("dialogue") or cells.get("dialogue_id") or None,
        turn=turn,
        lang=cells.get("lang", ""),
        kg=cells.get("kg", ""),
        answers=answers if has_gold else None,
        answer_labels=tuple(_split_list(cells.get("labels") or cells.get("answer_labels") or "")),
        extra=drop_empty(**extra, answerable=_TRUTH.get(is_answerable)),
    )


def _to_cell(value: Any) -> str:
    if isinstance(value, list):
        return join_list(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _escape(text: str) -> str:
    return re.sub(r"([|\\])", r"\\\1", text) or "\\"


def _split_list(cell: str) -> Iterator[str]:
    if cell:
        yield from (re.sub(r"\\(.?)", r"\1", part, flags=re.DOTALL) for part in cell.split(SEPARATOR))


def _read_cell(cell: str) -> str:
    return cell[1:] if _PROTECTED.match(cell) else cell


def _delimiter_of(head: str) -> str:
    return max(_DELIMITERS, key=head.count)


def _split_head(line: str) -> Sequence[str]:
    """Return the names of the columns in lower case."""
    return [name.strip().strip('"').casefold() for name in line.split(_delimiter_of(line))]
