"""What a reader of a foreign file hands over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chattyshared.questions import Question


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """Questions in the file's order, sentences on what was left out or could not be known, the prefixes that the
    file's queries take for declared, and the name of the file that the gold answers stand in, if it is another."""

    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    answers_file: str = ""


def drop_empty(**options: Any) -> dict[str, Any]:
    """Return the further keys of a question (``sparql``, ``standalone`` ...) that the file says something of."""
    return {key: value for key, value in options.items() if value not in (None, "", [])}
