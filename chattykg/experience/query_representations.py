"""The representation (QIR) of a gold query, by labels, as the staged strategy reads a question.

Queries of plain triple patterns are represented, with filters on values, negation, counts and superlatives; others
(paths, unions, groups, subqueries) are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, get_args

from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.algebra import Expression, SelectQuery, TripleEdge, order_edges, read_query, walk_terms
from chattyshared.sparql.analysis import analyze_query, is_rdf_type, parse_query_shape
from chattyshared.terms import iri_to_words
from rdflib import Literal, URIRef, Variable

from chattykg.qir import QIR, Filter, Operator, Order, Relation, Shape

_REPRESENTED = frozenset((
    "SELECT", "ASK", "DISTINCT", "COUNT", "ORDER BY", "LIMIT", "OFFSET", "FILTER", "NOT EXISTS",
))  # fmt: skip
"""The features of the queries that are represented."""
_SHAPES: dict[str, Shape] = {"date": "date", "number": "number", "superlative": "one"}
"""Shapes of the forms that tell them; the others are a thing or a list by what they answer."""
_SINGLE_FORMS = frozenset(("object", "literal", "two-hop"))


def represent_query(sparql: str, kg: KnowledgeGraph, form: str = "", answer_count: int = 2) -> QIR | None:
    """Return the representation of a query; None if it is of another kind than those that are represented.

    ``form`` is the question's form in a benchmark.

    Raises:
        EndpointError: the labels could not be read.
    """
    text = analyze_query(sparql).text
    shape, select = parse_query_shape(text), read_query(text)
    if shape is None or select is None or not _REPRESENTED.issuperset(shape.features) or len(select.columns) > 1:
        return None
    edges = order_edges(select.group, text).edges
    negated = tuple(edge for group in select.group.negated for edge in group.edges)
    filters, target = [_filter_of(each) for each in select.group.filters], _target_of(select)
    is_nested = any(group.filters or group.negated for group in select.group.negated)
    is_ordered_by_value = all(isinstance(expression, Variable) for expression, _ in select.order[:1])
    if is_nested or not is_ordered_by_value or target is None or not all(map(_is_plain, (*edges, *negated))):
        return None
    if len(read := [each for each in filters if each is not None]) < len(filters):
        return None
    kg.prefetch_labels_and_types(term for term in walk_terms(select) if isinstance(term, URIRef))
    return QIR(
        shape=_shape_of(select, form, answer_count),
        target=target,
        triples=tuple(_relations(edges, kg)),
        classes=tuple(_classes(edges, kg)),
        filters=tuple(read),
        negated=tuple(_relations(negated, kg)),
        order=next((_order_of(select, by, is_descending) for by, is_descending in select.order), None),
    )


def _order_of(select: SelectQuery, variable: Variable, is_descending: bool) -> Order:
    return Order(f"?{variable}", is_descending, limit=select.limit, offset=select.offset)


def _shape_of(select: SelectQuery, form: str, answer_count: int) -> Shape:
    if select.is_ask or select.is_aggregated:
        return "boolean" if select.is_ask else "count"
    return _SHAPES.get(form, "one" if form in _SINGLE_FORMS and answer_count == 1 else "list")


def _target_of(select: SelectQuery) -> str | None:
    """Return the variable that is asked for or counted, "" of a yes-or-no question; None if it is another thing."""
    if select.is_ask:
        return ""
    term: Any = next(iter(select.columns), None)
    while term in select.computed:
        term = select.computed[term]
        term = term.vars if getattr(term, "name", "") == "Aggregate_Count" else term
    return f"?{term}" if isinstance(term, Variable) else None


def _is_plain(edge: TripleEdge) -> bool:
    """Tell whether a pattern has an IRI as its predicate, and, if it states a class, which one."""
    is_known = isinstance(edge.predicate, URIRef) and isinstance(edge.subject, (URIRef, Variable))
    states_class = isinstance(edge.object, URIRef) and isinstance(edge.subject, Variable)
    return is_known and (states_class or not is_rdf_type(edge.predicate))


def _filter_of(expression: Expression) -> Filter | None:
    """Return the comparison of a variable with a value; None for another expression."""
    if getattr(expression, "name", "") != "RelationalExpression" or expression.op not in get_args(Operator):
        return None
    is_value = isinstance(expression.expr, Variable) and isinstance(expression.other, Literal)
    return Filter(f"?{expression.expr}", expression.op, str(expression.other)) if is_value else None


def _relations(edges: Iterable[TripleEdge], kg: KnowledgeGraph) -> Iterator[Relation]:
    for edge in edges:
        if not is_rdf_type(edge.predicate):
            entry = kg.vocabulary.predicates.get(str(edge.predicate))
            phrase = entry.label if entry else iri_to_words(str(edge.predicate))
            yield Relation(_end(edge.subject, kg), phrase, _end(edge.object, kg))


def _classes(edges: Iterable[TripleEdge], kg: KnowledgeGraph) -> Iterator[tuple[str, str]]:
    for edge in edges:
        if is_rdf_type(edge.predicate):
            entry = kg.vocabulary.classes.get(str(edge.object))
            yield f"?{edge.subject}", entry.label if entry else iri_to_words(str(edge.object))


def _end(term: Any, kg: KnowledgeGraph) -> str:
    if isinstance(term, Variable):
        return f"?{term}"
    return str(term) if isinstance(term, Literal) else kg.label(term)
