"""QALD JSON, and SPARQL 1.1 Query Results JSON in it: single questions with their query and their answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree import ElementTree

from rdflib.namespace import XSD

from chattyshared.answers import AnswerLine
from chattyshared.benchmark import turn_id
from chattyshared.dialogue import Dialogue, Value
from chattyshared.errors import BenchmarkInvalid
from chattyshared.formats.candidates import LIST_KEYS
from chattyshared.formats.reading import JsonNode, ParsedFile, drop_empty, select_language
from chattyshared.literals import parse_boolean, parse_moment
from chattyshared.questions import Question
from chattyshared.sparql.analysis import parse_query_shape
from chattyshared.terms import DATE_DATATYPES

Wordings = Literal["first", "all"]
"""Which of several wordings of a question in one language are asked."""
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


def read_qald_xml(text: str, file: str) -> dict[str, Any]:
    """Return QALD's XML (of 2011 to 2014) in the form of QALD-5's JSON.

    Raises:
        BenchmarkInvalid: it is no such XML.
    """
    try:
        if "<!ENTITY" in text:
            raise SyntaxError("it declares entities")
        root = ElementTree.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
    except SyntaxError as error:
        raise BenchmarkInvalid(f"not XML: {error}", file=file) from error
    if root.find("question") is None:
        raise BenchmarkInvalid(f"XML, but no QALD: its root is {root.tag!r:.50}", file=file)
    return {
        "dataset": {"id": root.get("id")},
        "questions": [
            {
                "id": item.get("id"),
                "body": [
                    {"language": each.get("lang", "en"), "string": (each.text or "").strip()}
                    for each in item.findall("string")
                ],
                "query": (item.findtext("query") or "").strip(),
                **({"answers": [{part.tag: (part.text or "").strip() for part in each} for each in item.iter("answer")]}
                   if item.find("answers") is not None else {}),
            }
            for item in root.iter("question")
        ],
    }  # fmt: skip


def parse_qald(file: JsonNode, lang: str, wordings: Wordings = "first") -> ParsedFile:
    """Parse a QALD file in one language (empty: English, else the most frequent one).

    With ``wordings`` "all", each wording of a question in that language is a question.

    Raises:
        ConfigError: no question is in this language.
        BenchmarkInvalid: a value is missing or has the wrong type.
    """
    items = tuple(file["questions"].elements())
    texts = [_texts_by_language(item) for item in items]
    selection = select_language([each[0] for each in texts], lang, file.file)
    questions, several = [], 0
    for number, (item, text, further) in enumerate(zip(items, selection.texts, texts, strict=True), 1):
        more = [each[selection.lang] for each in further[1:] if selection.lang in each] if text else []
        several += bool(more)
        for wording in (text, *(more if wordings == "all" else ())):
            if wording:
                questions.append(_parse_question(item, number, wording, selection.lang))
    notes = (*selection.notes, *_dialogue_notes(file))
    if several and wordings == "first":
        notes += (
            "questions with several wordings, of which the first is asked "
            f"(chattykg answer --set wordings=all asks each): {several}",
        )
    return ParsedFile(tuple(questions), notes)


def _texts_by_language(item: JsonNode) -> list[dict[str, str]]:
    """Return the first texts of a question by language, then the second ones, and so on.

    The single text of Chatty-KG's files and of Scholarly QALD is English.
    """
    question = item["question" if "question" in item else "body"]
    if isinstance(question.value, str):
        return [{"en": question.text(is_required=False)}]
    texts: list[dict[str, str]] = [{}]
    for wording in (question,) if isinstance(question.value, dict) else question.elements():
        if "language" in wording or isinstance(question.value, dict):
            tag = wording["language"].text(is_required=False) or "en"
            text = wording["string"].text(is_required=False)
            place = next((each for each in texts if tag not in each), None)
            if place is None:
                texts.append(place := {})
            if text:
                place[tag] = text
    return texts


def _parse_question(item: JsonNode, number: int, text: str, lang: str) -> Question:
    results = item["golden_answers" if "golden_answers" in item else "answers"]
    gold = parse_sparql_results(results.elements()) or _parse_plain_answers(results)
    query = item["query"] if not isinstance(item["query"].value, dict) else item["query"]["sparql"]
    answer_keys = {key: item.value[key] for key in ("answertype", "hybrid", *LIST_KEYS) if key in item}
    return Question(
        id=item["id"].id(number),
        question=text,
        lang=lang,
        answers=gold.answers if gold else None,
        extra=drop_empty(sparql=query.text(is_required=False), **answer_keys, **(gold.question_keys() if gold else {})),
    )


def _parse_plain_answers(answers: JsonNode) -> ResultTable | None:
    """Parse QALD-5's answers: objects with a ``uri``, a ``boolean``, a ``number``, a ``date`` or a ``string``."""
    kinds = ("uri", "boolean", "number", "date", "string")
    values = [next((each[kind].lexical_form() for kind in kinds if kind in each), "") for each in answers.elements()]
    return ResultTable(tuple(dict.fromkeys(values))) if any(values) else None


def _dialogue_notes(file: JsonNode) -> tuple[str, ...]:
    name = file["dataset"]["id"].value if "dataset" in file and isinstance(file["dataset"].value, dict) else None
    if isinstance(name, str) and name.endswith("_dialogue"):
        return ("where one dialogue ends and the next begins is lost in this file: each question is asked alone",)
    return ()


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The values of a result: ``answers``, each once, and ``rows`` if it has several columns (``cols``)."""

    answers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    cols: int = 1

    def question_keys(self) -> dict[str, object]:
        """Return the further keys of our questions whose answers are a table."""
        if self.cols < 2:
            return {}
        return {"cols": self.cols, "nrows": len(self.rows), "rows": [list(row) for row in self.rows]}


def parse_sparql_results(results: Iterable[JsonNode]) -> ResultTable | None:
    """Parse the list of result objects under ``answers``; None if no object in it holds a result.

    Published files hold one object; the rows of several are concatenated. An IRI may have angle brackets.

    Raises:
        BenchmarkInvalid: an object is no SPARQL result.
    """
    with_result = [node for node in results if node.mapping() and ("boolean" in node or "results" in node)]
    if not with_result:
        return None
    boolean = next((node["boolean"] for node in with_result if "boolean" in node), None)
    if boolean is not None:
        return ResultTable((_parse_boolean(boolean),))
    return parse_bindings(row for node in with_result for row in node["results"]["bindings"].elements())


def parse_bindings(bindings: Iterable[JsonNode]) -> ResultTable:
    """Parse the solutions of a SELECT, each once; columns are in the order of their first appearance.

    Raises:
        BenchmarkInvalid: a solution is no object, or a term has no value.
    """
    rows = [{name: _parse_term(row[name]) for name in row.mapping()} for row in bindings]
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    distinct_rows = tuple(dict.fromkeys(tuple(row.get(name, "") for name in names) for row in rows))
    answers = tuple(dict.fromkeys(cell for line in distinct_rows for cell in line if cell))
    return ResultTable(answers, distinct_rows if len(names) > 1 else (), max(1, len(names)))


def _parse_boolean(node: JsonNode) -> str:
    text = node.lexical_form().casefold()
    if text not in ("true", "false"):
        raise node.wrong_type("true or false")
    return text


def _parse_term(node: JsonNode) -> str:
    value = node["value"].lexical_form()
    truth = parse_boolean(value) if node.value.get("datatype") == str(XSD.boolean) else None
    if truth is not None:
        return str(truth).lower()
    is_iri = node.value.get("type") == "uri" and value.startswith("<") and value.endswith(">")
    return value[1:-1] if is_iri else value
