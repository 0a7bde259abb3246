"""Dialects of SPARQL engines: how each searches text in a query, and which one an endpoint speaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
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
_TEXT = "http://jena.apache.org/text#"
_FTS = "http://www.ontotext.com/fts"
_LUCENE = "http://www.ontotext.com/connectors/lucene#"
_QLEVER = "http://qlever.cs.uni-freiburg.de/builtin-functions/"
_BDS = "http://www.bigdata.com/rdf/search#"
_WIKIBASE, _MWAPI = "http://wikiba.se/ontology#", "https://www.mediawiki.org/ontology#API/"


@dataclass(frozen=True, slots=True)
class Dialect:
    """One engine's way of searching text; ``plain`` is portable SPARQL and goes through all labels.

    ``index`` is the IRI of the text index where an engine may have several (GraphDB's Lucene connector: ``lucene``).
    """

    name: DialectName
    index: str = ""

    def label_filter_pattern(self, variable: str, words: Sequence[str]) -> str:
        """Return a graph pattern that holds where the text of ``?variable`` has all of the words, in any case.

        It stands inside a WHERE behind the triple that binds the variable: ``?s rdfs:label ?label . PATTERN``. With
        Virtuoso words are whole words; in portable SPARQL, which all others get, they may be parts of words.

        Raises:
            ValueError: there is no word (letters or digits) to search for, or the variable is no plain name.
        """
        tokens = _tokens(words)
        if not re.fullmatch(r"[A-Za-z_]\w*", variable):
            raise ValueError(f"not the name of a variable: {variable!r}")
        if self.name == "virtuoso":
            searched = " AND ".join(f"'{token}'" for token in tokens)
            return f"?{variable} <bif:contains> {n3(Literal(searched))} ."
        tests = " && ".join(f"CONTAINS(LCASE(STR(?{variable})), {n3(Literal(token))})" for token in tokens)
        return f"FILTER({tests})"

    def label_search_pattern(self, words: Sequence[str], predicates: Sequence[str], *, language: str = "en") -> str:
        """Return a graph pattern that binds ``?s ?p ?x`` to things with labels that have all of the words.

        ``predicates`` are those that may label. Where the engine finds things rather than labels, all labels of what
        it finds are bound, and it is the caller's to look which of them fits. ``language`` is that of the words, for
        engines that search one language (Wikidata).

        Raises:
            ValueError: there is no word to search for.
        """
        named = f"VALUES ?p {{ {' '.join(n3(URIRef(iri)) for iri in predicates)} }} ?s ?p ?x ."
        search = _SEARCHES.get(self.name)
        if search is None:
            return f"{named} {self.label_filter_pattern('x', words)}"
        return f"{search(self, _tokens(words), language)} {named}" + (
            f" FILTER(LANG(?x) = {n3(Literal(language))})" if self.name == "wikidata" else ""
        )

    def with_index(self, iri: str) -> Dialect:
        """Return the dialect with one of the engine's text indexes."""
        return replace(self, index=iri)

    @property
    def matches_whole_words(self) -> bool:
        """Whether only whole words are found, as in a text index."""
        return self.name != "plain"


def _tokens(words: Sequence[str]) -> tuple[str, ...]:
    tokens = tuple(dict.fromkeys(token.casefold() for word in words for token in _WORD.findall(word)))
    if not tokens:
        raise ValueError("no word to search for")
    return tokens


def _iri(space: str, name: str) -> str:
    return n3(URIRef(space + name))


def _all(tokens: Sequence[str]) -> str:
    """Return a query of Lucene's for all words; they are letters and digits in lower case, so no operators."""
    return n3(Literal(" AND ".join(tokens)))


def _fuseki(_: Dialect, tokens: Sequence[str], __: str) -> str:
    """Apache Jena, jena-text: the default field of the index, which is that of the labels."""
    return f"?s {_iri(_TEXT, 'query')} ({_all(tokens)} {MAX_HITS}) ."


def _graphdb(_: Dialect, tokens: Sequence[str], __: str) -> str:
    """GraphDB, simple full-text search: literals of all languages."""
    return f"?x {_iri(_FTS, '')} ({_all(tokens)} {n3(Literal('*'))}) ."


def _lucene(dialect: Dialect, tokens: Sequence[str], __: str) -> str:
    """GraphDB, a Lucene connector: entities by all of its fields."""
    index = n3(URIRef(dialect.index))
    return f"?search a {index} ; {_iri(_LUCENE, 'query')} {_all(tokens)} ; {_iri(_LUCENE, 'entities')} ?s ."


def _qlever(_: Dialect, tokens: Sequence[str], __: str) -> str:
    """QLever, with a text index of the literals: a record holds the words, and mentions its literal."""
    words = n3(Literal(" ".join(tokens)))
    return f"?record {_iri(_QLEVER, 'contains-word')} {words} . ?record {_iri(_QLEVER, 'contains-entity')} ?x ."


def _blazegraph(_: Dialect, tokens: Sequence[str], __: str) -> str:
    """Blazegraph: literals by its own text index."""
    words, every = n3(Literal(" ".join(tokens))), n3(Literal("true"))
    return f"?x {_iri(_BDS, 'search')} {words} . ?x {_iri(_BDS, 'matchAllTerms')} {every} ."


def _wikidata(_: Dialect, tokens: Sequence[str], language: str) -> str:
    """Wikidata's query service: the search of the wiki itself, by label or alias; the only service that is called."""
    parameter = _iri("http://www.bigdata.com/rdf#", "serviceParam")
    said = {
        _iri(_WIKIBASE, "endpoint"): "www.wikidata.org",
        _iri(_WIKIBASE, "api"): "EntitySearch",
        _iri(_MWAPI, "search"): " ".join(tokens),
        _iri(_MWAPI, "language"): language,
    }
    parameters = " ; ".join(f"{key} {n3(Literal(value))}" for key, value in said.items())
    item = f"?s {_iri(_WIKIBASE, 'apiOutputItem')} {_iri(_MWAPI, 'item')} ."
    return f"SERVICE {_iri(_WIKIBASE, 'mwapi')} {{ {parameter} {parameters} . {item} }}"


_SEARCHES: Mapping[str, Callable[[Dialect, Sequence[str], str], str]] = {
    "fuseki": _fuseki,
    "graphdb": _graphdb,
    "lucene": _lucene,
    "qlever": _qlever,
    "blazegraph": _blazegraph,
    "wikidata": _wikidata,
}
PLAIN = Dialect("plain")
VIRTUOSO, FUSEKI, GRAPHDB, LUCENE = Dialect("virtuoso"), Dialect("fuseki"), Dialect("graphdb"), Dialect("lucene")
QLEVER, BLAZEGRAPH, WIKIDATA = Dialect("qlever"), Dialect("blazegraph"), Dialect("wikidata")
LUCENE_CONNECTORS_PATTERN = f"?index {_iri(_LUCENE, 'listConnectors')} ?configuration ."
"""Binds ``?index`` to GraphDB's Lucene connectors."""
WIKIBASE_PATTERN = f"?property a {_iri(_WIKIBASE, 'Property')} ."
"""Holds where data are Wikibase's."""

_SAMPLE_WORD = re.compile(r"[A-Za-z]{5,}")
_OUTRIGHT = (VIRTUOSO, FUSEKI, GRAPHDB, QLEVER, BLAZEGRAPH)
"""Dialects whose search is but an odd triple pattern to other engines, which find nothing by it."""
_BY_SERVER: Mapping[str, tuple[Dialect, ...]] = {
    "virtuoso": (VIRTUOSO,),
    "fuseki": (FUSEKI,),
    "jena": (FUSEKI,),
    "graphdb": (GRAPHDB, LUCENE),
    "qlever": (QLEVER,),
    "blazegraph": (BLAZEGRAPH, WIKIDATA),
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
    word = _SAMPLE_WORD.search(str(sample[0]["x"])) if sample else None
    if word is None:
        return PLAIN
    said = str(getattr(endpoint, "server", "")).casefold()
    named = next((found for name, found in _BY_SERVER.items() if name in said), None)
    tried = named or (*_OUTRIGHT, LUCENE, WIKIDATA)
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
    if dialect == LUCENE:
        return f"{{ SELECT ({place} AS ?n) ?index WHERE {{ {LUCENE_CONNECTORS_PATTERN} }} LIMIT 5 }}"
    pattern = WIKIBASE_PATTERN if dialect == WIKIDATA else _search(dialect, word, predicates)
    return f"{{ SELECT ({place} AS ?n) WHERE {{ {pattern} }} LIMIT 1 }}"


def _search(dialect: Dialect, word: str, predicates: Sequence[str]) -> str:
    return dialect.label_search_pattern([word], predicates)


def _sample(predicates: Sequence[str]) -> str:
    named = " ".join(n3(URIRef(iri)) for iri in predicates)
    tests = 'isLiteral(?x) && REGEX(STR(?x), "^[A-Za-z]{5,}")'
    return f"SELECT ?x WHERE {{ VALUES ?p {{ {named} }} ?s ?p ?x FILTER({tests}) }} LIMIT 1"
