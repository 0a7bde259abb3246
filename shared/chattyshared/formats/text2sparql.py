"""TEXT2SPARQL: the challenge's questions file (YAML), and the result set that its scores are computed from (JSON)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import yaml
from rdflib import RDF

from chattyshared.dialogue import Dialogue, Turn
from chattyshared.formats.json_paths import JsonNode
from chattyshared.formats.language_selection import select_language
from chattyshared.formats.records import ParsedFile, drop_empty
from chattyshared.questions import Question
from chattyshared.sparql.analysis import parse_query_shape

ORDER_FEATURE = "RESULT_ORDER_MATTERS"
_SHORT = {"GROUP BY": "GROUP", "ORDER BY": "ORDER"}


def render_questions(dialogues: Iterable[Dialogue], *, dataset: str, prefix: str, language: str, wording: str) -> str:
    """Return a questions file as YAML: one question a turn, numbered from 1 through all dialogues.

    ``dataset`` is the IRI that a system is asked about, ``prefix`` stands for it in qualified names; ``wording`` is
    ``standalone`` or ``follow-up``.
    """
    file = {
        "dataset": {"id": dataset, "prefix": prefix},
        "questions": [
            _question(number, turn, language, turn.standalone if wording == "standalone" else turn.question)
            for number, turn in _numbered(dialogues)
        ],
    }
    written: str = yaml.safe_dump(file, sort_keys=False, allow_unicode=True, width=10_000)
    return written


def to_result_set(dialogues: Iterable[Dialogue], *, prefix: str, language: str) -> dict[str, Any]:
    """Return the gold answers as ``text2sparql query`` would write them: values by qualified name, all of weight 1.

    An ASK has the one key ``true`` with 1 or 0; ``order_required`` names the questions whose order matters.
    """
    found: dict[str, Any] = {}
    ordered = []
    for number, turn in _numbered(dialogues):
        name = f"{prefix}:{number}-{language}"
        if turn.answers and turn.answers[0].kind == "boolean":
            found[name] = {"true": int(turn.answers[0].value == "true")}
        else:
            found[name] = {answer.value: 1 for answer in turn.answers}
        if ORDER_FEATURE in _features(turn):
            ordered.append(name)
    return found | ({"order_required": ordered} if ordered else {})


def _numbered(dialogues: Iterable[Dialogue]) -> Iterator[tuple[int, Turn]]:
    return enumerate((turn for dialogue in dialogues for turn in dialogue.turns), 1)


def _question(number: int, turn: Turn, language: str, text: str) -> dict[str, Any]:
    shape = parse_query_shape(turn.sparql)
    properties = [iri for iri in shape.predicates if iri != str(RDF.type)] if shape else []
    classes = [end for _, predicate, end in turn.triples if predicate == str(RDF.type) and not end.startswith("?")]
    lists = {"features": _features(turn), "classes": list(dict.fromkeys(classes)), "properties": properties}
    return {
        "id": number,
        "question": {language: text},
        **({"query": {"sparql": turn.sparql}} if turn.sparql else {}),
        **{name: found for name, found in lists.items() if found},
    }


def _features(turn: Turn) -> list[str]:
    """Return the features of a query as the challenge names them: in one word each where SPARQL has two."""
    shape = parse_query_shape(turn.sparql)
    if shape is None:
        return []
    ordered = [ORDER_FEATURE] if "ORDER BY" in shape.features and len(turn.answers) > 1 else []
    return [_SHORT.get(feature, feature.replace(" ", "_")) for feature in shape.features] + ordered


def parse_text2sparql(file: JsonNode, lang: str, answers: JsonNode | None = None) -> ParsedFile:
    """Read a questions file in one language (empty: English, or what most questions are in).

    Ids are the challenge's qualified names (``prefix:ID-LANGUAGE``), where the data set has a prefix, as systems'
    answers bear them. ``answers`` is a result set of the gold queries: without it there is no gold but the queries.

    Raises:
        ConfigError: no question is in this language.
        BenchmarkInvalid: a value is missing or of another kind than the format has it.
    """
    items = tuple(file["questions"].elements())
    chosen = select_language([question_by_language(item) for item in items], lang, file.file)
    prefix = file["dataset"]["prefix"].text(is_required=False)
    gold = parse_result_set(answers) if answers else {}
    asked = []
    for number, (item, text) in enumerate(zip(items, chosen.texts, strict=True), 1):
        id = item["id"].id(number)
        name = f"{prefix}:{id}-{chosen.lang}" if prefix else id
        if text:
            asked.append(_asked(item, name, text, chosen.lang, gold.get(str(name))))
    return ParsedFile(tuple(asked), chosen.notes)


def parse_result_set(file: JsonNode) -> dict[str, tuple[str, ...]]:
    """Read a result set: the values of each question by its qualified name; an ASK is ``true`` or ``false``.

    Raises:
        BenchmarkInvalid: a question has no object of values.
    """
    found = {}
    for name in file.mapping():
        if name != "order_required":
            values = file[name].mapping()
            is_ask = list(values) == ["true"] and values["true"] in (0, 1)
            found[name] = ("true" if values["true"] else "false",) if is_ask else tuple(values)
    return found


def question_by_language(item: JsonNode) -> dict[str, str]:
    """Return a question by language; YAML reads the tag of Norwegian, ``no``, as false."""
    question = item["question"]
    return {
        {"False": "no"}.get(str(lang), str(lang)): question[lang].text(is_required=False) for lang in question.mapping()
    }


def _asked(item: JsonNode, id: str | int, text: str, lang: str, gold: tuple[str, ...] | None) -> Question:
    features = [part.text() for part in item["features"].elements()]
    sparql = item["query"]["sparql"].text(is_required=False) if "query" in item else ""
    return Question(
        id=id,
        question=text,
        lang=lang,
        answers=gold,
        extra=drop_empty(sparql=sparql, features=features),
    )
