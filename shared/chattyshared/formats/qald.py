"""QALD JSON: single questions with their query and their answers as SPARQL results.

The shape is that of QALD-9 and QALD-9-plus; ``answers`` holds one object in the SPARQL 1.1 Query Results JSON Format.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rdflib.namespace import XSD

from chattyshared.benchmark import turn_id
from chattyshared.dialogue import Dialogue, Turn, Value
from chattyshared.query_shape import shape_of
from chattyshared.terms import DATES

_BEYOND_PATTERNS = frozenset({
    "COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP BY", "HAVING", "ORDER BY", "FILTER", "NOT EXISTS", "MINUS",
})  # fmt: skip
"""What QALD calls aggregation: operations beyond matching triple patterns."""


def questions(dialogues: Iterable[Dialogue], *, dataset: str, language: str, wording: str) -> dict[str, Any]:
    """Return a QALD file: one question a turn, by its turn's id (``d0001/2``).

    ``wording`` is ``standalone`` or ``follow-up``; only the former can be answered without the dialogue.
    """
    return {
        "dataset": {"id": dataset},
        "questions": [
            _question(turn_id(dialogue, turn), turn, language, wording)
            for dialogue in dialogues
            for turn in dialogue.turns
        ],
    }


def _question(id: str, turn: Turn, language: str, wording: str) -> dict[str, Any]:
    shape = shape_of(turn.sparql)
    kind = {"answertype": answer_type(turn.answers[0])} if turn.answers else {}
    return {
        "id": id,
        **kind,
        "aggregation": shape is not None and not _BEYOND_PATTERNS.isdisjoint(shape.features),
        "onlydbo": False,
        "hybrid": False,
        "question": [
            {"language": language, "string": turn.standalone if wording == "standalone" else turn.question}
        ],
        "query": {"sparql": turn.sparql},
        "answers": [results(turn.answers, shape.variables if shape else ())],
    }  # fmt: skip


def answer_type(value: Value) -> str:
    """Return QALD's word for the kind of an answer: resource, number, string, date or boolean."""
    if value.kind == "literal":
        return "date" if value.datatype in {str(date) for date in DATES} else "string"
    return {"iri": "resource", "number": "number", "boolean": "boolean"}[value.kind]


def results(answers: Iterable[Value], variables: Iterable[str] = ()) -> dict[str, Any]:
    """Return answers as a SPARQL results object: a boolean, or bindings of the first projected variable."""
    values = tuple(answers)
    if values and values[0].kind == "boolean":
        return {"head": {}, "boolean": values[0].value == "true"}
    name = next(iter(variables), "x")
    return {"head": {"vars": [name]}, "results": {"bindings": [{name: binding(value)} for value in values]}}


def binding(value: Value) -> dict[str, str]:
    """Return one term of a SPARQL results object."""
    if value.kind == "iri":
        return {"type": "uri", "value": value.value}
    said = {"type": "literal", "value": value.value}
    if value.lang:
        said["xml:lang"] = value.lang
    elif value.datatype and value.datatype != str(XSD.string):
        said["datatype"] = value.datatype
    return said
