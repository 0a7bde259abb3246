"""Gold answers as text, for formats without structured answers."""

from __future__ import annotations

from chattyshared.dialogue import Turn, Value

NO_ANSWER_TEXT = "The knowledge graph does not say."


def verbalize_answers(turn: Turn) -> str:
    """Return a turn's gold answer as text: ``Yes``, ``A, B and C``, or ``NO_ANSWER_TEXT``."""
    if not turn.answers:
        return NO_ANSWER_TEXT
    *others, last = map(verbalize_value, turn.answers)
    return f"{', '.join(others)} and {last}" if others else last


def verbalize_value(value: Value) -> str:
    """Return one element of an answer as text: its label, ``Yes`` or ``No``, or the literal."""
    if value.kind == "boolean":
        return "Yes" if value.value == "true" else "No"
    return value.label or value.value
