"""Maestro: a list of questions about seeds, with queries and answers as plain texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chattyshared.dialogue import Dialogue, Seed, Turn, Value
from chattyshared.formats.chatty_gen import detect_form
from chattyshared.formats.reading import JsonNode, ParsedFile, drop_empty
from chattyshared.jsonlines import parse_json
from chattyshared.questions import Question
from chattyshared.terms import iri_to_words, is_iri

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


def read_maestro(path: Path) -> tuple[Dialogue, ...] | None:
    """Read a Maestro file as dialogues of one turn, with ids from ``d0001``; None if it is of another format.

    The form of a turn is that of its query.

    Raises:
        BenchmarkInvalid: a value is missing or has the wrong type.
    """
    try:
        value = parse_json(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return None
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value) or not value:
        return None
    if "questionString" not in value[0]:
        return None
    items = enumerate(JsonNode(value, str(path)).elements(), 1)
    return tuple(_to_dialogue(item, number) for number, item in items)


def _to_dialogue(item: JsonNode, number: int) -> Dialogue:
    question, query = item["questionString"].text(), item["query"].text(is_required=False)
    answers = tuple(_to_value(part.lexical_form()) for part in item["answers"].elements()) if "answers" in item else ()
    seed = item["seed_withPrefix"].text(is_required=False)
    entity = Seed(seed, iri_to_words(seed) if seed else "", item["seedType_withPrefix"].text(is_required=False))
    turn = Turn(1, question, question, detect_form(query), "opens", "", True, "easy", query, answers, ())
    return Dialogue(f"d{number:04d}", entity, (turn,))


def _to_value(text: str) -> Value:
    """Return an answer, which the file states as a plain text."""
    kind: Any = "boolean" if text in ("true", "false") else "iri" if is_iri(text) else "literal"
    return Value(text, kind, label=iri_to_words(text) if kind == "iri" else "")
