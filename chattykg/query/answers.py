"""Answers from results: values with labels, scores, links and confidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import reduce
from itertools import chain, repeat

from chattyshared.dialogue import Answer, LinkedTerm, Value
from chattyshared.endpoint.direct_statements import repeated_in_list
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.text_readings import TextReading
from chattyshared.language.quantities import unit_ratio
from chattyshared.literals import to_value
from chattyshared.terms import Term
from chattyshared.text import join_texts
from rdflib import RDF, BNode, URIRef

from chattykg.query.composition import Query
from chattykg.query.execution import QueryResult, has_tie_at_cut
from chattykg.query.units import kept_units

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_MIN_MISSPELT_RATIO = 0.75
"""Ratio (0..1) from which a mention is a misspelt label; other names of an entity are less similar."""


def build_answer(result: QueryResult, kg: KnowledgeGraph, row_limit: int, confidence: float) -> Answer:
    """Return the answer of a result; at most two requests, for labels and for ties at a limit.

    Values that are left out because they are written in another way make it half as sure, and less.
    """
    query = result.query
    shares = [1.0, *(0.5 - each.other_count / each.text_count / 2 for each in _readings(query) if each.other_count)]
    confidence = round(confidence * min(shares), 4)
    iris = dict.fromkeys(term for row in result.rows for term in row.values() if isinstance(term, URIRef))
    labels = kg.labels(iris) if iris else {}
    values, table = _values(result, labels), _table(result, labels)
    return Answer(
        values=values,
        scores=(confidence,) * len(values),
        rows=table,
        columns=_column_names(result, kg) if table else (),
        sparql=query.sparql,
        confidence=confidence,
        entities=linked_entities(query),
        relations=linked_relations(query),
        notes=tuple(_notes(result, len(values), kg, row_limit)),
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


def _notes(result: QueryResult, count: int, kg: KnowledgeGraph, row_limit: int) -> Iterator[str]:
    """Yield what a result leaves out, and how its query was understood where the question does not say it."""
    query = result.query
    if len(result.rows) >= row_limit:
        yield f"Only the first {row_limit:,} answers are given; there may be more."
    if result.is_substitute:
        yield "The store of the graph refused a query that fits better."
    unnamed = len({term for row in result.rows for term in row.values() if isinstance(term, BNode)})
    if unnamed:
        yield f"The graph states {unnamed} more, which {'has' if unnamed == 1 else 'have'} no name."
    yield from _order_notes(result, count, kg)
    yield from _list_notes(query, kg) if query.modifier.aggregates else ()
    chains = (pattern for body in query.pattern.bodies for pattern in body.patterns if pattern.is_transitive)
    entries = (kg.vocabulary.predicates.get(iri) for pattern in chains for iri in pattern.predicates)
    yield from dict.fromkeys(f'"{entry.label}" is followed over several steps.' for entry in entries if entry)
    for text, link in query.grounded.entity_links.items():
        if link.truncated_at:
            named = f'that "{text[:60]}" may name were looked at; there are more.'
            yield f"Only {link.truncated_at} of the things {named}"
        elif link.has_omitted_candidates:
            yield f'More than {len(link.terms)} things are called "{text[:60]}"; only these are answered for.'
    yield from _reading_notes(query)
    yield from dict.fromkeys(_unit_notes(query, kg))


def _unit_notes(query: Query, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield the units in which conditions are compared if the question says others, or that none is known."""
    said = {condition.unknown: condition.unit for condition in query.qir.filters if condition.unit}
    for edge in query.edges if said else ():
        units = {said[end] for end in edge.relation.ends() if end in said}
        names = kept_units(edge.candidate, kg).names
        if units and not names:
            yield f'The graph does not say in which unit "{edge.candidate.label}" is stated: compared as it is.'
        elif any(unit_ratio(unit, names[0].lower()) not in (None, 1) for unit in units):
            yield f"Compared in {names[0]}."


def _list_notes(query: Query, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield that equal values of a list count once: a store states no value twice, and a path of a server finds none
    twice."""
    paths = {iri for iri, path in kg.profile.paths if str(RDF.rest) in path}
    for iri in sorted(query.predicates()):
        if repeated_in_list(iri) in kg.vocabulary.predicates or iri in paths:
            yield f'The values of "{kg.label(URIRef(iri))}" are lists, of which an equal value counts once.'


def _reading_notes(query: Query) -> Iterator[str]:
    """Yield how many values of a predicate are left out, and why."""
    conditions = [each for body in query.pattern.bodies for each in body.conditions]
    dates = [c.value for c in conditions if c.reading in ("date", "mixed date") and c.value.startswith("-")]
    if dates:
        yield f"Years before Christ are compared as the graph writes them: {join_texts(tuple(dict.fromkeys(dates)))}."
    for reading in _readings(query):
        kind = {"mixed date": "dates", "duration": "durations of a fixed length"}.get(reading, "numbers")
        others = reading.unread_count - reading.other_count
        if reading.other_count:
            yield f"Left out, as they are written in another way: {reading.other_count} of {reading.text_count} {kind}."
        if others:
            yield f"{others} of {reading.text_count} values in the graph are no {kind}, and left out."


def _readings(query: Query) -> Collection[TextReading]:
    """Return the readings of texts by which a query compares, sorts or aggregates."""
    modifier, bodies = query.modifier, query.pattern.bodies
    used = [reading for *_, reading in modifier.aggregates] + [c.reading for body in bodies for c in body.conditions]
    used += [] if modifier.kind == "rows" else [modifier.reading]
    return {id(each): each for each in used if isinstance(each, TextReading)}.values()


def _order_notes(result: QueryResult, count: int, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield what a superlative or limit hides: several things at the top, a tie at the cut, fewer than asked for."""
    modifier, order, qir = result.query.modifier, result.query.modifier.order, result.query.qir
    if order is None or modifier.aggregates or modifier.is_counted:
        return
    if order.limit == 1 and count > 1:
        by = qir.order.by if qir.order else ""
        if any({by, qir.target} == {*relation.ends()} for relation in qir.triples):  # not of another thing's value
            yield f"These {count} share the {'highest' if order.descending else 'lowest'} value."
    elif order.limit > count and not order.offset:
        yield f"There {'is' if count == 1 else 'are'} only {count}."
    elif has_tie_at_cut(result, kg):
        yield f"Others have the same value{f' as the last of these {count}' if count > 1 else ''}."


def linked_entities(query: Query) -> tuple[LinkedTerm, ...]:
    """Return the vertices and values that the mentions of the query were linked to."""
    return tuple(
        LinkedTerm(text, str(c.term), c.label, round(c.score, 4), c.types[0] if c.types else "")
        for text, link in query.grounded.entity_links.items()
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
        for edge in query.edges
        for iri in edge.candidate.predicates
    )


def _values(result: QueryResult, labels: Mapping[Term, str]) -> tuple[Value, ...]:
    """Return the values of an answer: the first column, but all cells of a table of one row."""
    if result.boolean is not None:
        return (Value("true" if result.boolean else "false", "boolean"),)
    modifier, columns = result.query.modifier, _columns(result)
    if len(result.rows) == 1 and (modifier.kind == "rows" or len(modifier.aggregates) > 1):
        cells = [result.rows[0].get(name) for name in columns]
        if len(columns) > 1:
            return tuple(to_value(cell, labels.get(cell, "")) for cell in cells if cell is not None)
    found = (row[columns[0]] if columns[0] in row else next(iter(row.values()), None) for row in result.rows)
    terms = dict.fromkeys(term for term in found if term is not None and not isinstance(term, BNode))
    values = [to_value(term, labels.get(term, "")) for term in terms]
    entity_labels = {value.label for value in values if value.kind == "iri" and value.label}
    values = [value for value in values if value.kind == "iri" or value.value not in entity_labels]
    return tuple(values if modifier.is_ranked else sorted(values, key=_sort_key))


def _sort_key(value: Value) -> tuple[str, ...]:
    return (value.label or value.value).casefold(), value.value, value.lang, value.datatype


def _table(result: QueryResult, labels: Mapping[Term, str]) -> tuple[tuple[Value, ...], ...]:
    if not result.query.modifier.is_table:
        return ()
    empty = Value("", "literal")
    cells = ([row.get(name) for name in _columns(result)] for row in result.rows)
    rows = [tuple(empty if c is None else to_value(c, labels.get(c, "")) for c in listed) for listed in cells]
    return tuple(rows if result.query.modifier.is_ranked else sorted(rows, key=lambda row: [*map(_sort_key, row)]))


def _columns(result: QueryResult) -> tuple[str, ...]:
    return tuple(variable.removeprefix("?") for variable in result.query.modifier.columns) or ("",)


def _column_names(result: QueryResult, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the names of the columns of a table: the predicate that leads to a variable, else the variable."""
    predicates = {p.object: p.predicates[0] for body in result.query.pattern.bodies for p in body.patterns}
    entries = [kg.vocabulary.predicates.get(predicates.get(f"?{column}", "")) for column in _columns(result)]
    return tuple(entry.label if entry else column for entry, column in zip(entries, _columns(result), strict=True))
