"""Conversations whose answers are texts: ConvQuestions JSON, and chats for fine-tuning in OpenAI's format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from chattyshared.dialogue import Dialogue, Turn, Value
from chattyshared.formats.reading import JsonNode, ParsedFile, drop_empty
from chattyshared.questions import Question
from chattyshared.terms import iri_to_words

ANSWER_SEPARATOR = ";"
"""The separator of the elements of an answer; within a value it is written as a comma."""
_WIKIDATA_PAGE = re.compile(r"https?://(?:www\.)?wikidata\.org/(?:wiki|entity)/([QP]\d+)")
_BOOLEANS = {"yes": "true", "no": "false"}
NO_ANSWER_TEXT = "The knowledge graph does not say."


def to_convquestions(dialogues: Iterable[Dialogue]) -> list[dict[str, Any]]:
    """Return a ConvQuestions file; ``domain`` is the name of the seed's class, ``completed_question`` is standalone."""
    return [
        {
            "domain": iri_to_words(dialogue.seed.type) if dialogue.seed.type else "",
            "seed_entity": dialogue.seed.iri,
            "seed_entity_text": dialogue.seed.label,
            "questions": [_format_question(turn) for turn in dialogue.turns],
        }
        for dialogue in dialogues
    ]


def _format_question(turn: Turn) -> dict[str, str]:
    return {
        "question": turn.question,
        "answer": ANSWER_SEPARATOR.join(_format_value(answer) for answer in turn.answers),
        "answer_text": ANSWER_SEPARATOR.join(
            verbalize_value(answer).replace(ANSWER_SEPARATOR, ",") for answer in turn.answers
        ),
        "completed_question": turn.standalone,
    }


def _format_value(answer: Value) -> str:
    """Return an IRI or a literal; the format writes booleans as yes or no."""
    if answer.kind == "boolean":
        return "yes" if answer.value == "true" else "no"
    return answer.value if answer.kind == "iri" else answer.value.replace(ANSWER_SEPARATOR, ",")


def parse_convquestions(file: JsonNode) -> ParsedFile:
    """Parse a ConvQuestions file, also with ``answers`` as lists of ``id`` and ``label`` as in CONVINSE.

    Conversations are numbered from 1, unless they have a ``conv_id``; the ids of questions are ``CONVERSATION/TURN``.
    Wikidata pages are read as entities, yes and no as booleans.

    Raises:
        BenchmarkInvalid: a value is missing or has the wrong type.
    """
    questions = []
    for number, conversation in enumerate(file.elements(), 1):
        name = str(conversation["conv_id"].id(number))
        conversation_keys = {
            key: conversation.value[key] for key in ("domain", "seed_entity", "seed_entity_text") if key in conversation
        }
        for turn_number, turn in enumerate(conversation["questions"].elements(), 1):
            questions.append(_parse_question(turn, name, turn_number, conversation_keys))
    return ParsedFile(tuple(questions))


def _parse_question(turn: JsonNode, name: str, turn_number: int, conversation_keys: dict[str, Any]) -> Question:
    answers, labels = _list_answers(turn) if isinstance(turn["answers"].value, list) else _split_answers(turn)
    completed = "completed_question" if "completed_question" in turn else "completed"
    return Question(
        id=turn["question_id"].id(f"{name}/{turn_number}"),
        question=turn["question"].text(),
        dialogue_id=name,
        turn=turn_number,
        answers=answers,
        answer_labels=labels if len(labels) == len(answers or ()) else (),
        extra=drop_empty(standalone=turn[completed].text(is_required=False), **conversation_keys),
    )


def _split_answers(turn: JsonNode) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    if "answer" not in turn:
        return None, ()
    texts = turn["answer_text"].lexical_form() if "answer_text" in turn else ""
    return tuple(map(_parse_term, _split_text(turn["answer"].lexical_form()))), tuple(_split_text(texts))


def _list_answers(turn: JsonNode) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return ids and labels of answers in a list of strings, or of objects with ``id`` and ``label``."""
    parts = tuple(turn["answers"].elements())
    ids = tuple(_parse_term((part["id"] if isinstance(part.value, dict) else part).lexical_form()) for part in parts)
    has_labels = all(isinstance(part.value, dict) and "label" in part for part in parts)
    return ids, tuple(part["label"].lexical_form() for part in parts) if has_labels else ()


def _split_text(text: str) -> list[str]:
    return [piece.strip() for piece in text.split(ANSWER_SEPARATOR) if piece.strip()]


def _parse_term(text: str) -> str:
    page = _WIKIDATA_PAGE.fullmatch(text)
    if page or re.fullmatch(r"[QP]\d+", text):
        return f"http://www.wikidata.org/entity/{page[1] if page else text}"
    return _BOOLEANS.get(text.casefold(), text)


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


def to_chats(dialogues: Iterable[Dialogue], *, reply: str = "answer", system: str = "") -> Iterator[dict[str, Any]]:
    """Yield one chat per dialogue: questions are messages of the user, replies are messages of the assistant.

    ``reply`` is ``answer`` (labels, yes or no, literals) or ``sparql`` (the query; the answer if a turn has none);
    ``system`` is the first message, unless empty.
    """
    opening = [{"role": "system", "content": system}] if system else []
    for dialogue in dialogues:
        messages = [message for turn in dialogue.turns for message in _exchange(turn, reply)]
        yield {"messages": [*opening, *messages]}


def _exchange(turn: Turn, reply: str) -> Iterator[dict[str, str]]:
    yield {"role": "user", "content": turn.question}
    yield {
        "role": "assistant",
        "content": turn.sparql if reply == "sparql" and turn.sparql else verbalize_answers(turn),
    }
