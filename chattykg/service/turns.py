"""One turn of a served conversation: as plain JSON, in which it is kept, and as the reply that a client reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from chattyshared.answers import answer_to_json
from chattyshared.dialogue import Answer, CandidateQuery, Exchange, LinkedTerm, Reason, StageSeconds, Value
from chattyshared.model import Usage

from chattykg import qir
from chattykg.engine import EngineResult

_REPLIED = (
    "question", "status", "reason", "notes", "unused", "answers", "labels", "scores", "rows", "sparql", "standalone",
    "confidence", "witness", "links", "queries", "candidate_queries",
    "usage",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServedTurn:
    """A question, its answer, how it was represented (None: not at all), and the answer in a sentence."""

    question: str
    result: EngineResult
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """Return the turn as plain JSON from which ``exchange`` and ``reply`` read it back."""
        represented = qir.to_json(self.result.qir) if self.result.qir else None
        made = {
            "question": self.question,
            "answer": asdict(self.result.answer),
            "qir": represented,
            "said": self.sentence,
        }
        plain: dict[str, Any] = json.loads(json.dumps(made))  # tuples become lists, as they will be read back
        return plain


def to_exchange(record: Mapping[str, Any]) -> Exchange:
    """Return a kept turn as part of an engine's history."""
    return Exchange(record["question"], _answer(record["answer"]))


def to_reply(record: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return what a client is told of a kept turn, the ``number``-th of its conversation.

    ``answers`` and all that stands beside it is as in a file of answers; ``sentence`` is the answer in words, ``asked``
    says what was asked of the graph, ``qir`` how the question was represented, ``timing`` are seconds by stage.
    """
    answer = _answer(record["answer"])
    line = answer_to_json(number, record["question"], answer)
    return {
        "turn": number,
        "sentence": record["said"],
        "asked": answer.sentence,
        **{key: line[key] for key in _REPLIED if key in line},
        "qir": record["qir"],
        "timing": {**line["stages"], "total": line["seconds"]},
    }


def _answer(kept: Mapping[str, Any]) -> Answer:
    """Read an answer back from its fields; what the service of an earlier version did not write is left out."""
    known = {name: kept[name] for name in Answer.__dataclass_fields__ if name in kept}
    readers: Mapping[str, Callable[[Any], Any]] = {
        "values": _values,
        "scores": tuple,
        "rows": lambda rows: tuple(map(_values, rows)),
        "witness": lambda triples: tuple((s, p, o) for s, p, o in triples),
        "entities": _links,
        "relations": _links,
        "usage": lambda usage: Usage(**usage),
        "stages": lambda stages: StageSeconds(**stages),
        "reason": lambda reason: Reason(**reason) if reason else None,
        "notes": tuple,
        "unused": tuple,
        "candidates": lambda candidates: tuple(CandidateQuery(**candidate) for candidate in candidates),
    }
    return Answer(**{name: readers[name](part) if name in readers else part for name, part in known.items()})


def _values(kept: list[Mapping[str, Any]]) -> tuple[Value, ...]:
    return tuple(Value(**value) for value in kept)


def _links(kept: list[Mapping[str, Any]]) -> tuple[LinkedTerm, ...]:
    return tuple(LinkedTerm(**link) for link in kept)
