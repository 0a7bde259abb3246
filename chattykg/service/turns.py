"""One turn of a served conversation: as plain JSON for the store, and as the reply for the client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from chattyshared.answers import answer_to_json
from chattyshared.dialogue import Answer, Exchange, Value
from chattyshared.sparql.query_layout import lay_out_query
from pydantic import TypeAdapter

from chattykg import qir
from chattykg.engine import EngineResult

LONGEST_TEXT, LONGEST_REPLY, SHORTEST_CUT = 20_000, 1_000_000, 300
"""Characters of one text of a reply, of all its texts, and of one that is cut for want of room; names are shorter."""
_CUT = "(cut; {:,} characters in all: a query with SUBSTR reads on)"
_TRIPLE = ("subject", "predicate", "object")
_ANSWERS = TypeAdapter(Answer)
"""Reads answers back; fields that an earlier version did not write keep their defaults."""
_REPLY_FIELDS = (
    "question", "status", "reason", "clarification", "suggestions", "notes", "unused", "answers", "labels", "scores",
    "rows", "sparql", "standalone", "confidence", "witness", "links", "queries", "candidate_queries",
    "usage",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServedTurn:
    """A question, the engine's result with its sentence and evidence, and the class labels of things, by IRI."""

    question: str
    result: EngineResult
    types: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the turn as plain JSON, from which ``to_exchange`` and ``to_reply`` read it back."""
        record = {
            "question": self.question,
            "answer": asdict(self.result.answer),
            "qir": qir.to_json(self.result.qir) if self.result.qir else None,
            "types": dict(self.types),
        }
        plain: dict[str, Any] = json.loads(json.dumps(record))  # tuples become lists, as when they are read back
        return plain


def to_exchange(record: Mapping[str, Any]) -> Exchange:
    """Return a stored turn as part of an engine's history."""
    return Exchange(record["question"], _ANSWERS.validate_python(record["answer"]))


def to_reply(record: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return the reply to a client for a stored turn, the ``number``-th of its conversation.

    ``answers`` and the fields after it are as in a file of answers. ``sentence`` is the answer as a sentence, ``asked``
    the query as a sentence, ``values`` the answers with label, kind and class, ``table`` the rows likewise, with the
    names of the columns, ``evidence`` the witness likewise, ``query`` the query laid out with prefixes; ``qir`` is the
    representation of the question, ``timing`` the seconds by stage.
    """
    answer = _ANSWERS.validate_python(record["answer"])
    line = answer_to_json(number, record["question"], answer)
    show = partial(show_value, record.get("types", {}))
    reply = {
        "turn": number,
        "sentence": answer.text,
        "asked": answer.sentence,
        **{key: line[key] for key in _REPLY_FIELDS if key in line},
        "values": [show(value) for value in answer.values],
        **(
            {"table": {"columns": answer.columns, "rows": [list(map(show, row)) for row in answer.rows]}}
            if answer.rows
            else {}
        ),
        "query": lay_out_query(answer.sparql),
        "evidence": [{name: show(getattr(triple, name)) for name in _TRIPLE} for triple in answer.evidence],
        "qir": record["qir"],
        "timing": {**line["stages"], "total": line["seconds"]},
    }
    return dict(bound_texts(reply))


def bound_texts(plain: Any, *, longest: int = LONGEST_TEXT, total: int = LONGEST_REPLY) -> Any:
    """Return plain JSON with texts of ``longest`` characters at most, shorter ones once they sum up to ``total``.

    A text that is cut says how long it is, and how to read on: by SUBSTR in a query.
    """
    left = total

    def bound(part: Any) -> Any:
        nonlocal left
        if isinstance(part, str):
            room = max(min(longest, left), SHORTEST_CUT)
            left -= min(len(part), room)
            return part if len(part) <= room else f"{part[:room]}… {_CUT.format(len(part))}"
        if isinstance(part, Mapping):
            return {name: bound(value) for name, value in part.items()}
        return [bound(value) for value in part] if isinstance(part, list | tuple) else part

    return bound(plain)


def show_value(types: Mapping[str, str], value: Value) -> dict[str, str]:
    """Return a value for people: its lexical form or IRI, its kind, and label, class, datatype and language if any."""
    shown = {"value": value.value, "kind": value.kind, "label": value.label, "type": types.get(value.value, "")}
    shown |= {"datatype": value.datatype, "lang": value.lang}
    return {name: text for name, text in shown.items() if text}
