"""Observations: what a tool returned, as text for the model within a budget; what is left out is counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from chattyshared.dialogue import Value
from chattyshared.kg import KnowledgeGraph

from chattykg.exploration.class_statistics import ClassPredicates, ValueCounts
from chattykg.exploration.entity_description import EntityDescription, FactGroup
from chattykg.exploration.graph_names import MAX_TEXT_CHARACTERS, to_line
from chattykg.exploration.graph_tools import (
    ClassSummary,
    DescribedThing,
    FoundEntity,
    FoundVocabulary,
    PredicateSummary,
    SelectedTable,
    VocabularyList,
)

MAX_CHARACTERS = 2_000
"""Characters of an observation, about 500 tokens."""
MAX_CELLS = 12
"""Columns of a table that are shown."""
SHOWN_FACTS, SHOWN_SINGLE = 4, 8
"""Values of one predicate in a description, and of one whose values all occur once."""
MIN_SHOWN_SCORE = 0.4
"""Score (0..1) from which a label is told to be like a text. Set by hand."""
Record = Sequence[FoundEntity] | VocabularyList | DescribedThing | ClassPredicates | ValueCounts | SelectedTable


class TermNames(Protocol):
    """How the terms of a graph are shown."""

    def name(self, iri: str, label: str = "", kind: str = "") -> str:
        """Return the name of a class, a predicate or a thing."""

    def prefixed_name(self, iri: str) -> str:
        """Return the short name of a class or a datatype."""

    def render_value(self, value: Value | None) -> str:
        """Return the text of a value."""


def render_observation(
    record: Record, names: TermNames, kg: KnowledgeGraph, *, limit: int = MAX_CHARACTERS, shown_facts: int = SHOWN_FACTS
) -> str:
    """Return the text of what a tool returned, of at most ``limit`` characters."""
    if isinstance(record, SelectedTable):
        lines: Iterable[str] = _table_lines(record, names)
    elif isinstance(record, VocabularyList):
        lines = _vocabulary_lines(record, names)
    elif isinstance(record, DescribedThing):
        lines = _description_lines(record, names, shown_facts)
    elif isinstance(record, ClassPredicates):
        lines = _class_lines(record, names, kg)
    elif isinstance(record, ValueCounts):
        lines = _value_lines(record, names)
    else:
        near = [one for one in record if one.score >= MIN_SHOWN_SCORE]
        lines = [names.name(one.iri, one.label, ", ".join(one.classes[:3])) + _match_note(one) for one in near]
    return fit_lines(list(lines), limit) or "nothing is found"


def fit_lines(lines: Sequence[str], limit: int = MAX_CHARACTERS) -> str:
    """Return the first lines that fit, each cut if need be, and how many are left out."""
    kept: list[str] = []
    for line in lines:
        line = line if len(line) <= limit // 2 else f"{line[: limit // 2]}…"
        if len(line) + 1 > limit:
            break
        limit -= len(line) + 1
        kept.append(line)
    left_out = len(lines) - len(kept)
    return "\n".join((*kept, *([f"({left_out} more left out)"] if left_out else [])))


def _table_lines(table: SelectedTable, names: TermNames) -> Iterator[str]:
    if table.truth is not None:
        yield "true" if table.truth else "false"
        return
    count = f"{len(table.rows)}{' or more' if table.is_cut else ''}"
    yield f"{count} rows: {' | '.join(f'?{name}' for name in table.columns[:MAX_CELLS])}" if table.rows else "no rows"
    for row in table.rows:
        yield " | ".join(map(names.render_value, row[:MAX_CELLS]))


def _vocabulary_lines(found: VocabularyList, names: TermNames) -> Iterator[str]:
    if isinstance(found, FoundVocabulary) and found.is_loose:
        yield "nothing has all of these words; by any of them:"
    yield from (_class_line(one, names) for one in found.classes)
    yield from (_predicate_line(one, names) for one in found.predicates)
    if found.is_cut:
        yield "(there are more)"


def _class_line(one: ClassSummary, names: TermNames) -> str:
    above = f" < {', '.join(names.name(term.iri) for term in one.superclasses[:2])}" if one.superclasses else ""
    return f'class {names.name(one.iri)}{above} "{to_line(one.label, 60)}" {one.count}x'


def _predicate_line(one: PredicateSummary, names: TermNames) -> str:
    domains, ranges = ("|".join(end.label for end in side[:4]) or "thing" for side in (one.domains, one.ranges))
    values = ", ".join(to_line(value, 30) for value in one.values[:8]) or to_line(one.example[1], 30)
    comment = f" ({to_line(one.comment, 80)})" if one.comment else ""
    return f"{names.name(one.iri)}{comment}: {domains} -> {ranges} {one.count}x; e.g. {values}"


def _description_lines(thing: DescribedThing, names: TermNames, shown_facts: int) -> Iterator[str]:
    one: EntityDescription = thing.description
    yield names.name(one.iri, one.label, ", ".join(value.label or value.value for value in one.classes[:3]))
    if thing.namesakes:
        others = (names.name(other.iri, other.label, ", ".join(other.classes)) for other in thing.namesakes)
        yield f"also of this name: {', '.join(others)}"
    if not one.is_stated:
        yield "the graph states nothing of it"
    if further := [name for name in one.names if name.value != one.label]:
        yield f"names: {', '.join(names.render_value(name) for name in further[:SHOWN_FACTS])}"
    yield from (f"text: {to_line(text.value, MAX_TEXT_CHARACTERS)}" for text in one.texts[:1])
    for side, groups in (("-> ", one.outgoing), ("<- ", one.incoming)):
        yield from (side + _fact_line(group, names, shown_facts) for group in groups if not group.is_metadata)


def _fact_line(group: FactGroup, names: TermNames, shown_facts: int) -> str:
    shown = ", ".join(names.render_value(fact.value) for fact in group.values[:shown_facts])
    left = group.count - min(len(group.values), shown_facts)
    return f"{names.name(group.predicate)}: {shown}{f' and {left} more' if left > 0 else ''}"


def _class_lines(found: ClassPredicates, names: TermNames, kg: KnowledgeGraph) -> Iterator[str]:
    yield f"class {names.name(found.class_iri)}: {found.size} things; how many of them have each predicate:"
    known = kg.vocabulary.predicates
    for one in found.predicates:
        entry = known.get(one.iri)
        if entry is None or entry.is_metadata:
            continue
        side = "<- " if one.is_inverse else "-> "
        far = entry.domains if one.is_inverse else (entry.ranges or entry.datatypes)
        ends = "|".join(names.prefixed_name(iri) for iri in far[:3]) or "?"
        yield f"{side}{names.name(one.iri)} ({ends}): {one.count}"


def _value_lines(found: ValueCounts, names: TermNames) -> Iterator[str]:
    of = f" of {found.size} {names.name(found.class_iri)}" if found.class_iri else ""
    yield f"{names.name(found.predicate)}: {found.subjects}{of} have it, {found.distinct} different values"
    if found.lowest is not None and found.highest is not None and found.distinct > len(found.values):
        yield f"from {names.render_value(found.lowest)} to {names.render_value(found.highest)}"
    values = found.values if any(count > 1 for _, count in found.values) else found.values[:SHOWN_SINGLE]
    yield from (f"{names.render_value(value)}: {count}x" for value, count in values)
    if found.distinct > len(values):
        yield f"({found.distinct - len(values)} other values)"


def _match_note(one: FoundEntity) -> str:
    """Return by which other name a thing is found, and how like the text that is ("": the same)."""
    also = "" if one.matched_label == one.label else f', also "{to_line(one.matched_label, 60)}"'
    return also if one.score >= 1 else f"{also}, {one.score:.2f} like it"
