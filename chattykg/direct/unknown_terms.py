"""Hallucinated terms: the IRIs in a query that the KG does not have."""

from __future__ import annotations

import re

from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import read_count
from chattyshared.terms import is_writable, n3
from rdflib import URIRef

from chattykg.direct.schema_prompt import SchemaPrompt

MAX_CHECKED_IRIS = 20
_BUILT_IN = ("http://www.w3.org/2001/XMLSchema#", "http://www.w3.org/2005/xpath-functions")
_TEXTS = re.compile(r'"{3}.*?"{3}|\'{3}.*?\'{3}|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)
_PREFIX = re.compile(r"\bPREFIX\s+([\w.-]*):\s*<([^<>\s]*)>", re.IGNORECASE)
_IRI = re.compile(r"<([A-Za-z][\w+.-]*:[^<>\"{}|^`\\\s]*)>")
_NAME = re.compile(r"(?<![\w?$@<:/])([A-Za-z][\w-]{0,99}|):([A-Za-z_0-9][\w-]*)")


def unknown_terms(sparql: str, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the IRIs (and undeclared names) in a query that were not shown and stand nowhere in the KG.

    At most one request, and none where the query uses only what was shown.

    Raises:
        EndpointError: the KG cannot be asked.
    """
    known = (
        {vertex.iri for vertex in schema_prompt.vertices} | set(kg.vocabulary.predicates) | set(kg.vocabulary.classes)
    )
    known.update(kg.profile.types)
    iris, undeclared = _iris_and_undeclared(sparql)
    unstated = [iri for iri in iris if iri not in known and not iri.startswith(_BUILT_IN)][:MAX_CHECKED_IRIS]
    checkable = [(index, iri) for index, iri in enumerate(unstated) if is_writable(iri)]
    if checkable:
        branches = " UNION ".join(_exists_pattern(iri, index) for index, iri in checkable)
        stated = {read_count(row["at"]) for row in kg.endpoint.select(f"SELECT DISTINCT ?at WHERE {{ {branches} }}")}
        unstated = [iri for index, iri in enumerate(unstated) if index not in stated]
    return (*undeclared, *unstated)


def named_iris(sparql: str) -> tuple[str, ...]:
    """Return the IRIs of a query, those of prefixed names in full."""
    return _iris_and_undeclared(sparql)[0]


def _exists_pattern(iri: str, index: int) -> str:
    term = n3(URIRef(iri))
    patterns = f"{{ {term} ?p ?o }} UNION {{ ?o {term} ?p }} UNION {{ ?o ?p {term} }}"
    return f"{{ SELECT ({index} AS ?at) WHERE {{ {patterns} }} LIMIT 1 }}"


def _iris_and_undeclared(sparql: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the IRIs of a query, and its names with an undeclared prefix, each once."""
    text = _TEXTS.sub(" ", sparql)
    prefixes = dict(_PREFIX.findall(text))
    body = _PREFIX.sub(" ", text)
    iris, undeclared = dict.fromkeys(_IRI.findall(body)), dict[str, None]()
    for prefix, local in _NAME.findall(_IRI.sub(" ", body)):
        if prefix in prefixes:
            iris[prefixes[prefix] + local] = None
        else:
            undeclared[f"{prefix}:{local}"] = None
    return tuple(iris), tuple(undeclared)
