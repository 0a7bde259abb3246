"""What engines do differently: how to search text in a query."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal as Choice

from rdflib import Literal, URIRef

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
