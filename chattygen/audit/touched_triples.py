"""The triples that a query touches in two states of a graph, and which of them came and went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import QUERY_ERRORS
from chattyshared.sparql.analysis import AlgebraTriple, QueryAnalysis
from chattyshared.sparql.rewriting import split_query
from rdflib import BNode, Variable

MAX_SOLUTIONS = 2_000
"""The most solutions of a query's pattern, and of one triple pattern, that are compared."""


def compare_triples(query: QueryAnalysis, old: Endpoint, new: Endpoint) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the triples behind a query that came and those that went, in N-Triples' terms; none if they are not known.

    They are those of the solutions of the query's pattern; if these are the same (the change lies in a negated pattern
    or a subquery), those of each triple pattern alone. Both endpoints must take untrusted queries.

    Raises:
        EndpointUnavailable: an endpoint does not answer.
    """
    text = split_query(query.text)
    positive = [pattern for pattern in query.patterns if pattern not in query.negated_patterns]
    if text is None:
        return (), ()
    whole = _difference(text.solutions(MAX_SOLUTIONS), positive, old, new)
    parts = [whole] if any(whole) else [_difference(_pattern_query(each), [each], old, new) for each in query.patterns]
    came, went = (sorted({triple for part in parts for triple in part[side]}) for side in (0, 1))
    return tuple(came), tuple(went)


def _difference(
    query: str, patterns: Iterable[AlgebraTriple], old: Endpoint, new: Endpoint
) -> tuple[set[str], set[str]]:
    triples = []
    for endpoint in (old, new):
        try:
            rows = endpoint.select(query)
        except QUERY_ERRORS:
            return set(), set()
        if len(rows) >= MAX_SOLUTIONS:  # what is missing may only be cut off
            return set(), set()
        triples.append({triple for row in rows for pattern in patterns for triple in _instantiate(pattern, row)})
    return triples[1] - triples[0], triples[0] - triples[1]


def _instantiate(pattern: AlgebraTriple, row: Row) -> Iterator[str]:
    terms = [row.get(str(term)) if isinstance(term, Variable) else term for term in pattern]
    if not any(term is None or isinstance(term, BNode) for term in terms):
        yield " ".join(_text(term) for term in terms)


def _pattern_query(pattern: AlgebraTriple) -> str:
    texts = (f"?_{term}" if isinstance(term, BNode) else _text(term) for term in pattern)
    return f"SELECT DISTINCT * WHERE {{ {' '.join(texts)} }} LIMIT {MAX_SOLUTIONS}"


def _text(term: Any) -> str:
    return str(term.n3())
