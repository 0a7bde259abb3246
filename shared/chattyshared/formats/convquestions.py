"""ConvQuestions JSON: a list of conversations about a seed entity, each turn with its answer as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chattyshared.dialogue import Dialogue, Turn, Value
from chattyshared.formats.phrasing import word_of
from chattyshared.terms import readable

SEPARATOR = ";"
"""Stands between the elements of an answer; readers split there, so that one within a value becomes a comma."""


def conversations(dialogues: Iterable[Dialogue]) -> list[dict[str, Any]]:
    """Return a ConvQuestions file; ``domain`` is the name of the seed's class, ``completed_question`` stands alone."""
    return [
        {
            "domain": readable(dialogue.seed.type) if dialogue.seed.type else "",
            "seed_entity": dialogue.seed.iri,
            "seed_entity_text": dialogue.seed.label,
            "questions": [_question(turn) for turn in dialogue.turns],
        }
        for dialogue in dialogues
    ]


def _question(turn: Turn) -> dict[str, str]:
    return {
        "question": turn.question,
        "answer": SEPARATOR.join(_value(answer) for answer in turn.answers),
        "answer_text": SEPARATOR.join(word_of(answer).replace(SEPARATOR, ",") for answer in turn.answers),
        "completed_question": turn.standalone,
    }


def _value(answer: Value) -> str:
    """Return an IRI or a literal; a boolean is yes or no, as the format has it."""
    if answer.kind == "boolean":
        return "yes" if answer.value == "true" else "no"
    return answer.value if answer.kind == "iri" else answer.value.replace(SEPARATOR, ",")
