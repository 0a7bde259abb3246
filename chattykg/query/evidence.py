"""Evidence for the result of any query: the triples of its required patterns that hold for its first answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from chattyshared.dialogue import Triples, Value
from chattyshared.endpoint import Row
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import parse_number, read_count
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.sparql.algebra import (
    QueryGroup,
    SelectQuery,
    TripleEdge,
    open_terms,
    read_query,
    split_edge,
    variables_of,
    write_part,
)
from chattyshared.sparql.rewriting import split_query
from chattyshared.terms import Term, is_writable, n3
from rdflib import Literal, URIRef
from rdflib.paths import AlternativePath, Path

MAX_WITNESSES = 20
"""Triples of a witness."""
_BRANCH = "evidence_branch"
"""The variable that tells which alternative of a query a solution belongs to."""
_Triple = tuple[str, str, str, str]
"""A triple pattern: terms, and names of variables with ``?``; and what restricts its predicate."""


def fetch_evidence(sparql: str, values: Sequence[Value], kg: KnowledgeGraph, *, is_trusted: bool = False) -> Triples:
    """Return up to ``MAX_WITNESSES`` triples that support the values of a query.

    One request, in the sandbox unless the query ``is_trusted``, and none where the values tell all; () for a query
    that finds nothing, says no, or cannot be asked for its solutions.

    Raises:
        EndpointError: the KG cannot be asked; that the request takes too long is no error.
    """
    select, text = read_query(sparql), split_query(sparql)
    if select is None or text is None or all(_is_nothing(value) for value in values):
        return ()
    branches = [triples for group in _bodies(select) if (triples := _triples_of(group, kg))]
    if not branches:
        return ()
    written = (" ".join(f"{s} {p} {o} . {more}" for s, p, o, more in triples) for triples in branches)
    union = " UNION ".join(f"{{ {each} BIND({at} AS ?{_BRANCH}) }}" for at, each in enumerate(written))
    target = next(iter(select.columns), None)
    terms = [term for value in values[:MAX_WITNESSES] if (term := _term_of(value)) is not None]
    is_bound = bool(terms) and not select.is_ask and target in open_terms([group.edges for group in _bodies(select)])
    names = {part for triples in branches for *parts, _ in triples for part in parts if part.startswith("?")}
    if is_bound and len(branches) == 1 and names == {f"?{target}"}:  # the answers tell all that the query speaks of
        told = dict.fromkeys(triple for term in terms for triple in _bind(branches[0], {str(target): term}))
        return tuple(sorted(told))[:MAX_WITNESSES]
    given = f"VALUES ?{target} {{ {' '.join(map(n3, terms))} }}" if is_bound else ""
    rows_query = f"{text.prologue}SELECT DISTINCT * WHERE {{ {given} {text.pattern} {union} }} LIMIT {MAX_WITNESSES}"
    try:
        rows = (kg.endpoint if is_trusted else kg.endpoint.untrusted_view()).select(rows_query)
    except QUERY_ERRORS:
        return ()
    found = dict.fromkeys(triple for row in rows for triple in _bind(branches[read_count(row[_BRANCH])], row))
    return tuple(sorted(found))[:MAX_WITNESSES]


def find_unstated_value(sparql: str, kg: KnowledgeGraph) -> TripleEdge | None:
    """Return the pattern of an ASK query whose value a filter compares and of which the graph states none.

    Nobody who lacks a graph's statement of Madrid's population can deny that it is more than a million. A request for
    each value of a named vertex that is compared.

    Raises:
        EndpointError: the KG cannot be asked; that a request takes too long is no error.
    """
    select = read_query(sparql)
    if select is None or not select.is_ask:
        return None
    compared = frozenset(variables_of(select.group.filters))
    for edge in select.group.edges:
        predicate = write_part(edge.predicate) if edge.object in compared and isinstance(edge.subject, URIRef) else ""
        try:
            if predicate and not kg.endpoint.untrusted_view().ask(f"ASK {{ {n3(edge.subject)} {predicate} ?value }}"):
                return edge
        except QUERY_ERRORS:
            return None
    return None


def _is_nothing(value: Value) -> bool:
    if value.kind == "boolean":
        return value.value == "false"
    return value.kind == "number" and not parse_number(value.value)


def _bodies(select: SelectQuery) -> Iterator[QueryGroup]:
    """Yield the groups with triple patterns: the alternatives of a query, or those of its subqueries."""
    groups = select.group.alternatives()
    if any(group.edges for group in groups):
        yield from groups
    else:
        for sub in select.group.subqueries:
            yield from _bodies(sub)


def _triples_of(group: QueryGroup, kg: KnowledgeGraph) -> tuple[_Triple, ...]:
    """Return the triple patterns of a group that single triples state; types count if there are no others."""
    triples: list[_Triple] = []
    for number, step in enumerate(step for edge in group.edges for step in split_edge(edge)):
        path: Any = step.predicate
        steps: list[Any] = path.args if isinstance(path, AlternativePath) else [path]
        if not any(isinstance(each, Path) for each in steps):
            predicate = write_part(steps[0]) if len(steps) == 1 else f"?evidence_predicate{number}"
            allowed = f"FILTER({predicate} IN ({', '.join(map(n3, steps))}))" if len(steps) > 1 else ""
            triples.append((write_part(step.subject), predicate, write_part(step.object), allowed))
    types = {f"<{iri}>" for iri in (*TYPE_PREDICATES, *kg.profile.types)}
    return tuple([triple for triple in triples if triple[1] not in types] or triples)


def _term_of(value: Value) -> Term | None:
    if value.kind == "boolean":
        return None
    if value.kind == "iri":
        return URIRef(value.value) if is_writable(value.value) else None
    return Literal(value.value, lang=value.lang or None, datatype=value.datatype or None, normalize=False)


def _bind(triples: Sequence[_Triple], row: Row) -> Iterator[tuple[str, str, str]]:
    """Yield the triples of a solution, in the form of a witness."""
    for *parts, _ in triples:
        subject, predicate, object_ = (_bound_text(part, row) for part in parts)
        if subject and predicate and object_:
            yield subject, predicate, object_


def _bound_text(part: str, row: Row) -> str:
    if part.startswith("?"):
        term = row.get(part[1:])
        return "" if term is None else n3(term) if isinstance(term, Literal) else str(term)
    return part[1:-1] if part.startswith("<") else part
