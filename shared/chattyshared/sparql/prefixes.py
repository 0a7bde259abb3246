"""Namespaces of prefixes that queries use without declaration, as many servers allow."""

from __future__ import annotations

from collections.abc import Mapping

WELL_KNOWN_PREFIXES: Mapping[str, str] = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dct": "http://purl.org/dc/terms/",
    "dcterms": "http://purl.org/dc/terms/",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "prov": "http://www.w3.org/ns/prov#",
    "schema": "http://schema.org/",
    "dbo": "http://dbpedia.org/ontology/",
    "dbpedia-owl": "http://dbpedia.org/ontology/",
    "dbp": "http://dbpedia.org/property/",
    "dbpprop": "http://dbpedia.org/property/",
    "dbr": "http://dbpedia.org/resource/",
    "dbpedia": "http://dbpedia.org/resource/",
    "res": "http://dbpedia.org/resource/",
    "dbc": "http://dbpedia.org/resource/Category:",
    "yago": "http://dbpedia.org/class/yago/",
    "wd": "http://www.wikidata.org/entity/",
    "wds": "http://www.wikidata.org/entity/statement/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "wdv": "http://www.wikidata.org/value/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "pqv": "http://www.wikidata.org/prop/qualifier/value/",
    "pr": "http://www.wikidata.org/prop/reference/",
    "wikibase": "http://wikiba.se/ontology#",
    "bd": "http://www.bigdata.com/rdf#",
}
"""Prefixes of W3C and Dublin Core, and those that the public servers of DBpedia and Wikidata predefine."""

CHATTY_GEN_PREFIXES: Mapping[str, str] = {
    **{name: WELL_KNOWN_PREFIXES[name] for name in ("rdf", "rdfs", "owl", "xsd", "schema", "dbo")},
    "yago": "http://yago-knowledge.org/resource/",
}
"""The prefixes that Chatty-Gen declares before each published query."""
