"""``file:PREDICTIONS``: the answers of some system, read from a file in any known format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from chattyshared.answers import AnswerLine, parse_value
from chattyshared.dialogue import Answer, History, LinkedTerm, Value
from chattyshared.errors import ReplyInvalid

_WITHOUT_VALUES: Mapping[str, Literal["empty", "clarification"]] = {"empty": "empty", "clarification": "clarification"}


class PredictionsFile:
    """Returns the answers of a file; ``span`` is the question's id."""

    def __init__(self, lines: Iterable[AnswerLine], name: str) -> None:
        self._lines, self._name = {str(line.id): line for line in lines}, name

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Return the file's answer to the question with the id ``span``.

        Raises:
            ReplyInvalid: the file has no line for it, or a line with an error and no query.
        """
        line = self._lines.get(span)
        if line is None or (line.error and not line.sparql):
            message = "holds no answer to this question" if line is None else line.error
            raise ReplyInvalid(message, model=self._name)
        values = _values(line)
        scores = line.scores if len(line.scores) == len(values) else (1.0,) * len(values)
        return Answer(
            values, scores, tuple(tuple(map(parse_value, row)) for row in line.rows), line.sparql,
            line.standalone or question, line.confidence, line.sentence, queries=line.queries,
            candidate_queries=line.candidate_queries, usage=line.usage,
            entities=_links(line.entities), relations=_links(line.relations), stages=line.stages, seconds=line.seconds,
            notes=(*line.notes, *filter(None, [line.error])), reason=line.reason, unused=line.unused,
            without_values=_WITHOUT_VALUES.get(line.status, "unknown"), grounded=line.grounded,
        )  # fmt: skip


def _values(line: AnswerLine) -> tuple[Value, ...]:
    """Return the values with their labels, if there is a label for each."""
    labels = line.labels if len(line.labels) == len(line.answers) else line.answers
    pairs = zip(line.answers, labels, strict=True)
    return tuple(
        Value(text, "boolean") if text in ("true", "false") else _value_with_label(text, label) for text, label in pairs
    )


def _value_with_label(text: str, label: str) -> Value:
    value = parse_value(text)
    return Value(value.value, value.kind, label="" if label == text else label)


def _links(iris: Iterable[str]) -> tuple[LinkedTerm, ...]:
    return tuple(LinkedTerm(iri, iri, iri) for iri in iris)
