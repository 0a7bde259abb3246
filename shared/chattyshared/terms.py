"""RDF terms, on rdflib's: reading IRIs aloud, telling kinds apart, writing terms into queries."""

from __future__ import annotations

import re
from urllib.parse import unquote

from rdflib import BNode, Literal, URIRef
from rdflib.namespace import XSD

Term = URIRef | BNode | Literal
Triple = tuple[Term, URIRef, Term]

NUMERIC = frozenset(
    XSD[name]
    for name in (
        "integer decimal float double int long short byte nonNegativeInteger positiveInteger "
        "negativeInteger nonPositiveInteger unsignedInt unsignedLong unsignedShort unsignedByte"
    ).split()
)
DATES = frozenset(XSD[name] for name in "date dateTime gYear gYearMonth".split())

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def local_name(iri: str) -> str:
    """Return what stands behind the last ``#``, ``/`` or ``:`` of an IRI, percent-decoded."""
    tail = iri.rstrip("/#")
    for mark in "#/:":
        if mark in tail:
            head, _, last = tail.rpartition(mark)
            if last:
                return unquote(last)
    return unquote(tail)


def readable(iri: str) -> str:
    """Return an IRI's local name as words: ``birthPlace`` and ``birth_place`` become ``birth place``."""
    words = _CAMEL.sub(" ", local_name(iri).replace("_", " ").replace("-", " "))
    words = " ".join(words.split())
    return words[:1].lower() + words[1:] if words[1:2].islower() or len(words) == 1 else words


def is_number(term: object) -> bool:
    """Tell whether a term is a numeric literal."""
    return isinstance(term, Literal) and term.datatype in NUMERIC


def is_date(term: object) -> bool:
    """Tell whether a term is a literal of a date, a date with time, a year, or a year with month."""
    return isinstance(term, Literal) and term.datatype in DATES


def n3(term: Term) -> str:
    """Write a term as SPARQL takes it.

    Raises:
        ValueError: the IRI holds characters that would let it end early; it is never written into a query.
    """
    if isinstance(term, URIRef):
        if re.search(r'[<>"{}|^`\\\x00-\x20]', term):
            raise ValueError(f"not an IRI: {str(term)[:80]!r}")
        return f"<{term}>"
    if isinstance(term, BNode):
        raise ValueError("a blank node cannot be named in a query")
    return _literal(term)


def _literal(term: Literal) -> str:
    text = str(term).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    text = text.replace("\t", "\\t").replace("\x00", "")
    if term.language:
        return f'"{text}"@{term.language}'
    if term.datatype and term.datatype != XSD.string:
        return f'"{text}"^^{n3(term.datatype)}'
    return f'"{text}"'
