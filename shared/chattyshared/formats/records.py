"""The result of a reader of a gold file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chattyshared.questions import Question


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """Questions in the file's order, sentences on what was left out or is unknown, the prefixes that the file's queries
    use without declaration, and the name of the file of the gold answers, if it is another one."""

    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    answers_file: str = ""


def drop_empty(**options: Any) -> dict[str, Any]:
    """Return the further keys of a question (``sparql``, ``standalone`` ...) whose values are not empty."""
    return {key: value for key, value in options.items() if value not in (None, "", [])}
