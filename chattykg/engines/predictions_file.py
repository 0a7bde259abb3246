"""``file:PREDICTIONS``: what some system has said to these questions, read from a file in any known format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from chattyshared.answers import AnswerLine
from chattyshared.dialogue import Answer, History, LinkedTerm, Value
from chattyshared.errors import ReplyInvalid

from chattykg.engines.prompt_history import parse_value

_WITHOUT_VALUES: Mapping[str, Literal["empty", "clarification"]] = {"empty": "empty", "clarification": "clarification"}


class PredictionsFile:
    """Says what a file says; ``place`` is the question's id."""

    def __init__(self, lines: Iterable[AnswerLine], name: str) -> None:
        self._lines, self._name = {str(line.id): line for line in lines}, name

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Return what the file says to the question of this id.

        Raises:
            ReplyInvalid: it has no line for it, or one that holds an error.
        """
        line = self._lines.get(span)
        if line is None or (line.error and not line.sparql):
            said = "holds no answer to this question" if line is None else line.error
            raise ReplyInvalid(said, model=self._name)
        found = _values(line)
        scores = line.scores if len(line.scores) == len(found) else (1.0,) * len(found)
        return Answer(
            found, scores, tuple(tuple(map(parse_value, row)) for row in line.rows), line.sparql,
            line.standalone or question, line.confidence, line.sentence, queries=line.queries,
            candidate_queries=line.candidate_queries, usage=line.usage,
            entities=_links(line.entities), relations=_links(line.relations), stages=line.stages, seconds=line.seconds,
            notes=(*line.notes, *filter(None, [line.error])), reason=line.reason, unused=line.unused,
            without_values=_WITHOUT_VALUES.get(line.status, "unknown"), grounded=line.grounded,
        )  # fmt: skip


def _values(line: AnswerLine) -> tuple[Value, ...]:
    """Return the values with their labels, where these run beside them."""
    labels = line.labels if len(line.labels) == len(line.answers) else line.answers
    pairs = zip(line.answers, labels, strict=True)
    return tuple(
        Value(text, "boolean") if text in ("true", "false") else _labelled(text, label) for text, label in pairs
    )


def _labelled(text: str, label: str) -> Value:
    made = parse_value(text)
    return Value(made.value, made.kind, label="" if label == text else label)


def _links(iris: Iterable[str]) -> tuple[LinkedTerm, ...]:
    return tuple(LinkedTerm(iri, iri, iri) for iri in iris)
