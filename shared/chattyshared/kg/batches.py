"""Queries about many terms: VALUES blocks of a size that every engine accepts, and typed access to rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from rdflib import Literal, URIRef

from chattyshared.endpoint import Endpoint, Row, StreamingEndpoint
from chattyshared.literals import read_count
from chattyshared.terms import Term, n3

BATCH_SIZE = 200
"""Terms in one VALUES block: the strictest engine tested refuses some thousands, and URLs of GET requests stay
short."""

T = TypeVar("T")


def batches(items: Iterable[T], size: int = BATCH_SIZE) -> Iterator[list[T]]:
    """Yield the items in lists of at most ``size``, in order."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def format_iri(text: str) -> str:
    """Return an IRI in SPARQL syntax.

    Raises:
        ValueError: it is not an IRI.
    """
    return n3(URIRef(text))


def is_nameable(term: Term) -> bool:
    """Tell whether a query can name the term: no blank node, no IRI with characters that SPARQL forbids."""
    try:
        n3(term)
    except ValueError:
        return False
    return True


def values_block(variable: str, terms: Iterable[str | Term]) -> str:
    """Return ``VALUES ?variable { ... }``. A plain string is an IRI; terms that a query cannot name are left out."""
    nodes = [term if isinstance(term, URIRef | Literal) else URIRef(term) for term in terms]
    return f"VALUES ?{variable} {{ {' '.join(n3(term) for term in nodes if is_nameable(term))} }}"


def count_of(row: Row, name: str) -> int:
    """Return a count from a row; 0 if it is unbound.

    Raises:
        ResultUnreadable: it is not a whole number.
    """
    return read_count(row[name]) if name in row else 0


def text_of(row: Row, name: str) -> str:
    """Return the text of a term in a row; empty if it is unbound."""
    return str(row[name]) if name in row else ""


def union_pattern(branches: Sequence[str]) -> str:
    """Join graph patterns with UNION."""
    return " UNION ".join(f"{{ {branch} }}" for branch in branches)


def sampled_pattern(variables: str, samples: Sequence[str]) -> str:
    """Return the sub-query that joins several SELECT queries with a LIMIT by UNION, for patterns that follow it.

    What is asked about the samples must stand behind, once: where it stands in each branch of the UNION, Virtuoso reads
    the whole KG for each.
    """
    return f"{{ SELECT {variables} WHERE {{ {union_pattern(samples)} }} }}"


def fetch_statements(endpoint: Endpoint, subjects: Iterable[Term | str], predicates: Sequence[str]) -> Iterator[Row]:
    """Yield what some predicates state about subjects, as rows of ``?s ?q ?x``; one request for 200 subjects.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    for batch in batches(
        term for term in subjects if is_nameable(term if isinstance(term, URIRef | Literal) else URIRef(term))
    ):
        if len(predicates) == 1:  # an engine then reads only this predicate of each subject
            pattern = f"?s {format_iri(predicates[0])} ?x BIND({format_iri(predicates[0])} AS ?q)"
        else:
            pattern = f"?s ?q ?x {in_filter('q', predicates)}"
        yield from endpoint.select(f"SELECT ?s ?q ?x WHERE {{ {values_block('s', batch)} {pattern} }}")


def fetch_pages(endpoint: Endpoint, query: str, size: int) -> Iterator[Row]:
    """Yield all rows of a SELECT query without LIMIT: as they come, or page by page if the endpoint cannot do that.

    A short page is the last one, unless its size is a multiple of 100: a server may have cut it.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    if isinstance(endpoint, StreamingEndpoint):
        yield from endpoint.stream(query)
        return
    offset = 0
    while True:
        rows = endpoint.select(f"{query} LIMIT {size}" + (f" OFFSET {offset}" if offset else ""))
        yield from rows
        offset += len(rows)
        if not rows or (len(rows) < size and len(rows) % 100):
            return


def in_filter(variable: str, iris: Iterable[str]) -> str:
    """Return ``FILTER(?variable IN (...))``. With bound subjects, engines would start from a second VALUES block and
    read the whole KG; they do not start from a filter."""
    return f"FILTER(?{variable} IN ({', '.join(n3(URIRef(iri)) for iri in iris)}))"
