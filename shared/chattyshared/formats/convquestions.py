"""ConvQuestions JSON: a list of conversations about a seed entity, each turn with its answer as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from chattyshared.dialogue import Dialogue, Turn, Value
from chattyshared.formats.answer_text import verbalize_value
from chattyshared.formats.json_paths import JsonNode
from chattyshared.formats.records import ParsedFile, drop_empty
from chattyshared.questions import Question
from chattyshared.terms import iri_to_words

ANSWER_SEPARATOR = ";"
"""Stands between the elements of an answer; readers split there, so that one within a value becomes a comma."""
_PAGE = re.compile(r"https?://(?:www\.)?wikidata\.org/(?:wiki|entity)/([QP]\d+)")
_TRUTHS = {"yes": "true", "no": "false"}


def to_convquestions(dialogues: Iterable[Dialogue]) -> list[dict[str, Any]]:
    """Return a ConvQuestions file; ``domain`` is the name of the seed's class, ``completed_question`` stands alone."""
    return [
        {
            "domain": iri_to_words(dialogue.seed.type) if dialogue.seed.type else "",
            "seed_entity": dialogue.seed.iri,
            "seed_entity_text": dialogue.seed.label,
            "questions": [_question(turn) for turn in dialogue.turns],
        }
        for dialogue in dialogues
    ]


def _question(turn: Turn) -> dict[str, str]:
    return {
        "question": turn.question,
        "answer": ANSWER_SEPARATOR.join(_value(answer) for answer in turn.answers),
        "answer_text": ANSWER_SEPARATOR.join(
            verbalize_value(answer).replace(ANSWER_SEPARATOR, ",") for answer in turn.answers
        ),
        "completed_question": turn.standalone,
    }


def _value(answer: Value) -> str:
    """Return an IRI or a literal; a boolean is yes or no, as the format has it."""
    if answer.kind == "boolean":
        return "yes" if answer.value == "true" else "no"
    return answer.value if answer.kind == "iri" else answer.value.replace(ANSWER_SEPARATOR, ",")


def parse_convquestions(file: JsonNode) -> ParsedFile:
    """Read a ConvQuestions file, also with ``answers`` as lists of ``id`` and ``label`` (as CONVINSE has them).

    Conversations are numbered from 1, unless they have a ``conv_id``; questions are ``CONVERSATION/TURN``. Pages of
    Wikidata count as its entities, yes and no as booleans.

    Raises:
        BenchmarkInvalid: a value is missing or of another kind than the format has it.
    """
    asked = []
    for number, talk in enumerate(file.elements(), 1):
        name = str(talk["conv_id"].id(number))
        about = {key: talk.value[key] for key in ("domain", "seed_entity", "seed_entity_text") if key in talk}
        for place, turn in enumerate(talk["questions"].elements(), 1):
            asked.append(_asked(turn, name, place, about))
    return ParsedFile(tuple(asked))


def _asked(turn: JsonNode, name: str, place: int, about: dict[str, Any]) -> Question:
    answers, labels = _listed(turn) if isinstance(turn["answers"].value, list) else _split(turn)
    completed = "completed_question" if "completed_question" in turn else "completed"
    return Question(
        id=turn["question_id"].id(f"{name}/{place}"),
        question=turn["question"].text(),
        dialogue_id=name,
        turn=place,
        answers=answers,
        answer_labels=labels if len(labels) == len(answers or ()) else (),
        extra=drop_empty(standalone=turn[completed].text(is_required=False), **about),
    )


def _split(turn: JsonNode) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    if "answer" not in turn:
        return None, ()
    texts = turn["answer_text"].lexical_form() if "answer_text" in turn else ""
    return tuple(map(_term, _pieces(turn["answer"].lexical_form()))), tuple(_pieces(texts))


def _listed(turn: JsonNode) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read answers that stand as a list: of texts, or of objects with ``id`` and ``label``."""
    parts = tuple(turn["answers"].elements())
    ids = tuple(_term((part["id"] if isinstance(part.value, dict) else part).lexical_form()) for part in parts)
    named = all(isinstance(part.value, dict) and "label" in part for part in parts)
    return ids, tuple(part["label"].lexical_form() for part in parts) if named else ()


def _pieces(text: str) -> list[str]:
    return [piece.strip() for piece in text.split(ANSWER_SEPARATOR) if piece.strip()]


def _term(text: str) -> str:
    page = _PAGE.fullmatch(text)
    if page or re.fullmatch(r"[QP]\d+", text):
        return f"http://www.wikidata.org/entity/{page[1] if page else text}"
    return _TRUTHS.get(text.casefold(), text)
