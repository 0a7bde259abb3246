"""Maestro: a list of questions about seeds, with queries and answers as plain texts."""

from __future__ import annotations

from chattyshared.formats.json_paths import JsonNode
from chattyshared.formats.records import ParsedFile, drop_empty
from chattyshared.questions import Question

_EXTRA_KEYS = ("seed_withPrefix", "seedType_withPrefix", "questionType", "shapeType", "noOfTriples")


def parse_maestro(file: JsonNode) -> ParsedFile:
    """Parse a Maestro file; questions are numbered from 1.

    Raises:
        BenchmarkInvalid: a value is missing or has the wrong type.
    """
    questions = tuple(
        Question(
            id=number,
            question=item["questionString"].text(),
            lang="en",
            answers=tuple(part.lexical_form() for part in item["answers"].elements()) if "answers" in item else None,
            extra=drop_empty(
                sparql=item["query"].text(is_required=False), **{key: item.value.get(key) for key in _EXTRA_KEYS}
            ),
        )
        for number, item in enumerate(file.elements(), 1)
    )
    return ParsedFile(questions)
