"""Descriptions: what a graph states of one thing, and of which classes it consists, as answers with their queries."""

from __future__ import annotations

from collections.abc import Sequence

from chattyshared.dialogue import Answer, LinkedTerm, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import n3
from rdflib import URIRef

from chattykg.exploration.entity_description import FactGroup, describe_entity

MAX_TRIPLES = 500
"""Rows of the query that a description shows."""
MAX_RELATIONS, MAX_VALUES = 12, 3
"""Relations of a description, and values of a relation that are shown."""
MAX_CLASSES = 15
"""Classes that the description of a graph lists."""
_Row = tuple[Value, Value]


def describe_vertex(mention: str, iri: str, label: str, kg: KnowledgeGraph) -> Answer:
    """Return the description, the classes and the main relations of a thing; no values if the graph states nothing.

    The rows are pairs of a relation and its values.

    Raises:
        EndpointError: the KG could not be asked.
    """
    vertex, described = n3(URIRef(iri)), describe_entity(kg, iri, shown_values=MAX_VALUES)
    facts = [("", group) for group in described.outgoing] + [(" of", group) for group in described.incoming]
    rows = [_row("type", [value.label for value in described.classes])] if described.classes else []
    rows += [_row("description", [text.value]) for text in described.texts[:1]]
    shown = [_fact_row(group, end) for end, group in facts if group.values and not group.is_metadata]
    rows += shown[:MAX_RELATIONS]
    query = (
        f"SELECT ?relation ?value ?subject WHERE {{ {{ {vertex} ?relation ?value }} UNION "
        f"{{ ?subject ?relation {vertex} }} }} LIMIT {MAX_TRIPLES}"
    )
    values = (*described.texts[:1], *described.classes) or tuple(row[1] for row in rows[:1])
    sentence, linked = f"what the graph states of {label}", LinkedTerm(mention, iri, label)
    return _describe(values, rows, query, sentence, entities=(linked,))


def describe_class(mention: str, iri: str, kg: KnowledgeGraph) -> Answer:
    """Return the comment of a class, the number of its things and their relations; no values for an empty class."""
    classes, subclasses = kg.vocabulary.classes, kg.vocabulary.subclasses(iri)
    entry, known = classes[iri], kg.vocabulary.predicates.values()
    count = str(sum(classes[one].instance_count for one in subclasses if one in classes))
    predicates = [p.label for p in known if subclasses.intersection(p.domains) and not p.is_metadata]
    rows = [_row("number of things", [count])]
    rows += [_row("description", [entry.comment])] if entry.comment else []
    rows += [_row("relations", [", ".join(predicates[:MAX_RELATIONS])])] if predicates else []
    pattern = kg.profile.type_pattern("?thing", n3(URIRef(iri)))
    query = f"SELECT (COUNT(DISTINCT ?thing) AS ?count) WHERE {{ {pattern} }}"
    values = (rows[1][1],) if entry.comment else (Value(count, "number"),)
    sentence, linked = f"what the graph knows of the class {entry.label}", LinkedTerm(mention, iri, entry.label)
    return _describe(values, rows, query, sentence, entities=(linked,))


def describe_graph(kg: KnowledgeGraph) -> Answer:
    """Return the most frequent classes of the graph; the rows are pairs of a class and the number of its things.

    Raises:
        EndpointError: the KG could not be asked.
    """
    types = kg.types()
    shown, rest = types[:MAX_CLASSES], len(types) - MAX_CLASSES
    query = (
        f"SELECT ?class (COUNT(DISTINCT ?thing) AS ?count) WHERE {{ {kg.profile.type_pattern('?thing', '?class')} }} "
        f"GROUP BY ?class ORDER BY DESC(?count) LIMIT {MAX_CLASSES}"
    )
    omitted = f", and {rest} more {'is' if rest == 1 else 'are'} in use" if rest > 0 else ""
    estimated = " The numbers are estimates." if any(one.error for one in shown) else ""
    note = f"{kg.name} states {kg.count_triples():,} triples; {len(shown)} classes are shown{omitted}.{estimated}"
    rows = [(Value(one.iri, "iri", label=one.label), Value(str(one.count), "number")) for one in shown]
    values, columns = tuple(named for named, _ in rows), ("class", "number")
    return _describe(values, rows, query, "the classes of things in the graph", columns=columns, notes=(note,))


def _describe(
    values: Sequence[Value],
    rows: Sequence[_Row],
    query: str,
    sentence: str,
    *,
    columns: tuple[str, str] = ("relation", "value"),
    entities: tuple[LinkedTerm, ...] = (),
    notes: tuple[str, ...] = (),
) -> Answer:
    """Return a description as an answer, which is sure: the graph states it, and the question is known from a list."""
    return Answer(
        values=tuple(values),
        scores=(1.0,) * len(values),
        rows=tuple(rows),
        columns=columns,
        sparql=query,
        confidence=1.0,
        sentence=sentence,
        entities=entities,
        notes=notes,
    )


def _fact_row(group: FactGroup, end: str) -> _Row:
    return _row(group.label + end, [each.value.label or each.value.value for each in group.values], group.count)


def _row(name: str, texts: Sequence[str], count: int = 0) -> _Row:
    shown, rest = sorted(texts)[:MAX_VALUES], max(count, len(texts)) - MAX_VALUES
    more = f" and {rest} more" if rest > 0 else ""
    return Value(name, "literal"), Value(", ".join(shown) + more, "literal")
