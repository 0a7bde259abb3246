"""What a query names: vertices, predicates, and the kind of answer it asks for; read from the text, never executed."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import rdflib
from chattyshared.query_shape import parse_query_shape
from chattyshared.terms import Term
from rdflib import RDF, RDFS, URIRef
from rdflib.util import from_n3

ResultKind = Literal["boolean", "count", "other"]
_TYPE, _SUBCLASS = str(RDF.type), str(RDFS.subClassOf)
_SCHEMES = re.compile(r"PREFIX\s+([\w.-]*):\s*<([^<>\s]*)>", re.IGNORECASE)
_TOKEN = re.compile(
    r"""(?P<text>\"{3}.*?\"{3} | '{3}.*?'{3} | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
        (?:\^\^(?:<[^<>\s]*>|[\w.:-]+))?
      | (?P<comment>\#[^\n]*)
      | (?P<call>(?:<[^<>\s]*> | [A-Za-z][\w.-]*:[\w.-]+)\s*\()
      | <(?P<iri>[^<>"{}|^`\\\x00-\x20]*)>
      | (?P<variable>[?$]\w+)
      | (?P<name>(?:[A-Za-z][\w.-]*)?:[\w.%-]*[\w%-])
      | (?P<a>\ba\b)""",
    re.VERBOSE | re.DOTALL,
)
_COUNTS = re.compile(r"\bCOUNT\s*\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The IRIs of the vertices and of the predicates that a query names (rdf:type and classes left out), its number of
    triple patterns, what it asks for, and whether it puts its results in order.
    """

    vertices: frozenset[str]
    predicates: frozenset[str]
    triple_count: int
    result_kind: ResultKind
    is_ordered: bool


@lru_cache(maxsize=4096)
def parse_query_terms(sparql: str) -> QueryTerms | None:
    """Read a query; None where there is none, or where it is no SELECT or ASK query of SPARQL 1.1.

    A class is what stands behind ``a``, rdf:type or rdfs:subClassOf, which are no predicates here; a function's name
    and a literal's datatype are no vertices.
    """
    shape = parse_query_shape(sparql) if sparql.strip() else None
    if shape is None:
        return None
    predicates = frozenset(shape.predicates) - {_TYPE, _SUBCLASS}
    asks: ResultKind = "boolean" if shape.form == "ASK" else "other"
    if shape.form == "SELECT" and _COUNTS.search(sparql.split("{")[0]) and "GROUP BY" not in shape.features:
        asks = "count"
    vertices = frozenset(str(term) for term in _terms(sparql) if isinstance(term, URIRef)) - predicates
    return QueryTerms(vertices, predicates, shape.triples, asks, "ORDER BY" in shape.features)


def parse_linked_terms(sparql: str, type_predicates: Collection[str] = ()) -> tuple[Term, ...]:
    """Return what mentions are linked to in a query, in its order: vertices, and texts that are objects of triples.

    ``typing`` are predicates that state classes, besides rdf:type: their objects are no vertices.
    """
    named = parse_query_terms(sparql)
    if named is None:
        return ()
    found = dict.fromkeys(_terms(sparql, type_predicates))
    return tuple(term for term in found if not isinstance(term, URIRef) or str(term) in named.vertices)


def _terms(sparql: str, typing: Collection[str] = ()) -> list[Term]:
    """Return the IRIs in a query's body without types, classes and names of functions, and its plain texts as objects.

    A text is an object where it stands behind an IRI; a constant of another datatype is not among them.
    """
    schemes = {found[1]: found[2] for found in _SCHEMES.finditer(sparql)}
    body = _SCHEMES.sub(" ", sparql)
    body = re.sub(r"\b(?:FROM(?:\s+NAMED)?|BASE)\s*<[^<>]*>", " ", body, flags=re.IGNORECASE)
    found: list[Term] = []
    typed = is_behind_iri = False
    for token in _TOKEN.finditer(body):
        iri = token["iri"] or _whole(token["name"], schemes)
        of_type = bool(token["a"]) or iri in (_TYPE, _SUBCLASS, *typing)
        if iri and not of_type and not typed:
            found.append(URIRef(iri))
        elif token["text"] and is_behind_iri and token[0] == token["text"]:
            found.append(rdflib.Literal(str(from_n3(token["text"]))))
        typed, is_behind_iri = of_type, bool(iri) and not of_type
    return found


def _whole(name: str | None, schemes: dict[str, str]) -> str:
    if not name:
        return ""
    prefix, _, local = name.partition(":")
    return schemes[prefix] + local if prefix in schemes else ""
