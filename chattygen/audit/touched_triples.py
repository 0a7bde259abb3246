"""The triples that a query touches in two states of a graph, and which of them came and went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg.batches import batches, count_of
from chattyshared.sparql.analysis import AlgebraTriple, QueryAnalysis
from chattyshared.sparql.rewriting import split_query
from rdflib import BNode, Variable

MAX_SOLUTIONS = 2_000
"""The most solutions of a query's pattern, and of one triple pattern, that are compared."""
_BATCH = 40
"""Triples that one query looks for: the guard takes no query of more than a thousand tokens."""


def compare_triples(query: QueryAnalysis, old: Endpoint, new: Endpoint) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the triples behind a query that came and those that went, in N-Triples' terms; none if they are not known.

    They are those of the solutions of the query's pattern, and those of its negated patterns; if all these are the same
    (the change lies in a subquery), those of each triple pattern alone. Both endpoints must take untrusted queries.

    Raises:
        EndpointUnavailable: an endpoint does not answer.
    """
    text, ends = split_query(query.text), (old, new)
    if text is None:
        return (), ()
    positive = [pattern for pattern in query.patterns if pattern not in query.negated_patterns]
    parts = [_difference(text.solutions(MAX_SOLUTIONS), positive, ends)]
    parts += [_difference(_pattern_query(pattern), [pattern], ends) for pattern in query.negated_patterns]
    if not any(map(any, parts)):
        parts = [_difference(_pattern_query(pattern), [pattern], ends) for pattern in positive]
    came, went = (tuple(sorted({triple for part in parts for triple in part[side]})) for side in (0, 1))
    return came, went


def _difference(
    query: str, patterns: Iterable[AlgebraTriple], ends: tuple[Endpoint, Endpoint]
) -> tuple[set[str], set[str]]:
    triples = []
    try:
        for endpoint in ends:
            rows = endpoint.select(query)
            if len(rows) >= MAX_SOLUTIONS:  # what is missing may only be cut off
                return set(), set()
            triples.append({triple for row in rows for pattern in patterns for triple in _instantiate(pattern, row)})
        # A triple whose solution is gone may still be there.
        came, went = triples[1] - triples[0], triples[0] - triples[1]
        return came - _find_stated(came, ends[0]), went - _find_stated(went, ends[1])
    except QUERY_ERRORS:
        return set(), set()


def _find_stated(triples: Iterable[str], endpoint: Endpoint) -> set[str]:
    """Return those of some triples that a graph contains."""
    stated = set()
    for batch in batches(sorted(triples), _BATCH):
        branches = (f"{{ BIND({number} AS ?n) {triple} }}" for number, triple in enumerate(batch))
        rows = endpoint.select(f"SELECT DISTINCT ?n WHERE {{ {' UNION '.join(branches)} }}")
        stated |= {batch[count_of(row, "n")] for row in rows}
    return stated


def _instantiate(pattern: AlgebraTriple, row: Row) -> Iterator[str]:
    terms = [row.get(str(term)) if isinstance(term, Variable) else term for term in pattern]
    if not any(term is None or isinstance(term, BNode) for term in terms):
        yield " ".join(_text(term) for term in terms)


def _pattern_query(pattern: AlgebraTriple) -> str:
    texts = (f"?_{term}" if isinstance(term, BNode) else _text(term) for term in pattern)
    return f"SELECT DISTINCT * WHERE {{ {' '.join(texts)} }} LIMIT {MAX_SOLUTIONS}"


def _text(term: Any) -> str:
    return str(term.n3())
