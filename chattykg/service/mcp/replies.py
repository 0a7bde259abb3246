"""The replies of the graph's tools to an agent: a text to read, and the same content as a record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from chattyshared.dialogue import Answer, AnswerStatus, ClarificationOption, Reason, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.text import cut_text

from chattykg.agents.verbalizer import MAX_NAMED_ANSWERS
from chattykg.exploration.class_statistics import ClassPredicates, PredicateCount, ValueCounts
from chattykg.exploration.entity_description import EntityDescription, FactGroup, FactValue
from chattykg.exploration.graph_tools import (
    ClassSummary,
    FoundEntity,
    FoundVocabulary,
    NamedTerm,
    PredicateSummary,
    SelectedTable,
    VocabularyList,
    list_vocabulary,
)
from chattykg.service.turns import ServedTurn
from chattykg.suggestions import suggest_questions

MAX_RECORD_VALUES = 1_000
"""Values and rows of an answer that its record holds."""
MAX_LISTED_LABELS = 50
"""Values and rows of an answer that its text lists, behind a sentence that names fewer."""
MAX_EVIDENCE, SHOWN_EVIDENCE = 20, 3
"""Facts that support an answer: in its record, and in its text."""
MAX_LINE_CHARACTERS = 300
"""Characters of one text of the graph in a line."""
_shorten = partial(cut_text, limit=MAX_LINE_CHARACTERS)

_UNKNOWN_HINT = "search_entities and vocabulary find the graph's own words; select runs a query of your own."
CARD_CLASSES, CARD_RELATIONS = 12, 12
"""Classes and relations that the card of a graph lists."""


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


@dataclass(frozen=True, slots=True)
class PredicatesRecord:
    """The classes and predicates that were found; for a class without words, its predicates with their numbers.

    ``class_iri`` is that class, ``things`` the number of its things, ``counts`` how many of them have each predicate.
    """

    classes: tuple[ClassSummary, ...] = ()
    predicates: tuple[PredicateSummary, ...] = ()
    class_iri: str = ""
    things: int = 0
    counts: tuple[PredicateCount, ...] = ()


@dataclass(frozen=True, slots=True)
class DescriptionRecord:
    """What the graph states of a thing; ``others`` have the same or nearly the same name."""

    description: EntityDescription
    is_cut: bool
    others: tuple[FoundEntity, ...]


@dataclass(frozen=True, slots=True)
class VocabularyRecord:
    """The classes and predicates that match."""

    vocabulary: VocabularyList
    is_cut: bool


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The reply of a tool: a text, and a record of one of the classes above."""

    text: str
    record: (
        AnswerRecord
        | EntitiesRecord
        | PredicatesRecord
        | DescriptionRecord
        | ValueCounts
        | VocabularyRecord
        | SelectedTable
    )


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
    return ToolReply("\n".join(_answer_lines(turn.question, answer, record)), record)


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


def reply_with_entities(text: str, entities: Sequence[FoundEntity]) -> ToolReply:
    """Return the reply with the things that a text may name."""
    lines = [f"- {_entity_line(one)}, score {one.score:.2f}" for one in entities]
    return ToolReply(
        "\n".join(lines) or f"Nothing in the graph has a name like {text[:80]!r}.", EntitiesRecord(tuple(entities))
    )


def reply_with_predicates(found: FoundVocabulary | ClassPredicates, words: str, kg: KnowledgeGraph) -> ToolReply:
    """Return the reply with the classes and predicates that were searched."""
    if isinstance(found, FoundVocabulary):
        reply = reply_with_vocabulary(found, words)
        note = "Nothing has all of these words; by any of them:\n" if found.is_loose else ""
        return ToolReply(note + reply.text, PredicatesRecord(found.classes, found.predicates))
    known = kg.vocabulary.predicates
    lines = [f"{found.size:,} things are of this class; of them have:"]
    for one in found.predicates:
        label = known[one.iri].label if one.iri in known else one.iri
        lines.append(f"- {_shorten(label)}{' (as its object)' if one.is_inverse else ''}: {one.count:,}, <{one.iri}>")
    record = PredicatesRecord(class_iri=found.class_iri, things=found.size, counts=found.predicates)
    return ToolReply("\n".join(lines), record)


def reply_with_values(found: ValueCounts) -> ToolReply:
    """Return the reply with the values of a predicate."""
    of = f" of {found.size:,}" if found.class_iri else ""
    lines = [f"{found.subjects:,}{of} things have a value; {found.distinct:,} values are different:"]
    lines += [f"- {_shorten(value.label or value.value)}: {count:,}" for value, count in found.values]
    left = found.distinct - len(found.values)
    lines += [f"- and {left:,} other values"] if left > 0 else []
    return ToolReply("\n".join(lines), found)


def _entity_line(one: FoundEntity) -> str:
    classes = f" ({', '.join(one.classes)})" if one.classes else ""
    matched = f', also called "{_shorten(one.matched_label)}"' if one.matched_label != one.label else ""
    return f"{_shorten(one.label)}{classes} <{one.iri}>{matched}"


def reply_with_description(description: EntityDescription, others: Sequence[FoundEntity]) -> ToolReply:
    """Return the reply with what the graph states of a thing, and other things of its name."""
    record = DescriptionRecord(description, description.is_cut, tuple(others))
    return ToolReply("\n".join(_description_lines(description, others)), record)


def _description_lines(one: EntityDescription, others: Sequence[FoundEntity]) -> Iterator[str]:
    if not one.is_stated:
        yield f"The graph states nothing of <{one.iri[:MAX_LINE_CHARACTERS]}>."
        return
    classes = f" ({', '.join(value.label for value in one.classes)})" if one.classes else ""
    yield f"{_shorten(one.label)}{classes} <{one.iri}>"
    further = dict.fromkeys(value.value for value in one.names if value.value != one.label)
    if further:
        yield f"Also called: {_shorten('; '.join(further))}"
    yield from (_shorten(text.value) for text in one.texts[:1])
    if one.outgoing:
        yield "Its facts:"
        yield from map(_group_line, one.outgoing)
    if one.incoming:
        yield "Facts about others that lead to it:"
        yield from map(_group_line, one.incoming)
    if one.is_cut:
        yield "There are more facts than these: select gets the rest."
    yield from (f"Another thing of this name: {_entity_line(other)}" for other in others)


def _group_line(group: FactGroup) -> str:
    texts = "; ".join(map(_fact_text, group.values))
    more = "more than " if not group.is_count_exact else ""
    count = f" ({more}{group.count:,})" if group.is_cut or group.count > 1 else ""
    return f"- {group.label}{count}: {texts} [<{group.predicate}>]"


def _fact_text(fact: FactValue) -> str:
    iri = f" <{fact.value.value}>" if fact.value.kind == "iri" else ""
    return f"{_shorten(fact.value.text)}{iri}"


def reply_with_vocabulary(listed: VocabularyList, words: str) -> ToolReply:
    """Return the reply with the classes and predicates that match some words."""
    return ToolReply("\n".join(_vocabulary_lines(listed, words)), VocabularyRecord(listed, listed.is_cut))


def _vocabulary_lines(listed: VocabularyList, words: str) -> Iterator[str]:
    if not listed.class_count and not listed.predicate_count:
        yield f"No class and no predicate matches {words[:80]!r}: try another word, or none for the most frequent ones."
        return
    if listed.classes:
        yield f"Classes ({len(listed.classes)} of {listed.class_count:,}):"
        yield from map(_class_line, listed.classes)
    if listed.predicates:
        yield f"Predicates ({len(listed.predicates)} of {listed.predicate_count:,}):"
        yield from map(_predicate_line, listed.predicates)


def _class_line(one: ClassSummary) -> str:
    comment = f" - {_shorten(one.comment)}" if one.comment else ""
    return (
        f"- {_shorten(one.label)} <{one.iri}>, {one.count:,} things{_join_names(', below', one.superclasses)}{comment}"
    )


def _predicate_line(one: PredicateSummary) -> str:
    ends = f"{_join_names(', of', one.domains)}{_join_names(', to', one.ranges)}"
    example = f", for example {_shorten(one.example[0])}: {_shorten(one.example[1])}" if all(one.example) else ""
    comment = f" - {_shorten(one.comment)}" if one.comment else ""
    return f"- {_shorten(one.label)} <{one.iri}>, {one.count:,} triples{ends}{example}{comment}"


def _join_names(lead: str, terms: Iterable[NamedTerm]) -> str:
    labels = [term.label for term in terms]
    return f"{lead} {' or '.join(labels[:5])}" if labels else ""


def reply_with_table(table: SelectedTable) -> ToolReply:
    """Return the reply with the result of a query."""
    return ToolReply("\n".join(_table_lines(table)), table)


def _table_lines(table: SelectedTable) -> Iterator[str]:
    if table.truth is not None:
        yield "yes" if table.truth else "no"
        return
    yield f"{len(table.rows)} rows{', and there are more: raise the limit or use OFFSET' if table.is_cut else ''}"
    yield " | ".join(table.columns)
    for row in table.rows:
        yield " | ".join(_cell_text(value) for value in row)


def _cell_text(value: Value | None) -> str:
    if value is None:
        return ""
    return _fact_text(FactValue(value)) if value.label else _shorten(value.value)


def describe_card(kg: KnowledgeGraph) -> str:
    """Return the card of a graph in Markdown: its size, languages, classes, main relations and questions to ask.

    Raises:
        EndpointError: the KG could not be asked.
    """
    return "\n".join(_card_lines(kg)) + "\n"


def _card_lines(kg: KnowledgeGraph) -> Iterator[str]:
    listed = list_vocabulary(kg, limit=len(kg.vocabulary.classes) + len(kg.vocabulary.predicates))
    classes = [one for one in listed.classes if one.count and not kg.vocabulary.classes[one.iri].is_metadata]
    relations = [one for one in listed.predicates if not kg.vocabulary.predicates[one.iri].is_metadata]
    languages = sorted(tag for tag in kg.vocabulary.languages if tag)
    yield f"# {_plain(kg.name)}"
    yield ""
    yield f"- triples: {kg.count_triples():,}"
    yield f"- languages of its labels: {', '.join(languages) or 'not stated'}"
    yield f"- classes: {len(classes):,}; relations: {len(relations):,}"
    yield from ("", "## Classes", "")
    yield from (f"- {_plain(one.label)}: {one.count:,} things, <{one.iri}>" for one in classes[:CARD_CLASSES])
    yield from ("", "## Main relations", "")
    yield from map(_relation_line, relations[:CARD_RELATIONS])
    yield from ("", "## Questions that it answers", "")
    yield from (f"- {_plain(question)}" for question in suggest_questions(kg))


def _relation_line(one: PredicateSummary) -> str:
    ends = [", ".join(_plain(end.label) for end in side[:3]) or "anything" for side in (one.domains, one.ranges)]
    example = f"; for example {_plain(one.example[0])}: {_plain(one.example[1])}" if all(one.example) else ""
    return f"- {_plain(one.label)} ({ends[0]} to {ends[1]}){example}, <{one.iri}>"


def _plain(text: str) -> str:
    """Return a text of the graph in one line."""
    return re.sub(r"\s+", " ", text)[:MAX_LINE_CHARACTERS]
