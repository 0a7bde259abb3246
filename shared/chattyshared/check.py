"""Checks of replies, with the problems that the model reads, and the findings in benchmarks and gold files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema


@dataclass(frozen=True, slots=True)
class Problem:
    """One violation of a rule: the rule's short name and a sentence for the model, which has to fix it."""

    rule: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect of a benchmark or a gold file: its kind, what is wrong, and where.

    ``turn`` 0 is the whole dialogue, or the question that the finding is listed with; ``dialogue`` is empty where a
    report states it elsewhere.
    """

    kind: str
    message: str
    turn: int = 0
    dialogue: str = ""


Check = Callable[[Any, Mapping[str, Any]], Iterable[Problem]]
"""A check takes the parsed reply and the variables that the prompt was rendered with, and yields problems.

It never raises for a bad reply, never prints, and never returns a bare bool.
"""


def make_schema_check(schema: Mapping[str, Any]) -> Callable[[Any], Iterator[Problem]]:
    """Return a check that a value matches the JSON Schema; each problem names the JSON path."""
    validator = jsonschema.Draft202012Validator(schema)

    def check(value: Any) -> Iterator[Problem]:
        for error in sorted(validator.iter_errors(value), key=lambda e: e.json_path):
            yield Problem("schema", f"{error.json_path}: {truncate_middle(error.message)}")

    return check


def truncate_middle(message: str) -> str:
    """Cut the middle out of a long message: it begins with the value and ends with the error."""
    return message if len(message) <= 300 else f"{message[:120]} ... {message[-170:]}"


def list_first(texts: Iterable[str], most: int = 3, separator: str = ", ") -> str:
    """Return the first of some texts, and how many more there are; ``nothing`` without any."""
    listed = list(texts)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return separator.join(listed[:most]) + more if listed else "nothing"
