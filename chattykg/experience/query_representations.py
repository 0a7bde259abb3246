"""The representation (QIR) of a gold query, by labels, as the staged strategy reads a question.

Queries of plain triple patterns are represented, with filters on values, negation, counts and superlatives; others
(paths, unions, groups, subqueries) are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.analysis import AlgebraTriple, QueryAnalysis, analyze_query, is_rdf_type, parse_query_shape
from chattyshared.terms import iri_to_words
from rdflib import Literal, URIRef, Variable

from chattykg.qir import QIR, Filter, Operator, Order, Relation, Shape

_REPRESENTED = frozenset((
    "SELECT", "ASK", "DISTINCT", "COUNT", "ORDER BY", "LIMIT", "OFFSET", "FILTER", "NOT EXISTS",
))  # fmt: skip
"""The features of the queries that are represented."""
_COMPARISON = re.compile(
    r"""FILTER\s*\(\s*\?(\w+)\s*(<=|>=|!=|<|>|=)\s*(?:"([^"\\]*)"(?:\^\^[^\s()]+)?|(-?[\d.]+))\s*\)""", re.IGNORECASE
)
_ANY_FILTER = re.compile(r"\bFILTER\b(?!\s+NOT\b)", re.IGNORECASE)
_ORDER = re.compile(r"\bORDER\s+BY\s+(ASC|DESC)?\s*\(?\s*\?(\w+)\s*\)?", re.IGNORECASE)
_LIMIT, _OFFSET = re.compile(r"\bLIMIT\s+(\d+)", re.IGNORECASE), re.compile(r"\bOFFSET\s+(\d+)", re.IGNORECASE)
_SHAPES: dict[str, Shape] = {"date": "date", "number": "number", "superlative": "one"}
"""Shapes of the forms that tell them; the others are a thing or a list by what they answer."""
_SINGLE_FORMS = frozenset(("object", "literal", "two-hop"))


def represent_query(sparql: str, kg: KnowledgeGraph, form: str = "", answer_count: int = 2) -> QIR | None:
    """Return the representation of a query; None if it is of another kind than those that are represented.

    ``form`` is the question's form in a benchmark.

    Raises:
        EndpointError: the labels could not be read.
    """
    shape, analysis = parse_query_shape(sparql), analyze_query(sparql)
    if shape is None or not _REPRESENTED.issuperset(shape.features) or len(shape.variables) > 1:
        return None
    filters = tuple(_filters(analysis.text))
    has_other_filter = len(filters) != len(_ANY_FILTER.findall(analysis.text))
    if has_other_filter or not all(map(_is_plain, analysis.patterns)):
        return None
    kg.prefetch_labels_and_types(URIRef(iri) for iri in analysis.iris)
    negated = set(analysis.negated_patterns)
    positive = [triple for triple in analysis.patterns if triple not in negated]
    target = next(iter(analysis.counted_variables or shape.variables), "") if shape.form == "SELECT" else ""
    if target == "*":
        return None
    return QIR(
        shape=_shape_of(analysis, form, answer_count),
        target=f"?{target}" if target else "",
        triples=tuple(_relations(positive, kg)),
        classes=tuple(_classes(positive, kg)),
        filters=filters,
        negated=tuple(_relations(sorted(negated), kg)),
        order=_order(analysis.text),
    )


def _shape_of(analysis: QueryAnalysis, form: str, answer_count: int) -> Shape:
    if analysis.form == "ASK":
        return "boolean"
    if analysis.counted_variables:
        return "count"
    return _SHAPES.get(form, "one" if form in _SINGLE_FORMS and answer_count == 1 else "list")


def _is_plain(triple: AlgebraTriple) -> bool:
    """Tell whether a pattern has an IRI as its predicate, and, if it states a class, which one."""
    subject, predicate, object_ = triple
    is_known = isinstance(predicate, URIRef) and isinstance(subject, (URIRef, Variable))
    return is_known and (not _states_class(triple) or (isinstance(object_, URIRef) and isinstance(subject, Variable)))


def _states_class(triple: AlgebraTriple) -> bool:
    return is_rdf_type(triple[1])


def _relations(triples: list[AlgebraTriple], kg: KnowledgeGraph) -> Iterator[Relation]:
    for triple in triples:
        if not _states_class(triple):
            entry = kg.vocabulary.predicates.get(str(triple[1]))
            phrase = entry.label if entry else iri_to_words(str(triple[1]))
            yield Relation(_end(triple[0], kg), phrase, _end(triple[2], kg))


def _classes(triples: list[AlgebraTriple], kg: KnowledgeGraph) -> Iterator[tuple[str, str]]:
    for triple in filter(_states_class, triples):
        entry = kg.vocabulary.classes.get(str(triple[2]))
        yield f"?{triple[0]}", entry.label if entry else iri_to_words(str(triple[2]))


def _end(term: Any, kg: KnowledgeGraph) -> str:
    if isinstance(term, Variable):
        return f"?{term}"
    return str(term) if isinstance(term, Literal) else kg.label(term)


def _filters(text: str) -> Iterator[Filter]:
    for match in _COMPARISON.finditer(text):
        operator: Operator = match[2]  # type: ignore[assignment]
        yield Filter(f"?{match[1]}", operator, match[3] if match[3] is not None else match[4])


def _order(text: str) -> Order | None:
    order, limit, offset = _ORDER.search(text), _LIMIT.search(text), _OFFSET.search(text)
    if order is None:
        return None
    is_descending = (order[1] or "").upper() == "DESC"
    return Order(
        f"?{order[2]}", is_descending, limit=int(limit[1]) if limit else 0, offset=int(offset[1]) if offset else 0
    )
