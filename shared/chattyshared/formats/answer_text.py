"""Gold answers in words, for formats that hold text."""

from __future__ import annotations

from chattyshared.dialogue import Turn, Value

NO_ANSWER_TEXT = "The knowledge graph does not say."


def verbalize_answers(turn: Turn) -> str:
    """Return a turn's gold answer as a person would say it: ``Yes``, ``A, B and C``, or that the KG does not say."""
    if not turn.answers:
        return NO_ANSWER_TEXT
    *most, last = map(verbalize_value, turn.answers)
    return f"{', '.join(most)} and {last}" if most else last


def verbalize_value(value: Value) -> str:
    """Return one element of an answer as a person would say it: its label, ``Yes`` or ``No``, or the literal."""
    if value.kind == "boolean":
        return "Yes" if value.value == "true" else "No"
    return value.label or value.value
