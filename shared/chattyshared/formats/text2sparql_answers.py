"""TEXT2SPARQL's answers.json: the questions of a challenge file in each language, and a system's queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats.detection import detect_format, read_json_or_yaml
from chattyshared.formats.reading import JsonNode, matching_tags
from chattyshared.formats.text2sparql import question_by_language


@dataclass(frozen=True, slots=True)
class ChallengeQuestion:
    """A question in one language. ``id`` is unique in the file.

    ``number`` is the question's id in the file; None if it has none, so that answers cannot name the question.
    """

    id: str
    question: str
    lang: str
    number: str | None


@dataclass(frozen=True, slots=True)
class Challenge:
    """A questions file: the IRI of the data set, its prefix, and the questions."""

    dataset: str
    prefix: str
    questions: tuple[ChallengeQuestion, ...]


def read_challenge(path: Path, lang: str = "") -> Challenge:
    """Read a questions file in one language, or (empty) in all of them, in the order of the challenge's client.

    Raises:
        ConfigError: the file does not exist or cannot be read, or no question is in this language.
        BenchmarkInvalid: it is no questions file of TEXT2SPARQL, or breaks the format.
    """
    value = read_json_or_yaml(path, "a questions file of TEXT2SPARQL (dataset, questions by language)")
    if detect_format(value, path) != "text2sparql":
        raise BenchmarkInvalid("is no questions file of TEXT2SPARQL (dataset, questions by language)", file=str(path))
    file = JsonNode(value, str(path))
    dataset, prefix = file["dataset"]["id"].text(), file["dataset"]["prefix"].text(is_required=False)
    items = tuple(file["questions"].elements())
    questions, languages = [], {tag for item in items for tag in question_by_language(item)}
    chosen = languages if not lang else set(matching_tags(lang, languages))
    if not chosen:
        raise ConfigError(f"{path}: no question is in the language {lang!r}; there are {', '.join(sorted(languages))}")
    for position, item in enumerate(items, 1):
        number = str(item["id"].id("")) or None
        for tag, text in question_by_language(item).items():
            if text and tag in chosen:
                questions.append(
                    ChallengeQuestion(f"{f'{prefix}:' if prefix else ''}{number or position}-{tag}", text, tag, number)
                )
    if len({question.id for question in questions}) < len(questions):
        raise BenchmarkInvalid("two questions have one id", file=str(path))
    return Challenge(dataset, prefix, tuple(questions))


def to_answers_json(challenge: Challenge, queries: Mapping[str, str], endpoint: str = "") -> list[dict[str, Any]]:
    """Return answers.json as ``text2sparql ask`` writes it, from ``queries`` by id; a missing query is empty.

    ``endpoint`` is the URL of the system, if it has one. As in the client, an answer has a name if its question has an
    id and the data set a prefix.
    """
    lines = []
    for question in challenge.questions:
        line: dict[str, Any] = {
            "dataset": challenge.dataset,
            "question": question.question,
            "query": queries.get(question.id, ""),
            "endpoint": endpoint or None,
        }
        if question.number is not None and challenge.prefix:
            line |= {"qname": question.id, "uri": f"{challenge.dataset}{question.number}-{question.lang}"}
        lines.append(line)
    return lines
