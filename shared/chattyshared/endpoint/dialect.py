"""Dialects of SPARQL engines: how each searches text in a query, and which one an endpoint speaks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal as Choice

from rdflib import Literal, URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.errors import EndpointError
from chattyshared.literals import read_count
from chattyshared.profile import LABEL_PREDICATES
from chattyshared.terms import n3

DialectName = Choice["plain", "virtuoso", "fuseki", "graphdb", "lucene", "qlever", "blazegraph", "wikidata"]
MAX_HITS = 150
"""Hits of one search of a text index."""
_WORD = re.compile(r"\w+")
_JENA_TEXT = "http://jena.apache.org/text#"
_FTS = "http://www.ontotext.com/fts"
_LUCENE = "http://www.ontotext.com/connectors/lucene#"
_QLEVER = "http://qlever.cs.uni-freiburg.de/builtin-functions/"
_BDS = "http://www.bigdata.com/rdf/search#"
_BIGDATA = "http://www.bigdata.com/rdf#"
_WIKIBASE, _MWAPI = "http://wikiba.se/ontology#", "https://www.mediawiki.org/ontology#API/"


@dataclass(frozen=True, slots=True)
class Dialect:
    """One engine's way of searching text; ``plain`` is portable SPARQL and scans all labels.

    ``index`` is the IRI of the text index if an engine may have several (GraphDB's Lucene connector: ``lucene``).
    """

    name: DialectName
    index: str = ""

    def label_filter_pattern(self, variable: str, words: Sequence[str]) -> str:
        """Return a graph pattern that holds if the text of ``?variable`` has all of the words, in any letter case.

        It goes into a WHERE behind the triple that binds the variable: ``?s rdfs:label ?label . PATTERN``. Virtuoso
        matches whole words; portable SPARQL, used for all other engines, also matches parts of words.

        Raises:
            ValueError: there is no word (letters or digits) to search for, or the variable is no plain name.
        """
        tokens = _tokens(words)
        if not re.fullmatch(r"[A-Za-z_]\w*", variable):
            raise ValueError(f"not the name of a variable: {variable!r}")
        if self.name == "virtuoso":
            expression = " AND ".join(f"'{token}'" for token in tokens)
            return f"?{variable} <bif:contains> {n3(Literal(expression))} ."
        condition = " && ".join(f"CONTAINS(LCASE(STR(?{variable})), {n3(Literal(token))})" for token in tokens)
        return f"FILTER({condition})"

    def label_search_pattern(self, words: Sequence[str], predicates: Sequence[str], *, language: str = "en") -> str:
        """Return a graph pattern that binds ``?s ?p ?x`` to entities with labels that have all of the words.

        ``predicates`` are the label predicates. An engine that finds entities instead of labels binds all labels of an
        entity, and the caller must select those that match. ``language`` is that of the words, for engines that search
        one language (Wikidata).

        Raises:
            ValueError: there is no word to search for.
        """
        labels = f"VALUES ?p {{ {' '.join(n3(URIRef(iri)) for iri in predicates)} }} ?s ?p ?x ."
        search = _SEARCHES.get(self.name)
        if search is None:
            return f"{labels} {self.label_filter_pattern('x', words)}"
        tokens, tag = _tokens(words), n3(Literal(language))  # tokens are letters and digits: no operators of Lucene
        found = search.format(
            words=n3(Literal(" ".join(tokens))), all_words=n3(Literal(" AND ".join(tokens))), language=tag,
            index=self.index and n3(URIRef(self.index)),
        )  # fmt: skip
        return f"{found} {labels}" + (f" FILTER(LANG(?x) = {tag})" if self.name == "wikidata" else "")

    def with_index(self, iri: str) -> Dialect:
        """Return the dialect with one of the engine's text indexes."""
        return replace(self, index=iri)

    @property
    def matches_whole_words(self) -> bool:
        """Whether only whole words match, as in a text index."""
        return self.name != "plain"


def _tokens(words: Sequence[str]) -> tuple[str, ...]:
    tokens = tuple(dict.fromkeys(token.casefold() for word in words for token in _WORD.findall(word)))
    if not tokens:
        raise ValueError("no word to search for")
    return tokens


def _iri(namespace: str, name: str) -> str:
    return n3(URIRef(namespace + name))


_WIKIDATA_ENTITIES = (
    f"SERVICE {_iri(_WIKIBASE, 'mwapi')} {{{{ {_iri(_BIGDATA, 'serviceParam')} "
    f'{_iri(_WIKIBASE, "endpoint")} "www.wikidata.org" ; {_iri(_WIKIBASE, "api")} "EntitySearch" ; '
    f"{_iri(_MWAPI, 'search')} {{words}} ; {_iri(_MWAPI, 'language')} {{language}} . "
    f"?s {_iri(_WIKIBASE, 'apiOutputItem')} {_iri(_MWAPI, 'item')} . }}}}"
)
_SEARCHES: Mapping[str, str] = {
    # jena-text: the default field of the index, which is that of the labels.
    "fuseki": f"?s {_iri(_JENA_TEXT, 'query')} ({{all_words}} {MAX_HITS}) .",
    # Simple full-text search: literals of all languages.
    "graphdb": f'?x {_iri(_FTS, "")} ({{all_words}} "*") .',
    # A Lucene connector of GraphDB: entities by all of its fields.
    "lucene": f"?search a {{index}} ; {_iri(_LUCENE, 'query')} {{all_words}} ; {_iri(_LUCENE, 'entities')} ?s .",
    # A text index of the literals: a record contains the words and its literal.
    "qlever": f"?record {_iri(_QLEVER, 'contains-word')} {{words}} . ?record {_iri(_QLEVER, 'contains-entity')} ?x .",
    # Literals by its own text index.
    "blazegraph": f'?x {_iri(_BDS, "search")} {{words}} . ?x {_iri(_BDS, "matchAllTerms")} "true" .',
    # Entity search of the wiki by label or alias; the only SERVICE that we call.
    "wikidata": _WIKIDATA_ENTITIES,
}
"""How engines search text: ``words`` in one string, ``all_words`` as a query of Lucene, ``language``, ``index``."""
PLAIN = Dialect("plain")
VIRTUOSO, FUSEKI, GRAPHDB, LUCENE = Dialect("virtuoso"), Dialect("fuseki"), Dialect("graphdb"), Dialect("lucene")
QLEVER, BLAZEGRAPH, WIKIDATA = Dialect("qlever"), Dialect("blazegraph"), Dialect("wikidata")
LUCENE_CONNECTORS_PATTERN = f"?index {_iri(_LUCENE, 'listConnectors')} ?configuration ."
"""Binds ``?index`` to GraphDB's Lucene connectors."""
WIKIBASE_PATTERN = f"?property a {_iri(_WIKIBASE, 'Property')} ."
"""Holds on Wikibase data."""

_SAMPLE_WORD = re.compile(r"[A-Za-z]{5,}")
_TRIPLE_PATTERN_DIALECTS = (VIRTUOSO, FUSEKI, GRAPHDB, QLEVER, BLAZEGRAPH)
"""Dialects whose search is an ordinary triple pattern without matches for other engines."""
_DIALECTS_BY_SERVER: Mapping[str, tuple[Dialect, ...]] = {
    "virtuoso": (VIRTUOSO,),
    "fuseki": (FUSEKI,),
    "jena": (FUSEKI,),
    "graphdb": (GRAPHDB, LUCENE),
    "qlever": (QLEVER,),
    "blazegraph": (BLAZEGRAPH, WIKIDATA),
}
"""The dialects to try by the name in the server's HTTP header."""


def detect_dialect(endpoint: Endpoint, label_predicates: Sequence[str] = ()) -> Dialect:
    """Detect an endpoint's dialect: search in each engine's syntax for a word of a label that the endpoint holds.

    An engine that has a text search but no text index finds nothing and counts as plain; so does one that fails. Two
    requests, and one more to verify a connector or a service.
    """
    predicates = tuple(label_predicates) or LABEL_PREDICATES
    try:
        sample = endpoint.select(_sample_query(predicates))
    except EndpointError:
        return PLAIN
    word = _SAMPLE_WORD.search(str(sample[0]["x"])) if sample else None
    if word is None:
        return PLAIN
    server = str(getattr(endpoint, "server", "")).casefold()
    by_server = next((dialects for name, dialects in _DIALECTS_BY_SERVER.items() if name in server), None)
    candidates = by_server or (*_TRIPLE_PATTERN_DIALECTS, LUCENE, WIKIDATA)
    return _find_dialect(endpoint, candidates, word[0], predicates)


def _find_dialect(endpoint: Endpoint, candidates: Sequence[Dialect], word: str, predicates: Sequence[str]) -> Dialect:
    branches = " UNION ".join(
        _probe_branch(index, candidate, word, predicates) for index, candidate in enumerate(candidates)
    )
    try:
        rows = endpoint.select(f"SELECT ?n ?index WHERE {{ {branches} }}")
        for row in sorted(rows, key=lambda row: read_count(row["n"])):
            dialect = candidates[read_count(row["n"])]
            if dialect in _TRIPLE_PATTERN_DIALECTS:
                return dialect
            dialect = dialect.with_index(str(row.get("index", "")))
            if _matches(endpoint, dialect.label_search_pattern([word], predicates)):
                return dialect
    except EndpointError:
        return PLAIN
    return PLAIN


def _matches(endpoint: Endpoint, pattern: str) -> bool:
    try:
        return endpoint.ask(f"ASK {{ {pattern} }}")
    except EndpointError:
        return False


def _probe_branch(number: int, dialect: Dialect, word: str, predicates: Sequence[str]) -> str:
    """Return a branch that binds ``?n`` to a dialect's number if its search, or data that goes with it, has a match."""
    if dialect == LUCENE:
        return f"{{ SELECT ({number} AS ?n) ?index WHERE {{ {LUCENE_CONNECTORS_PATTERN} }} LIMIT 5 }}"
    pattern = WIKIBASE_PATTERN if dialect == WIKIDATA else dialect.label_search_pattern([word], predicates)
    return f"{{ SELECT ({number} AS ?n) WHERE {{ {pattern} }} LIMIT 1 }}"


def _sample_query(predicates: Sequence[str]) -> str:
    values = " ".join(n3(URIRef(iri)) for iri in predicates)
    condition = 'isLiteral(?x) && REGEX(STR(?x), "^[A-Za-z]{5,}")'
    return f"SELECT ?x WHERE {{ VALUES ?p {{ {values} }} ?s ?p ?x FILTER({condition}) }} LIMIT 1"
