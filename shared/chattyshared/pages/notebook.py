"""What a notebook shows of answers, conversations, dialogues and figures: HTML fragments, and data frames of pandas.

Every text of a graph, a model or a user is escaped. A fragment names no font and no color, so it fits a light and a
dark notebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from chattyshared.dialogue import Answer, Dialogue, History, Turn, Value
from chattyshared.errors import ConfigError
from chattyshared.runs.manifest import install_command

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame

MAX_SHOWN = 25
"""The most values of an answer, and the most rows of a table, that are shown."""
_FRAME = '<div class="tex2jax_ignore mathjax_ignore">'
"""Notebooks set text between dollar signs as formulas, unless a class says no."""
_LEFT = 'style="text-align:left"'
MAX_SHOWN_LABELS = 5
"""The most values in one cell."""
_MAX_CHARACTERS = 400
"""The most characters of one text."""


def render_answer(answer: Answer) -> str:
    """Return an answer: the sentence, the values or rows, remarks, and the query to unfold."""
    heading = f"{answer.sentence[:1].upper()}{answer.sentence[1:]}:" if answer.rows else str(answer)
    parts = [f"<p>{_text(heading)}</p>"]
    if answer.rows:
        parts.append(
            _render_cells(answer.columns, ([_value(value) for value in row] for row in answer.rows), len(answer.rows))
        )
    elif len(answer.values) > 1:
        parts.append(_list_items(map(_value, answer.values), len(answer.values)))
    if answer.options:
        parts.append(_list_items((_text(option.label) for option in answer.options), len(answer.options), tag="ol"))
    remarks = [note for note in answer.notes if answer.values or note != answer.explanation]
    parts += [f"<p><small>{_text(remark)}</small></p>" for remark in remarks[:MAX_SHOWN]]
    if answer.suggestions:
        parts.append("<p>You can ask, for example:</p>")
        parts.append(_list_items(map(_text, answer.suggestions), len(answer.suggestions)))
    if answer.evidence:
        triples = (" · ".join(map(_value, (one.subject, one.predicate, one.object))) for one in answer.evidence)
        parts.append(_unfold("because", _list_items(triples, len(answer.evidence))))
    details = [
        ("understood as", answer.standalone),
        ("confidence", f"{answer.confidence:.2f}" if answer.values else ""),
    ]
    summary = "".join(f"<p>{name}: {_text(text)}</p>" for name, text in details if text)
    query = f"<pre>{escape(answer.sparql)}</pre>" if answer.sparql else ""
    if summary or query:
        parts.append(_unfold("where it comes from", summary + query))
    return f"{_FRAME}{''.join(parts)}</div>"


def render_conversation(history: History) -> str:
    """Return the questions of a conversation with their answers."""
    rows = ((_text(exchange.question), _text(str(exchange.answer))) for exchange in history)
    return f"{_FRAME}{_render_cells(('question', 'answer'), rows, len(history))}</div>"


def render_dialogue(dialogue: Dialogue) -> str:
    """Return the turns of a dialogue with their gold answers."""
    rows = ((str(turn.turn), _text(turn.question), _gold(turn), turn.form, turn.link) for turn in dialogue.turns)
    table = _render_cells(("turn", "question", "gold answer", "form", "link"), rows, len(dialogue.turns))
    return f"{_FRAME}<p>{_text(dialogue.id)}: {_text(dialogue.seed.label)}</p>{table}</div>"


def render_dialogues(title: str, dialogues: Sequence[Dialogue]) -> str:
    """Return the first turns of several dialogues."""
    turns = [(dialogue, turn) for dialogue in dialogues for turn in dialogue.turns]
    title = f"{title} ({len(dialogues):,} dialogues, {len(turns):,} turns)"
    rows = ((_text(dialogue.id), str(turn.turn), _text(turn.question), _gold(turn)) for dialogue, turn in turns)
    table = _render_cells(("dialogue", "turn", "question", "gold answer"), rows, len(turns))
    return f"{_FRAME}<p>{_text(title)}</p>{table}</div>"


def render_rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of texts under its title."""
    cells = (tuple(map(_text, row)) for row in rows)
    return f"{_FRAME}<p>{_text(title)}</p>{_render_cells(columns, cells, len(rows))}</div>"


def make_data_frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> DataFrame:
    """Return a data frame with a line per row.

    Raises:
        ConfigError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise ConfigError(f"a data frame needs pandas: {install_command('pandas')}, or pip install pandas") from error
    return pandas.DataFrame(list(rows), columns=list(columns))


def _render_cells(columns: Sequence[str], rows: Iterable[Sequence[str]], total: int) -> str:
    """Return a table of HTML cells: its first rows, and the number of the others; nothing without rows."""
    if not total:
        return ""
    head = "".join(f"<th {_LEFT}>{escape(name)}</th>" for name in columns)
    lines = "".join(
        f"<tr>{''.join(f'<td {_LEFT}>{cell}</td>' for cell in row)}</tr>" for row in islice(rows, MAX_SHOWN)
    )
    return f"<table>{f'<tr>{head}</tr>' if head else ''}{lines}</table>{_others(total, MAX_SHOWN)}"


def _list_items(items: Iterable[str], total: int, *, tag: str = "ul") -> str:
    shown = "".join(f"<li>{item}</li>" for item in islice(items, MAX_SHOWN))
    return f"<{tag}>{shown}</{tag}>{_others(total, MAX_SHOWN)}"


def _unfold(summary: str, content: str) -> str:
    return f"<details><summary><small>{escape(summary)}</small></summary>{content}</details>"


def _others(total: int, shown: int) -> str:
    return f"<p><small>and {total - shown:,} more</small></p>" if total > shown else ""


def _value(value: Value) -> str:
    """Return a value; a vertex leads to its IRI if that is a web address."""
    if value.kind != "iri" or not value.value.startswith(("http://", "https://")):
        return _text(value.text)
    return f'<a href="{escape(value.value)}" rel="noopener noreferrer">{_text(value.text)}</a>'


def _gold(turn: Turn) -> str:
    values, more = [value.text for value in turn.answers[:MAX_SHOWN_LABELS]], len(turn.answers) - MAX_SHOWN_LABELS
    values += [f"and {more:,} more"] if more > 0 else []
    return _text(", ".join(values)) if values else "<em>the graph does not say</em>"


def _text(text: str) -> str:
    shown = text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"
    return escape(shown).replace("\n", "<br>")
