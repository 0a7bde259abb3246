"""Maestro: a list of questions about seeds, with queries and answers as plain texts."""

from __future__ import annotations

from chattyshared.formats.json_paths import Part
from chattyshared.formats.records import Taken, stated
from chattyshared.questions import Question

_KEPT = ("seed_withPrefix", "seedType_withPrefix", "questionType", "shapeType", "noOfTriples")


def read(file: Part) -> Taken:
    """Read a Maestro file; questions are numbered from 1.

    Raises:
        BenchmarkInvalid: a value is missing or of another kind than the format has it.
    """
    asked = tuple(
        Question(
            id=number,
            question=item["questionString"].text(),
            lang="en",
            answers=tuple(part.lexical() for part in item["answers"].items()) if "answers" in item else None,
            extra=stated(sparql=item["query"].text(needed=False), **{key: item.value.get(key) for key in _KEPT}),
        )
        for number, item in enumerate(file.items(), 1)
    )
    return Taken(asked)
