"""The replies of the graph's tools to an agent: a text to read, and the same content as a record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from chattyshared.dialogue import Answer, AnswerStatus, ClarificationOption, Reason, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import local_name
from chattyshared.text import cut_text

from chattykg.agents.verbalizer import MAX_NAMED_ANSWERS
from chattykg.exploration.class_statistics import ClassPredicates, ValueCounts
from chattykg.exploration.graph_tools import (
    DescribedThing,
    FoundEntity,
    FoundVocabulary,
    SelectedTable,
    VocabularyList,
    list_vocabulary,
)
from chattykg.exploration.observations import render_observation
from chattykg.service.turns import LONGEST_TEXT, ServedTurn
from chattykg.suggestions import suggest_questions

MAX_RECORD_VALUES = 1_000
"""Values and rows of an answer that its record holds."""
MAX_LISTED_LABELS = 50
"""Values and rows of an answer that its text lists, behind a sentence that names fewer."""
MAX_EVIDENCE, SHOWN_EVIDENCE = 20, 3
"""Facts that support an answer: in its record, and in its text."""
MAX_LINE_CHARACTERS = 300
"""Characters of one text of the graph in a line."""
MAX_SHOWN_FACTS = 100
"""Values of one predicate in the text of a description."""
CARD_ENTRIES = 12
"""Classes, and relations, that the card of a graph lists."""
_UNKNOWN_HINT = "search_entities and vocabulary find the graph's own words; select runs a query of your own."
_shorten = partial(cut_text, limit=MAX_LINE_CHARACTERS)
ToolReply = tuple[str, Any]
"""A text, and a record of one of the classes of ``RECORDS``."""


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """The answer to a question: ``values`` are IRIs, literals or numbers, ``labels`` their names and ``classes`` the
    names of their classes ("" for none), in the same order.

    ``value_count`` is the number of all values; more than 1,000 are not listed. ``options`` are what a clarification
    offers, ``suggestions`` questions that the graph answers, ``evidence`` facts that support the answer, by name.
    ``conversation`` is the id for the next question.
    """

    conversation: str
    status: AnswerStatus
    text: str
    values: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    value_count: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    confidence: float
    sparql: str
    standalone: str
    reason: Reason | None
    options: tuple[ClarificationOption, ...]
    suggestions: tuple[str, ...]
    evidence: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class EntitiesRecord:
    """The things that a text may name, best first."""

    entities: tuple[FoundEntity, ...]


RECORDS: dict[str, Any] = {
    "ask": AnswerRecord,
    "search_entities": EntitiesRecord,
    "search_predicates": FoundVocabulary | ClassPredicates,
    "values": ValueCounts,
    "describe": DescribedThing,
    "vocabulary": VocabularyList,
    "select": SelectedTable,
}
"""What each tool returns."""


def reply_with_answer(turn: ServedTurn, conversation: str) -> ToolReply:
    """Return the reply with the answer of a turn in a conversation."""
    answer = turn.result.answer
    values = answer.values[:MAX_RECORD_VALUES]
    record = AnswerRecord(
        conversation,
        answer.status,
        answer.text,
        values=tuple(value.value for value in values),
        labels=tuple(value.text for value in values),
        classes=tuple(turn.types.get(value.value, "") for value in values),
        value_count=len(answer.values),
        columns=answer.columns,
        rows=tuple(tuple(value.text for value in row) for row in answer.rows[:MAX_RECORD_VALUES]),
        notes=answer.notes,
        confidence=round(answer.confidence, 4),
        sparql=answer.sparql,
        standalone=answer.standalone,
        reason=answer.reason,
        options=answer.clarification.options if answer.clarification else (),
        suggestions=answer.suggestions,
        evidence=tuple(
            (one.subject.text, one.predicate.text, one.object.text) for one in answer.evidence[:MAX_EVIDENCE]
        ),
    )
    return "\n".join(_answer_lines(turn.question, answer, record)), record


def _answer_lines(question: str, answer: Answer, record: AnswerRecord) -> Iterator[str]:
    yield record.text
    if record.columns and record.rows:
        yield f"- {' | '.join(record.columns)}"
    lines = [" | ".join(row) for row in record.rows] or list(record.labels[MAX_NAMED_ANSWERS:])
    yield from (f"- {_shorten(line)}" for line in lines[:MAX_LISTED_LABELS])
    rest = (len(answer.rows) or record.value_count - MAX_NAMED_ANSWERS) - MAX_LISTED_LABELS
    if rest > 0:
        yield f"- and {rest:,} more"
    yield from (f"{number}. {option.label}" for number, option in enumerate(answer.options, 1))
    yield from (f"You can ask: {question}" for question in record.suggestions)
    yield from (f"Note: {note}" for note in record.notes if note != record.text)
    yield from (f"Because: {_shorten(', '.join(triple))}" for triple in record.evidence[:SHOWN_EVIDENCE])
    if record.status == "unknown":
        yield _UNKNOWN_HINT
    yield f"Status: {record.status}; confidence: {record.confidence:.2f}; conversation: {record.conversation}"
    if record.standalone not in ("", question):
        yield f"Understood as: {record.standalone}"
    if record.sparql:
        yield f"SPARQL:\n{record.sparql}"


class IriNames:
    """Shows the terms of a graph by their labels and IRIs, which an agent can use in its queries."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._labels = {iri: entry.label for iri, entry in kg.vocabulary.classes.items()}
        self._labels |= {iri: entry.label for iri, entry in kg.vocabulary.predicates.items()}

    def name(self, iri: str, label: str = "", kind: str = "") -> str:
        """Return the label and the IRI of a term, with its kind behind them."""
        parts = (_shorten(label or self._labels.get(iri, "")), f"<{iri[:MAX_LINE_CHARACTERS]}>", kind and f"({kind})")
        return " ".join(filter(None, parts))

    def prefixed_name(self, iri: str) -> str:
        """Return the local name of a class or a datatype."""
        return local_name(iri)

    def render_value(self, value: Value | None) -> str:
        """Return the text of a value, with the IRI of a thing."""
        if value is None:
            return ""
        return self.name(value.value, value.label) if value.kind == "iri" else _shorten(value.value)


def reply_with_record(record: Any, kg: KnowledgeGraph) -> ToolReply:
    """Return the reply with what a tool found."""
    text = render_observation(record, IriNames(kg), kg, limit=LONGEST_TEXT, shown_facts=MAX_SHOWN_FACTS)
    return text, EntitiesRecord(record) if isinstance(record, tuple) else record


def describe_card(kg: KnowledgeGraph) -> str:
    """Return the card of a graph in Markdown: its size, languages, classes, main relations and questions to ask.

    Raises:
        EndpointError: the KG could not be asked.
    """
    listed = list_vocabulary(kg, limit=len(kg.vocabulary.classes) + len(kg.vocabulary.predicates))
    classes = [one for one in listed.classes if one.count and not kg.vocabulary.classes[one.iri].is_metadata]
    relations = [one for one in listed.predicates if not kg.vocabulary.predicates[one.iri].is_metadata]
    shown = tuple(classes[:CARD_ENTRIES]), tuple(relations[:CARD_ENTRIES])
    lines = (
        f"# {_shorten(kg.name)}",
        "",
        f"- triples: {kg.count_triples():,}",
        f"- languages of its labels: {', '.join(sorted(filter(None, kg.vocabulary.languages))) or 'not stated'}",
        f"- classes: {len(classes):,}; relations: {len(relations):,}",
        "\n## Classes and main relations\n",
        reply_with_record(VocabularyList(*shown, len(classes), len(relations)), kg)[0],
        "\n## Questions that it answers\n",
        *(f"- {_shorten(question)}" for question in suggest_questions(kg)),
    )
    return "\n".join(lines) + "\n"
