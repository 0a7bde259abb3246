"""One turn of a served conversation: as plain JSON for the store, and as the reply for the client."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from chattyshared.answers import answer_to_json
from chattyshared.dialogue import (
    Answer,
    CandidateQuery,
    Clarification,
    ClarificationOption,
    Exchange,
    LinkedTerm,
    Reason,
    StageSeconds,
    Value,
)
from chattyshared.model import Usage

from chattykg import qir
from chattykg.engine import EngineResult

_REPLY_FIELDS = (
    "question", "status", "reason", "clarification", "suggestions", "notes", "unused", "answers", "labels", "scores",
    "rows", "sparql", "standalone", "confidence", "witness", "links", "queries", "candidate_queries",
    "usage",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServedTurn:
    """A question, the engine's result, and the answer as a sentence."""

    question: str
    result: EngineResult
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """Return the turn as plain JSON, from which ``to_exchange`` and ``to_reply`` read it back."""
        record = {
            "question": self.question,
            "answer": asdict(self.result.answer),
            "qir": qir.to_json(self.result.qir) if self.result.qir else None,
            "said": self.sentence,
        }
        plain: dict[str, Any] = json.loads(json.dumps(record))  # tuples become lists, as when they are read back
        return plain


def to_exchange(record: Mapping[str, Any]) -> Exchange:
    """Return a stored turn as part of an engine's history."""
    return Exchange(record["question"], _read_answer(record["answer"]))


def to_reply(record: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return the reply to a client for a stored turn, the ``number``-th of its conversation.

    ``answers`` and the fields after it are as in a file of answers. ``sentence`` is the answer as a sentence, ``asked``
    the query as a sentence, ``qir`` the representation of the question, ``timing`` the seconds by stage.
    """
    answer = _read_answer(record["answer"])
    line = answer_to_json(number, record["question"], answer)
    return {
        "turn": number,
        "sentence": record["said"],
        "asked": answer.sentence,
        **{key: line[key] for key in _REPLY_FIELDS if key in line},
        "qir": record["qir"],
        "timing": {**line["stages"], "total": line["seconds"]},
    }


def _read_answer(record: Mapping[str, Any]) -> Answer:
    """Read an answer from its fields; fields that an earlier version did not write keep their defaults."""
    known = {name: record[name] for name in Answer.__dataclass_fields__ if name in record}
    readers: Mapping[str, Callable[[Any], Any]] = {
        "values": _read_values,
        "scores": tuple,
        "rows": lambda rows: tuple(map(_read_values, rows)),
        "witness": lambda triples: tuple((s, p, o) for s, p, o in triples),
        "entities": _read_links,
        "relations": _read_links,
        "usage": lambda usage: Usage(**usage),
        "stages": lambda stages: StageSeconds(**stages),
        "reason": lambda reason: Reason(**reason) if reason else None,
        "clarification": lambda clarification: _read_clarification(clarification) if clarification else None,
        "suggestions": tuple,
        "notes": tuple,
        "unused": tuple,
        "candidates": lambda candidates: tuple(CandidateQuery(**candidate) for candidate in candidates),
    }
    return Answer(**{name: readers[name](value) if name in readers else value for name, value in known.items()})


def _read_clarification(record: Mapping[str, Any]) -> Clarification:
    return Clarification(record["question"], tuple(ClarificationOption(**one) for one in record["options"]))


def _read_values(records: list[Mapping[str, Any]]) -> tuple[Value, ...]:
    return tuple(Value(**value) for value in records)


def _read_links(records: list[Mapping[str, Any]]) -> tuple[LinkedTerm, ...]:
    return tuple(LinkedTerm(**link) for link in records)
