"""TEXT2SPARQL's answers.json: what is asked by a questions file, in each of its languages, and the queries it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats.detection import detect_format, read_json_or_yaml
from chattyshared.formats.json_paths import JsonNode
from chattyshared.formats.language_selection import matching_tags
from chattyshared.formats.text2sparql import question_by_language


@dataclass(frozen=True, slots=True)
class ChallengeQuestion:
    """A question in one language. ``id`` tells it from all others of the file.

    ``number`` is the question's own, and None where the file has none: then no name leads from an answer to it.
    """

    id: str
    question: str
    lang: str
    number: str | None


@dataclass(frozen=True, slots=True)
class Challenge:
    """A questions file: the data set that a system is asked about (an IRI), its prefix, and what is asked."""

    dataset: str
    prefix: str
    questions: tuple[ChallengeQuestion, ...]


def read_challenge(path: Path, lang: str = "") -> Challenge:
    """Read a questions file in all of its languages, in the order in which the client asks them; or in one.

    Raises:
        ConfigError: the file is not there or cannot be read, or no question is in this language.
        BenchmarkInvalid: it is no questions file of TEXT2SPARQL, or does not keep the format.
    """
    value = read_json_or_yaml(path, "a questions file of TEXT2SPARQL (dataset, questions by language)")
    if detect_format(value, path) != "text2sparql":
        raise BenchmarkInvalid("is no questions file of TEXT2SPARQL (dataset, questions by language)", file=str(path))
    file = JsonNode(value, str(path))
    dataset, prefix = file["dataset"]["id"].text(), file["dataset"]["prefix"].text(is_required=False)
    items = tuple(file["questions"].elements())
    found, langs = [], {tag for item in items for tag in question_by_language(item)}
    chosen = langs if not lang else set(matching_tags(lang, langs))
    if not chosen:
        raise ConfigError(f"{path}: no question is in the language {lang!r}; there are {', '.join(sorted(langs))}")
    for place, item in enumerate(items, 1):
        number = str(item["id"].id("")) or None
        for tag, text in question_by_language(item).items():
            if text and tag in chosen:
                found.append(
                    ChallengeQuestion(f"{f'{prefix}:' if prefix else ''}{number or place}-{tag}", text, tag, number)
                )
    if len({each.id for each in found}) < len(found):
        raise BenchmarkInvalid("two questions have one id", file=str(path))
    return Challenge(dataset, prefix, tuple(found))


def to_answers_json(challenge: Challenge, queries: Mapping[str, str], endpoint: str = "") -> list[dict[str, Any]]:
    """Return answers.json as ``text2sparql ask`` writes it; ``queries`` by id, empty where none is known.

    ``endpoint`` is the address of the system that answered, if it lies behind one. As the client does, answers bear
    names where questions have ids and the data set a prefix.
    """
    made = []
    for asked in challenge.questions:
        line: dict[str, Any] = {
            "dataset": challenge.dataset,
            "question": asked.question,
            "query": queries.get(asked.id, ""),
            "endpoint": endpoint or None,
        }
        if asked.number is not None and challenge.prefix:
            line |= {"qname": asked.id, "uri": f"{challenge.dataset}{asked.number}-{asked.lang}"}
        made.append(line)
    return made
