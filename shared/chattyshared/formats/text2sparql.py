"""TEXT2SPARQL: the challenge's questions file (YAML), the result set for its scores, and a system's answers.json."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from rdflib import RDF

from chattyshared.dialogue import Dialogue, Turn
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats.detection import detect_format, read_json_or_yaml
from chattyshared.formats.reading import JsonNode, ParsedFile, drop_empty, matching_tags, select_language
from chattyshared.questions import Question
from chattyshared.sparql.analysis import parse_query_shape

ORDER_FEATURE = "RESULT_ORDER_MATTERS"
_FEATURE_NAMES = {"GROUP BY": "GROUP", "ORDER BY": "ORDER"}


def render_questions(dialogues: Iterable[Dialogue], *, dataset: str, prefix: str, language: str, wording: str) -> str:
    """Return a questions file as YAML: one question per turn, numbered from 1 over all dialogues.

    ``dataset`` is the IRI of the data set, ``prefix`` abbreviates it in qualified names; ``wording`` is ``standalone``
    or ``follow-up``.
    """
    file = {
        "dataset": {"id": dataset, "prefix": prefix},
        "questions": [
            _format_question(
                number, turn, lang or language, turn.standalone if wording == "standalone" else turn.question
            )
            for number, turn, lang in _numbered_turns(dialogues)
        ],
    }
    text: str = yaml.safe_dump(file, sort_keys=False, allow_unicode=True, width=10_000)
    return text


def to_result_set(dialogues: Iterable[Dialogue], *, prefix: str, language: str) -> dict[str, Any]:
    """Return the gold answers in the format of ``text2sparql query``: values by qualified name, all of weight 1.

    An ASK has the single key ``true`` with 1 or 0; ``order_required`` lists the questions whose order matters.
    """
    values_by_name: dict[str, Any] = {}
    ordered = []
    for number, turn, lang in _numbered_turns(dialogues):
        name = f"{prefix}:{number}-{lang or language}"
        if turn.answers and turn.answers[0].kind == "boolean":
            values_by_name[name] = {"true": int(turn.answers[0].value == "true")}
        else:
            values_by_name[name] = {answer.value: 1 for answer in turn.answers}
        if ORDER_FEATURE in _features(turn):
            ordered.append(name)
    return values_by_name | ({"order_required": ordered} if ordered else {})


def _numbered_turns(dialogues: Iterable[Dialogue]) -> Iterator[tuple[int, Turn, str]]:
    """Yield each turn with its number and the language that its dialogue states."""
    turns = ((turn, dialogue.lang) for dialogue in dialogues for turn in dialogue.turns)
    yield from ((number, turn, lang) for number, (turn, lang) in enumerate(turns, 1))


def _format_question(number: int, turn: Turn, language: str, text: str) -> dict[str, Any]:
    shape = parse_query_shape(turn.sparql)
    properties = [iri for iri in shape.predicates if iri != str(RDF.type)] if shape else []
    classes = [
        target for _, predicate, target in turn.triples if predicate == str(RDF.type) and not target.startswith("?")
    ]
    lists = {"features": _features(turn), "classes": list(dict.fromkeys(classes)), "properties": properties}
    return {
        "id": number,
        "question": {language: text},
        **({"query": {"sparql": turn.sparql}} if turn.sparql else {}),
        **{name: values for name, values in lists.items() if values},
    }


def _features(turn: Turn) -> list[str]:
    """Return the features of a query under the challenge's names, which are single words."""
    shape = parse_query_shape(turn.sparql)
    if shape is None:
        return []
    ordered = [ORDER_FEATURE] if "ORDER BY" in shape.features and len(turn.answers) > 1 else []
    return [_FEATURE_NAMES.get(feature, feature.replace(" ", "_")) for feature in shape.features] + ordered


def parse_text2sparql(file: JsonNode, lang: str, answers: JsonNode | None = None) -> ParsedFile:
    """Parse a questions file in one language (empty: English, else the most frequent one).

    Ids are the challenge's qualified names (``prefix:ID-LANGUAGE``) if the data set has a prefix, as in the answers of
    systems. ``answers`` is a result set of the gold queries; without it the gold are only the queries.

    Raises:
        ConfigError: no question is in this language.
        BenchmarkInvalid: a value is missing or has the wrong type.
    """
    items = tuple(file["questions"].elements())
    selection = select_language([question_by_language(item) for item in items], lang, file.file)
    prefix = file["dataset"]["prefix"].text(is_required=False)
    gold = parse_result_set(answers) if answers else {}
    questions = []
    for number, (item, text) in enumerate(zip(items, selection.texts, strict=True), 1):
        id = item["id"].id(number)
        name = f"{prefix}:{id}-{selection.lang}" if prefix else id
        if text:
            questions.append(_parse_question(item, name, text, selection.lang, gold.get(str(name))))
    return ParsedFile(tuple(questions), selection.notes)


def parse_result_set(file: JsonNode) -> dict[str, tuple[str, ...]]:
    """Parse a result set: the values of each question by its qualified name; an ASK is ``true`` or ``false``.

    Raises:
        BenchmarkInvalid: a question has no object of values.
    """
    values_by_name = {}
    for name in file.mapping():
        if name != "order_required":
            values = file[name].mapping()
            is_ask = list(values) == ["true"] and values["true"] in (0, 1)
            values_by_name[name] = ("true" if values["true"] else "false",) if is_ask else tuple(values)
    return values_by_name


def question_by_language(item: JsonNode) -> dict[str, str]:
    """Return the texts of a question by language; YAML parses the Norwegian tag ``no`` as false."""
    question = item["question"]
    return {
        {"False": "no"}.get(str(lang), str(lang)): question[lang].text(is_required=False) for lang in question.mapping()
    }


def _parse_question(item: JsonNode, id: str | int, text: str, lang: str, gold: tuple[str, ...] | None) -> Question:
    features = [feature.text() for feature in item["features"].elements()]
    sparql = item["query"]["sparql"].text(is_required=False) if "query" in item else ""
    return Question(
        id=id,
        question=text,
        lang=lang,
        answers=gold,
        extra=drop_empty(sparql=sparql, features=features),
    )


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
