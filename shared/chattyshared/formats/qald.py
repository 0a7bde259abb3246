"""QALD JSON: single questions with their query and their answers as SPARQL results.

Files are written like QALD-9 and QALD-9-plus; ``answers`` holds one object in the SPARQL 1.1 Query Results JSON Format.
The reader also accepts QALD-5 to 10, KGQAn's sets, and Chatty-KG's versions of Chatty-Gen's files, where a question is
a text instead of a list by language, and a scored file has the gold as ``golden_answers``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rdflib.namespace import XSD

from chattyshared.answers import AnswerLine
from chattyshared.benchmark import turn_id
from chattyshared.dialogue import Dialogue, Value
from chattyshared.formats.candidates import LIST_KEYS
from chattyshared.formats.json_paths import JsonNode
from chattyshared.formats.language_selection import select_language
from chattyshared.formats.records import ParsedFile, drop_empty
from chattyshared.formats.sparql_json import parse_sparql_results
from chattyshared.literals import parse_moment
from chattyshared.questions import Question
from chattyshared.sparql.analysis import parse_query_shape
from chattyshared.terms import DATE_DATATYPES

_DATES = frozenset(map(str, DATE_DATATYPES))
_AGGREGATION_FEATURES = frozenset({
    "COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP BY", "HAVING", "ORDER BY", "FILTER", "NOT EXISTS", "MINUS",
})  # fmt: skip
"""The features that QALD calls aggregation: operations beyond matching triple patterns."""


def to_qald(dialogues: Iterable[Dialogue], *, dataset: str, language: str, wording: str) -> dict[str, Any]:
    """Return a QALD file: one question per turn, with the turn's id (``d0001/2``).

    ``wording`` is ``standalone`` or ``follow-up``; a follow-up cannot be answered without the dialogue.
    """
    return {
        "dataset": {"id": dataset},
        "questions": [
            _format_question(
                turn_id(dialogue, turn),
                turn.standalone if wording == "standalone" else turn.question,
                dialogue.lang or language,
                turn.sparql,
                turn.answers,
            )
            for dialogue in dialogues
            for turn in dialogue.turns
        ],
    }


def answers_to_qald(
    questions: Iterable[Question], answers: Mapping[str, AnswerLine], *, dataset: str, language: str
) -> dict[str, Any]:
    """Return a QALD file of questions with the queries and answers of a system in place of gold, as GERBIL takes them.

    Ids and wordings are those that ``to_qald`` writes for the gold; a question without an answer has no bindings.
    """
    formatted = []
    for question in questions:
        line = answers.get(str(question.id), AnswerLine(question.id))
        text, lang = question.standalone or question.question, question.lang or language
        formatted.append(_format_question(str(question.id), text, lang, line.sparql, line.values))
    return {"dataset": {"id": dataset}, "questions": formatted}


def _format_question(id: str, text: str, language: str, sparql: str, answers: Sequence[Value]) -> dict[str, Any]:
    shape = parse_query_shape(sparql) if sparql else None
    kind = {"answertype": qald_answer_type(answers[0])} if answers else {}
    return {
        "id": id,
        **kind,
        "aggregation": shape is not None and not _AGGREGATION_FEATURES.isdisjoint(shape.features),
        "onlydbo": False,
        "hybrid": False,
        "question": [{"language": language, "string": text}],
        "query": {"sparql": sparql},
        "answers": [to_sparql_results(answers, shape.variables if shape else ())],
    }  # fmt: skip


def qald_answer_type(value: Value) -> str:
    """Return QALD's word for the kind of an answer: resource, number, string, date or boolean."""
    if value.kind == "literal":
        is_date = value.datatype in _DATES or (not value.datatype and parse_moment(value.value))
        return "date" if is_date else "string"
    return {"iri": "resource", "number": "number", "boolean": "boolean"}[value.kind]


def to_sparql_results(answers: Iterable[Value], variables: Iterable[str] = ()) -> dict[str, Any]:
    """Return answers as a SPARQL results object: a boolean, or bindings of the first projected variable."""
    values = tuple(answers)
    if values and values[0].kind == "boolean":
        return {"head": {}, "boolean": values[0].value == "true"}
    name = next(iter(variables), "x")
    return {"head": {"vars": [name]}, "results": {"bindings": [{name: to_binding(value)} for value in values]}}


def to_binding(value: Value) -> dict[str, str]:
    """Return one term of a SPARQL results object."""
    if value.kind == "iri":
        return {"type": "uri", "value": value.value}
    binding = {"type": "literal", "value": value.value}
    if value.lang:
        binding["xml:lang"] = value.lang
    elif value.datatype and value.datatype != str(XSD.string):
        binding["datatype"] = value.datatype
    return binding


def parse_qald(file: JsonNode, lang: str) -> ParsedFile:
    """Parse a QALD file in one language (empty: English, else the most frequent one).

    Raises:
        ConfigError: no question is in this language.
        BenchmarkInvalid: a value is missing or has the wrong type.
    """
    items = tuple(file["questions"].elements())
    selection = select_language([_texts_by_language(item) for item in items], lang, file.file)
    questions = tuple(
        _parse_question(item, number, text, selection.lang)
        for number, (item, text) in enumerate(zip(items, selection.texts, strict=True), 1)
        if text
    )
    return ParsedFile(questions, (*selection.notes, *_dialogue_notes(file)))


def _texts_by_language(item: JsonNode) -> dict[str, str]:
    """Return the texts of a question by language; the single text of Chatty-KG's files is English."""
    if isinstance(item["question"].value, str):
        return {"en": item["question"].text(is_required=False)}
    return {
        wording["language"].text(): wording["string"].text(is_required=False)
        for wording in item["question"].elements()
        if "language" in wording
    }


def _parse_question(item: JsonNode, number: int, text: str, lang: str) -> Question:
    gold = parse_sparql_results(item["golden_answers" if "golden_answers" in item else "answers"].elements())
    query = item["query"]["sparql"].text(is_required=False) if "query" in item else ""
    answer_keys = {key: item.value[key] for key in ("answertype", "hybrid", *LIST_KEYS) if key in item}
    return Question(
        id=item["id"].id(number),
        question=text,
        lang=lang,
        answers=gold.answers if gold else None,
        extra=drop_empty(sparql=query, **answer_keys, **(gold.question_keys() if gold else {})),
    )


def _dialogue_notes(file: JsonNode) -> tuple[str, ...]:
    name = file["dataset"]["id"].value if "dataset" in file and isinstance(file["dataset"].value, dict) else None
    if isinstance(name, str) and name.endswith("_dialogue"):
        return ("where one dialogue ends and the next begins is lost in this file: each question is asked alone",)
    return ()
