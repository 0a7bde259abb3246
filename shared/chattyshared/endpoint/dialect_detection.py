"""Which dialect an endpoint speaks: found by what it does, in two requests or three."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rdflib import URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.endpoint import dialect as ways
from chattyshared.endpoint.dialect import PLAIN, Dialect
from chattyshared.errors import EndpointError
from chattyshared.literals import read_count
from chattyshared.profile import LABEL_PREDICATES
from chattyshared.terms import n3

_WORD = re.compile(r"[A-Za-z]{5,}")
_OUTRIGHT = (ways.VIRTUOSO, ways.FUSEKI, ways.GRAPHDB, ways.QLEVER, ways.BLAZEGRAPH)
"""Dialects whose search is but an odd triple pattern to other engines, which find nothing by it."""
_BY_SERVER: Mapping[str, tuple[Dialect, ...]] = {
    "virtuoso": (ways.VIRTUOSO,),
    "fuseki": (ways.FUSEKI,),
    "jena": (ways.FUSEKI,),
    "graphdb": (ways.GRAPHDB, ways.LUCENE),
    "qlever": (ways.QLEVER,),
    "blazegraph": (ways.BLAZEGRAPH, ways.WIKIDATA),
}
"""Which dialects to try where a server says what it is."""


def detect_dialect(endpoint: Endpoint, label_predicates: Sequence[str] = ()) -> Dialect:
    """Find an endpoint's dialect: search, in each engine's own way, for a word of a label that it is known to hold.

    ``labels`` are the KG's label predicates. An engine that has a text search but no text index finds nothing, and is
    taken as plain; so is one that fails. Two requests; one more where a connector or a service is to be proved.
    """
    predicates = tuple(label_predicates) or LABEL_PREDICATES
    try:
        sample = endpoint.select(_sample(predicates))
    except EndpointError:
        return PLAIN
    word = _WORD.search(str(sample[0]["x"])) if sample else None
    if word is None:
        return PLAIN
    said = str(getattr(endpoint, "server", "")).casefold()
    named = next((found for name, found in _BY_SERVER.items() if name in said), None)
    tried = named or (*_OUTRIGHT, ways.LUCENE, ways.WIKIDATA)
    return _found(endpoint, tried, word[0], predicates)


def _found(endpoint: Endpoint, tried: Sequence[Dialect], word: str, predicates: Sequence[str]) -> Dialect:
    branches = " UNION ".join(_branch(place, one, word, predicates) for place, one in enumerate(tried))
    try:
        rows = endpoint.select(f"SELECT ?n ?index WHERE {{ {branches} }}")
        for row in sorted(rows, key=lambda row: read_count(row["n"])):
            dialect = tried[read_count(row["n"])]
            if dialect in _OUTRIGHT:
                return dialect
            dialect = dialect.with_index(str(row.get("index", "")))
            if _holds(endpoint, dialect.label_search_pattern([word], predicates)):
                return dialect
    except EndpointError:
        return PLAIN
    return PLAIN


def _holds(endpoint: Endpoint, pattern: str) -> bool:
    try:
        return endpoint.ask(f"ASK {{ {pattern} }}")
    except EndpointError:
        return False


def _branch(place: int, dialect: Dialect, word: str, predicates: Sequence[str]) -> str:
    """Return a branch that gives a dialect's place where it may be spoken: by its search, or by what goes with it."""
    if dialect == ways.LUCENE:
        return f"{{ SELECT ({place} AS ?n) ?index WHERE {{ {ways.LUCENE_CONNECTORS_PATTERN} }} LIMIT 5 }}"
    pattern = ways.WIKIBASE_PATTERN if dialect == ways.WIKIDATA else _search(dialect, word, predicates)
    return f"{{ SELECT ({place} AS ?n) WHERE {{ {pattern} }} LIMIT 1 }}"


def _search(dialect: Dialect, word: str, predicates: Sequence[str]) -> str:
    return dialect.label_search_pattern([word], predicates)


def _sample(predicates: Sequence[str]) -> str:
    named = " ".join(n3(URIRef(iri)) for iri in predicates)
    tests = 'isLiteral(?x) && REGEX(STR(?x), "^[A-Za-z]{5,}")'
    return f"SELECT ?x WHERE {{ VALUES ?p {{ {named} }} ?s ?p ?x FILTER({tests}) }} LIMIT 1"
