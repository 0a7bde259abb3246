"""Answers from results: values with labels, scores, links and confidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import reduce
from itertools import chain, repeat

from chattyshared.dialogue import Answer, LinkedTerm, Triples, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.text_readings import TextReading
from chattyshared.literals import to_value
from chattyshared.terms import Term
from chattyshared.text import join_texts
from rdflib import BNode, URIRef

from chattykg.query.candidates import Query
from chattykg.query.execution import QueryResult, has_tie_at_cut

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_MIN_MISSPELT_RATIO = 0.75
"""Ratio (0..1) from which a mention is a misspelt label; other names of an entity are less similar."""


def build_answer(
    result: QueryResult, witness: Triples, kg: KnowledgeGraph, row_limit: int, confidence: float
) -> Answer:
    """Return the answer of a result; at most two requests, for labels and for ties at a limit."""
    query = result.query
    labels = _labels(result, kg)
    values, table = _values(result, labels), _table(result, labels)
    is_cut = len(result.rows) >= row_limit
    cut_note = f"Only the first {row_limit:,} answers are given; there may be more."
    unnamed = {term for row in result.rows for term in row.values() if isinstance(term, BNode)}
    unnamed_note = (
        f"The graph states {len(unnamed)} more, which have no name."
        if len(unnamed) != 1
        else ("The graph states one more, which has no name.")
    )
    refusal_note = "The store of the graph refused a query that fits better."
    notes = (cut_note,) * is_cut + (refusal_note,) * result.is_substitute + (unnamed_note,) * bool(unnamed)
    return Answer(
        values=values,
        scores=(confidence,) * len(values),
        rows=table,
        columns=_column_names(result, kg) if table else (),
        sparql=query.sparql,
        confidence=confidence,
        witness=witness,
        entities=linked_entities(query),
        relations=linked_relations(query),
        notes=(
            *notes,
            *_order_notes(result, len(values), kg),
            *_chain_notes(query, kg),
            *_omission_notes(query),
            *_reading_notes(query),
        ),
    )


def join_answers(answers: Sequence[Answer]) -> Answer:
    """Return the answers to the questions of one turn as one answer: the values of each in order of mention.

    It is as sure as the least sure of them, and less by the share of questions without an answer, named in notes.
    """
    if len(answers) == 1:
        return answers[0]
    answered = [answer for answer in answers if answer.values] or list(answers[:1])
    pairs = [pair for a in answered for pair in zip(a.values, chain(a.scores, repeat(0.0)), strict=False)]
    open_questions = (f"{a.standalone} {a.explanation}" for a in answers if not a.values and answered != [a])
    return replace(
        answered[0],
        values=tuple(value for value, _ in pairs),
        scores=tuple(score for _, score in pairs),
        rows=(),
        columns=(),
        standalone=reduce(_join_questions, (answer.standalone for answer in answers)),
        confidence=min(answer.confidence for answer in answered) * len(answered) / len(answers),
        sentence=" ".join(answer.sentence for answer in answered),
        witness=tuple(dict.fromkeys(triple for answer in answered for triple in answer.witness)),
        entities=tuple(dict.fromkeys(link for answer in answered for link in answer.entities)),
        relations=tuple(dict.fromkeys(link for answer in answered for link in answer.relations)),
        proposed_entities=tuple(dict.fromkeys(iri for answer in answers for iri in answer.proposed_entities)),
        proposed_relations=tuple(dict.fromkeys(iri for answer in answers for iri in answer.proposed_relations)),
        notes=tuple(dict.fromkeys((*(note for answer in answered for note in answer.notes), *open_questions))),
        unused=tuple(word for answer in answers for word in answer.unused),
    )


def _join_questions(first: str, second: str) -> str:
    """Return two questions as one text that can be split again."""
    return f"{first} {second}" if first.endswith("?") else f"{first}? {second}"


def _reading_notes(query: Query) -> Iterator[str]:
    """Yield how many texts of a predicate are left out, because they are no numbers or dates."""
    modifier, used = query.modifier, [each for body in query.pattern.bodies for each in body.conditions]
    read = () if modifier.kind in ("select", "table", "count") else (modifier.reading,)
    readings = (*read, *(reading for *_, reading in modifier.aggregates), *(c.reading for c in used))
    if years := dict.fromkeys(c.value for c in used if c.reading in ("date", "mixed date") and c.value.startswith("-")):
        yield f"Years before Christ are compared as the graph writes them: {join_texts(tuple(years))}."
    for reading in {id(each): each for each in readings if isinstance(each, TextReading)}.values():
        if reading.unread_count:
            kind = {"mixed date": "dates", "duration": "durations of a fixed length"}.get(reading, "numbers")
            yield f"{reading.unread_count} of {reading.text_count} values in the graph are no {kind}, and left out."


def _order_notes(result: QueryResult, count: int, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield what a superlative or limit hides: several things at the top, a tie at the cut, fewer than asked for."""
    modifier = result.query.modifier
    order = modifier.order
    if order is None or modifier.kind not in ("extreme", "ranked", "most"):
        return
    if order.limit == 1 and count > 1:
        yield f"These {count} share the {'highest' if order.descending else 'lowest'} value."
    elif order.limit > count and not order.offset:
        yield f"There {'is' if count == 1 else 'are'} only {count}."
    elif has_tie_at_cut(result, kg):
        yield (
            f"Others have the same value as the last of these {count}." if count > 1 else "Others have the same value."
        )


def _chain_notes(query: Query, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield a note for each relation that is followed from place to place."""
    predicates = (
        iri
        for body in query.pattern.bodies
        for pattern in body.patterns
        if pattern.is_transitive
        for iri in pattern.predicates
    )
    labels = (kg.vocabulary.predicates[iri].label for iri in predicates if iri in kg.vocabulary.predicates)
    yield from (f'"{label}" is followed over several steps.' for label in dict.fromkeys(labels))


def _omission_notes(query: Query) -> Iterator[str]:
    """Yield a note for each mention with more candidates than were retrieved, or than the query holds."""
    for text, link in query.interpretation.grounded.entity_links.items():
        if link.truncated_at:
            prefix = f"Only {link.truncated_at} of the things"
            yield f'{prefix} that "{text[:60]}" may name were looked at; there are more.'
        elif link.has_omitted_candidates:
            yield f'More than {len(link.terms)} things are called "{text[:60]}"; only these are answered for.'


def linked_entities(query: Query) -> tuple[LinkedTerm, ...]:
    """Return the vertices and values that the mentions of the query were linked to."""
    return tuple(
        LinkedTerm(text, str(c.term), c.label, round(c.score, 4), c.types[0] if c.types else "")
        for text, link in query.interpretation.grounded.entity_links.items()
        for c in link.candidates
    )


def spelling_notes(links: Iterable[LinkedTerm]) -> tuple[str, ...]:
    """Return a note for each mention that was linked to a label of another spelling."""
    return tuple(dict.fromkeys(f'"{link.mention}" is taken for {link.label}.' for link in links if _is_misspelt(link)))


def _is_misspelt(link: LinkedTerm) -> bool:
    """Tell whether a mention is similar to the label of its link, and neither the label nor words of it."""
    mention, label = (" ".join(re.findall(r"\w+", text.casefold())) for text in (link.mention, link.label))
    words, label_words = set(mention.split()), set(label.split())
    if not words or not label_words or words <= label_words or label_words <= words:
        return False
    return SequenceMatcher(None, mention, label).ratio() >= _MIN_MISSPELT_RATIO


def linked_relations(query: Query) -> tuple[LinkedTerm, ...]:
    """Return the predicates that the relations of the query were linked to."""
    return tuple(
        LinkedTerm(edge.relation.relation, iri, edge.candidate.label, round(min(1.0, edge.candidate.score), 4))
        for edge in query.interpretation.edges
        for iri in edge.candidate.predicates
    )


def _labels(result: QueryResult, kg: KnowledgeGraph) -> Mapping[Term, str]:
    terms: dict[Term, None] = {}
    for row in result.rows:
        terms |= dict.fromkeys(term for term in row.values() if isinstance(term, URIRef))
    return kg.labels(terms) if terms else {}


def _values(result: QueryResult, labels: Mapping[Term, str]) -> tuple[Value, ...]:
    """Return the values of an answer: the first column, but all cells of a table of one row."""
    if result.boolean is not None:
        return (Value("true" if result.boolean else "false", "boolean"),)
    modifier = result.query.modifier
    first = modifier.columns[0].removeprefix("?")
    terms: dict[Term, None] = {}
    if modifier.kind in ("table", "summary") and len(result.rows) == 1:
        cells = (result.rows[0].get(name) for name in _columns(result))
        return tuple(to_value(cell, labels.get(cell, "")) for cell in cells if cell is not None)
    for row in result.rows:
        term = row.get(first) if first in row else next(iter(row.values()), None)
        if term is not None:
            terms[term] = None
    values = [to_value(term, labels.get(term, "")) for term in terms if not isinstance(term, BNode)]
    entity_labels = {value.label for value in values if value.kind == "iri" and value.label}
    values = [value for value in values if value.kind == "iri" or value.value not in entity_labels]
    return tuple(values if modifier.is_ranked else _sorted(values))


def _sorted(values: Iterable[Value]) -> list[Value]:
    return sorted(values, key=lambda v: ((v.label or v.value).casefold(), v.value, v.lang, v.datatype))


def _table(result: QueryResult, labels: Mapping[Term, str]) -> tuple[tuple[Value, ...], ...]:
    if not result.query.modifier.is_table:
        return ()
    columns = _columns(result)
    rows = [
        tuple(
            to_value(row[name], labels.get(row[name], "")) if name in row else Value("", "literal") for name in columns
        )
        for row in result.rows
    ]
    if result.query.modifier.is_ranked:
        return tuple(rows)
    return tuple(sorted(rows, key=lambda row: [((v.label or v.value).casefold(), v.value) for v in row]))


def _columns(result: QueryResult) -> tuple[str, ...]:
    return tuple(variable.removeprefix("?") for variable in result.query.modifier.columns)


def _column_names(result: QueryResult, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the names of the columns of a table: the predicate that leads to a variable, else the variable."""
    predicates = {p.object: p.predicates[0] for body in result.query.pattern.bodies for p in body.patterns}
    entries = [kg.vocabulary.predicates.get(predicates.get(f"?{column}", "")) for column in _columns(result)]
    return tuple(entry.label if entry else column for entry, column in zip(entries, _columns(result), strict=True))
