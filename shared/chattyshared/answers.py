"""Files of answers: one line per question, written by the engine and read by the evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from chattyshared.benchmark import usage_from_json, usage_to_json
from chattyshared.dialogue import Answer, CandidateQuery, Clarification, LinkedTerm, Reason, StageSeconds, Value
from chattyshared.errors import BenchmarkInvalid
from chattyshared.jsonlines import LineSchema, read_lines, to_lexical_form
from chattyshared.literals import parse_yes_no
from chattyshared.model import Usage
from chattyshared.terms import is_iri

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_STAGES = ("understanding", "linking", "selection", "execution")


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One line of an answers file; fields that the line lacks are empty. A line with ``error`` is not an answer.

    ``entities`` and ``relations`` are the IRIs of the links; ``has_links`` tells whether the line has links at all.
    ``proposed_entities`` and ``proposed_relations`` are the IRIs that the linker offered; None if the line lacks them.
    ``status`` is empty and ``candidate_queries`` None if a line of format 1 lacks them.
    """

    id: str | int
    answers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    sparql: str = ""
    standalone: str = ""
    confidence: float = 0.0
    sentence: str = ""
    queries: int = 0
    usage: Usage = Usage()
    stages: StageSeconds = StageSeconds()
    seconds: float = 0.0
    error: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    has_links: bool = False
    proposed_entities: tuple[str, ...] | None = None
    proposed_relations: tuple[str, ...] | None = None
    question: str = ""
    status: str = ""
    reason: Reason | None = None
    notes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    candidate_queries: int | None = None
    grounded: bool = True
    candidates: tuple[CandidateQuery, ...] = ()

    @property
    def values(self) -> tuple[Value, ...]:
        """The answers as values with their labels; ``true`` or ``false`` alone is a boolean."""
        return parse_values_with_labels(self.answers, self.labels)

    @property
    def explanation(self) -> str:
        """Why the line has no answers, as far as it says: an error, a reason, or a note."""
        return self.error or (self.reason.text if self.reason else "") or next(iter(self.notes), "")


def parse_value(text: str, label: str = "") -> Value:
    """Return one text as a value: an IRI, a number or a literal."""
    if is_iri(text):
        return Value(text, "iri", label=label)
    return Value(text, "number" if _NUMBER.fullmatch(text) else "literal", label=label)


def parse_values_with_labels(texts: Sequence[str], labels: Sequence[str]) -> tuple[Value, ...]:
    """Return texts as values; ``true`` or ``false`` alone is a boolean. Labels of another number are left out."""
    if len(texts) == 1 and texts[0] in ("true", "false"):
        return (Value(texts[0], "boolean"),)
    return tuple(map(parse_value, texts, labels if len(labels) == len(texts) else [""] * len(texts)))


def parse_values(texts: Iterable[str]) -> tuple[Value, ...]:
    """Return the distinct texts of a reply as the values of an answer; a single yes or no is a boolean."""
    distinct = list(dict.fromkeys(filter(None, (" ".join(text.split()) for text in texts))))
    if len(distinct) == 1 and parse_yes_no(distinct[0]):
        return (Value(parse_yes_no(distinct[0]), "boolean"),)
    return tuple(map(parse_value, distinct))


def read_answers(path: Path) -> tuple[AnswerLine, ...]:
    """Read a file of answers, in the order of its lines.

    Raises:
        ConfigError: the file is missing or cannot be read.
        BenchmarkInvalid: a line is not valid, or two lines have the same id.
    """
    schema = LineSchema("answers.schema.json", "answer")
    lines_by_id: dict[str, AnswerLine] = {}
    for number, value in read_lines(path):
        schema.check(value, file=path, line=number)
        line = _parse_line(value)
        if str(line.id) in lines_by_id:
            raise BenchmarkInvalid(f"the id {line.id!r} is taken", file=str(path), line=number, path="$.id")
        lines_by_id[str(line.id)] = line
    return tuple(lines_by_id.values())


def answer_to_json(id: str | int, question: str, answer: Answer) -> dict[str, Any]:
    """Return the line of the answer to a question."""
    line: dict[str, Any] = {
        "id": id,
        "question": question,
        "status": answer.status,
        **_optional_fields(answer),
        "answers": [value.value for value in answer.values],
        "labels": list(answer.labels),
        "scores": [round(score, 4) for score in answer.scores],
    }
    if answer.rows:
        line["rows"] = [[value.value for value in row] for row in answer.rows]
    return line | {
        "sparql": answer.sparql,
        "standalone": answer.standalone,
        "confidence": round(answer.confidence, 4),
        "sentence": answer.sentence,
        "witness": [list(triple) for triple in answer.witness],
        "links": {
            "entities": _links_to_json(answer.entities),
            "relations": _links_to_json(answer.relations),
            **_proposals_to_json(answer),
        },
        "queries": answer.queries,
        **({} if answer.candidate_queries is None else {"candidate_queries": answer.candidate_queries}),
        "usage": usage_to_json(answer.usage),
        "stages": {name: round(getattr(answer.stages, name), 4) for name in _STAGES},
        "seconds": round(answer.seconds, 4),
    }


def error_to_json(id: str | int, question: str, error: str) -> dict[str, Any]:
    """Return the line of a failed question: without answer and status, with the error; a resumed run retries it."""
    line = answer_to_json(id, question, Answer()) | {"error": error}
    del line["status"]
    return line


def has_error(line: Mapping[str, Any]) -> bool:
    """Tell whether a line of an answers file has an error, so that a resumed run retries it."""
    return bool(line.get("error"))


def _optional_fields(answer: Answer) -> dict[str, Any]:
    """Return the fields of a line that are omitted if they are empty."""
    reason = answer.reason
    remarks = {
        "reason": {"code": reason.code, "text": reason.text} if reason else None,
        "clarification": _clarification_to_json(answer.clarification) if answer.clarification else None,
        "suggestions": list(answer.suggestions),
        "notes": list(answer.notes),
        "unused": list(answer.unused),
        "candidates": [_candidate_to_json(candidate) for candidate in answer.candidates],
    }
    return {name: value for name, value in remarks.items() if value} | ({} if answer.grounded else {"grounded": False})


def _candidate_to_json(candidate: CandidateQuery) -> dict[str, Any]:
    remarks = {"score": round(candidate.score, 4), "verdict": candidate.verdict, "reason": candidate.reason}
    return {"query": candidate.query} | {name: value for name, value in remarks.items() if value}


def _clarification_to_json(clarification: Clarification) -> dict[str, Any]:
    options = [{"label": one.label} | ({"iri": one.iri} if one.iri else {}) for one in clarification.options]
    return {"question": clarification.question, "options": options}


def _proposals_to_json(answer: Answer) -> dict[str, Any]:
    if not answer.proposed_entities and not answer.proposed_relations:
        return {}
    return {"proposed": {"entities": list(answer.proposed_entities), "relations": list(answer.proposed_relations)}}


def _links_to_json(links: Iterable[LinkedTerm]) -> list[dict[str, Any]]:
    return [
        {"mention": link.mention, "iri": link.iri, "label": link.label, "score": round(link.score, 4)}
        | ({"type": link.type} if link.type else {})
        for link in links
    ]


def _parse_line(value: Mapping[str, Any]) -> AnswerLine:
    stages = value.get("stages", {})
    links = value.get("links", {})
    proposed = links.get("proposed", {})
    reason = value.get("reason")
    stated = {field.name: value[field.name] for field in fields(AnswerLine) if field.name in value}
    parsed = dict(
        answers=tuple(map(to_lexical_form, value.get("answers", ()))),
        labels=tuple(map(to_lexical_form, value.get("labels", ()))),
        scores=tuple(value.get("scores", ())),
        usage=usage_from_json(value.get("usage", {})),
        stages=StageSeconds(**{name: stages.get(name, 0.0) for name in _STAGES}),
        rows=tuple(tuple(map(to_lexical_form, row)) for row in value.get("rows", ())),
        entities=tuple(link["iri"] for link in links.get("entities", ())),
        relations=tuple(link["iri"] for link in links.get("relations", ())),
        has_links="links" in value,
        proposed_entities=tuple(proposed["entities"]) if "entities" in proposed else None,
        proposed_relations=tuple(proposed["relations"]) if "relations" in proposed else None,
        reason=Reason(reason["code"], reason["text"]) if reason else None,
        notes=tuple(value.get("notes", ())),
        unused=tuple(value.get("unused", ())),
        candidates=tuple(
            CandidateQuery(one["query"], one.get("score", 0.0), one.get("verdict", ""), one.get("reason", ""))
            for one in value.get("candidates", ())
        ),
    )
    return AnswerLine(**{**stated, **parsed})
