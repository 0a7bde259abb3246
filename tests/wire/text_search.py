"""Text search as engines document it, put into SPARQL 1.1 for the loopback server: what each finds, and nothing else.

Sources: Virtuoso's ``bif:contains``; Apache Jena's jena-text (``text:query``); GraphDB's simple full-text search
(``onto:fts``) and Lucene connectors; QLever's ``ql:contains-word``; Blazegraph's ``bds:search``; the MWAPI service of
Wikidata.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

TEXT = r'("(?:[^"\\]|\\.)*")'
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
CONNECTOR = "http://www.ontotext.com/connectors/lucene/instance#labels"


def _words(quoted: str) -> str:
    """Return a test that the text of ``?hit`` has all the words of a query, each a whole word."""
    words = [word.strip("'") for word in re.split(r" AND | ", json.loads(quoted))]
    assert words and all(re.fullmatch(r"\w+", word) for word in words), quoted
    return " && ".join(f'REGEX(STR(?hit), "(^|[^0-9A-Za-z]){word}([^0-9A-Za-z]|$)", "i")' for word in words)


def _things(quoted: str) -> str:
    return f"{{ SELECT DISTINCT ?s WHERE {{ ?s {LABEL} ?hit FILTER({_words(quoted)}) }} LIMIT 150 }}"


def _literals(quoted: str) -> str:
    return f"{{ SELECT DISTINCT (?hit AS ?x) WHERE {{ ?a ?b ?hit FILTER(isLiteral(?hit) && {_words(quoted)}) }} }}"


def virtuoso(query: str) -> str:
    return re.sub(
        rf"\?x <bif:contains> {TEXT} \.",
        lambda m: f"FILTER({_words(m[1]).replace('?hit', '?x')})",
        query,
    )


def fuseki(query: str) -> str:
    return re.sub(rf"\?s <http://jena.apache.org/text#query> \({TEXT} \d+\) \.", lambda m: _things(m[1]), query)


def graphdb(query: str) -> str:
    return re.sub(rf'\?x <http://www.ontotext.com/fts> \({TEXT} "\*"\) \.', lambda m: _literals(m[1]), query)


def lucene(query: str) -> str:
    space = "http://www.ontotext.com/connectors/lucene#"
    listed = f'VALUES (?index ?configuration) {{ (<{CONNECTOR}> "{{}}") }}'
    query = query.replace(f"?index <{space}listConnectors> ?configuration .", listed)
    search = rf"\?search a <{re.escape(CONNECTOR)}> ; <{space}query> {TEXT} ; <{space}entities> \?s \."
    return re.sub(search, lambda m: _things(m[1]), query)


def qlever(query: str) -> str:
    space = "http://qlever.cs.uni-freiburg.de/builtin-functions/"
    search = rf"\?record <{space}contains-word> {TEXT} \. \?record <{space}contains-entity> \?x \."
    return re.sub(search, lambda m: _literals(m[1]), query)


def blazegraph(query: str) -> str:
    space = "http://www.bigdata.com/rdf/search#"
    search = rf'\?x <{space}search> {TEXT} \. \?x <{space}matchAllTerms> "true" \.'
    return re.sub(search, lambda m: _literals(m[1]), query)


def wikidata(query: str) -> str:
    """Search entities by the beginning of a label, as the wiki does."""

    def found(service: re.Match[str]) -> str:
        said = re.search(rf"<https://www.mediawiki.org/ontology#API/search> {TEXT}", service[0])
        assert said and '"www.wikidata.org"' in service[0] and '"EntitySearch"' in service[0]
        begins = f"STRSTARTS(LCASE(STR(?hit)), {said[1]})"
        return f"{{ SELECT DISTINCT ?s WHERE {{ ?s {LABEL} ?hit FILTER({begins}) }} LIMIT 7 }}"

    return re.sub(r"SERVICE <http://wikiba.se/ontology#mwapi> \{.*?\}", found, query)


ENGINES: dict[str, tuple[str, Callable[[str], str]]] = {
    "virtuoso": ("Virtuoso/07.20.3229 (Linux) x86_64-pc-linux-gnu", virtuoso),
    "fuseki": ("Apache Jena Fuseki (5.0.0)", fuseki),
    "graphdb": ("GraphDB/10.6.0 RDF4J/4.3.10", graphdb),
    "lucene": ("GraphDB/10.6.0 RDF4J/4.3.10", lucene),
    "qlever": ("nginx", qlever),
    "blazegraph": ("Blazegraph", blazegraph),
    "wikidata": ("mw1404.eqiad.wmnet", wikidata),
}
"""How each engine calls itself, and what it understands."""
