"""The triples that gold queries match, without the filters, orders and limits that select among their matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chattyshared.endpoint import Endpoint
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ChattyError, EndpointUnavailable
from chattyshared.kg.batches import count_of, fetch_pages
from chattyshared.sparql.pattern_groups import PatternGroup, read_pattern_groups
from chattyshared.terms import Triple
from rdflib import BNode

from chattygen.snapshot.reproduction import TurnLeftOut

PAGE_SIZE = 100_000
"""Rows of one page; a server that gives fewer is asked for the rest."""


def match_query(endpoint: Endpoint, sparql: str, *, limit: int) -> Iterator[Triple]:
    """Yield the triples of all matches of a query's patterns.

    Raises:
        TurnLeftOut: they are more than ``limit``, or cannot be counted in time.
        EndpointError: the endpoint does not answer.
    """
    for group in read_pattern_groups(sparql):
        yield from _match_group(endpoint, group, limit)


def _match_group(endpoint: Endpoint, group: PatternGroup, limit: int) -> Iterator[Triple]:
    text = group.text
    try:  # the patterns are those of a file: they may take for ever
        counted = endpoint.untrusted_view().select(f"SELECT (COUNT(*) AS ?n) WHERE {{ {text} }}")
    except EndpointUnavailable:
        raise
    except ChattyError as error:
        raise TurnLeftOut(f"its matches cannot be counted: {' '.join(str(error).split())[:100]}") from error
    rows = count_of(counted[0], "n") if counted else 0
    if rows > limit:
        raise TurnLeftOut(f"its patterns have {rows:,} matches")
    query = f"SELECT * WHERE {{ {text} }}"
    for row in fetch_pages(endpoint, query, PAGE_SIZE) if rows > PAGE_SIZE else endpoint.select(query):
        yield from group.triples_of(row)


def drop_unstable_nodes(endpoint: Endpoint, triples: Iterable[Triple]) -> set[Triple]:
    """Return triples without those with blank nodes, if the endpoint is a server: it names them anew in each reply."""
    is_stable = isinstance(endpoint, LocalEndpoint)
    return {triple for triple in triples if is_stable or not any(isinstance(term, BNode) for term in triple)}
