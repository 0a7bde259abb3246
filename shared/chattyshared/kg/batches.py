"""Many terms in one query: VALUES blocks of a size that every engine takes, and typed reading of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from rdflib import Literal, URIRef

from chattyshared.endpoint import Endpoint, Row
from chattyshared.literals import read_count
from chattyshared.terms import Term, n3

BATCH_SIZE = 200
"""Terms in one VALUES block: the strictest engine seen refuses some thousands, and URLs of GET stay short."""

T = TypeVar("T")


def batches(items: Iterable[T], size: int = BATCH_SIZE) -> Iterator[list[T]]:
    """Yield the items in lists of at most ``size``, in order."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def format_iri(text: str) -> str:
    """Write an IRI as SPARQL takes it.

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
    """Return ``VALUES ?variable { ... }``; a plain string is an IRI, and terms that cannot be named are left out."""
    found = [term if isinstance(term, URIRef | Literal) else URIRef(term) for term in terms]
    return f"VALUES ?{variable} {{ {' '.join(n3(term) for term in found if is_nameable(term))} }}"


def count_of(row: Row, name: str) -> int:
    """Return a count of a row; 0 where it is unbound.

    Raises:
        ResultUnreadable: it is no whole number.
    """
    return read_count(row[name]) if name in row else 0


def text_of(row: Row, name: str) -> str:
    """Return the text of a term in a row; empty where it is unbound."""
    return str(row[name]) if name in row else ""


def union_pattern(branches: Sequence[str]) -> str:
    """Join graph patterns as alternatives."""
    return " UNION ".join(f"{{ {branch} }}" for branch in branches)


def fetch_pages(endpoint: Endpoint, query: str, size: int) -> Iterator[Row]:
    """Yield all rows of a SELECT query without LIMIT, asked for in pages.

    A short page ends it, unless its size is a round number: so look pages that a server has cut.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    offset = 0
    while True:
        rows = endpoint.select(f"{query} LIMIT {size}" + (f" OFFSET {offset}" if offset else ""))
        yield from rows
        offset += len(rows)
        if not rows or (len(rows) < size and len(rows) % 100):
            return


def in_filter(variable: str, iris: Iterable[str]) -> str:
    """Return ``FILTER(?variable IN (...))``: beside bound subjects engines take it for what it is, and a second VALUES
    block for the place to begin, which reads the whole KG."""
    return f"FILTER(?{variable} IN ({', '.join(n3(URIRef(iri)) for iri in iris)}))"
