"""Why a query gives nothing: the triple pattern that fits nothing, or the join that does, with what stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import read_count
from pyparsing import ParseException
from rdflib import RDF, BNode, URIRef, Variable
from rdflib.paths import Path
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import SPARQLError

from chattykg.direct.schema_prompt import SchemaPrompt

MAX_PATTERNS, MAX_SAMPLES = 8, 2
"""Triple patterns of a query that are looked at, and terms that are shown of each side of a join."""
_LONGEST = 60
_IRI = re.compile(r"<([^<>]*)>")
_Pattern = tuple[Any, Any, Any]


def explain_empty_result(sparql: str, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> str:
    """Return which triple pattern of a query fits nothing, or joins with nothing ("" where that is not known).

    Two requests, and two more for what stands on either side of a join. A query with branches is not looked at.

    Raises:
        EndpointError: the KG cannot be asked; that it takes too long is no error.
    """
    patterns = _patterns(sparql)
    if not patterns:
        return ""
    try:
        return _told(patterns, schema_prompt, kg)
    except QUERY_ERRORS:
        return ""


def _told(patterns: Sequence[_Pattern], briefing: SchemaPrompt, kg: KnowledgeGraph) -> str:
    alone = _fitting([(pattern,) for pattern in patterns], kg)
    silent = [pattern for place, pattern in enumerate(patterns) if place not in alone]
    if silent:
        return f"By itself, nothing fits {' or '.join(_shown(pattern, briefing) for pattern in silent[:3])}."
    joined = _fitting([tuple(patterns[: size + 1]) for size in range(len(patterns))], kg)
    place = next((size for size in range(len(patterns)) if size not in joined), None)
    if place is None:
        return "The triple patterns fit together; a condition beside them leaves nothing."
    here, before = patterns[place], patterns[:place]
    met = [(other, v) for v in _variables(here) for other in before if v in _variables(other)]
    if not met:
        return f"{_shown(here, briefing)} and the other patterns do not stand together."
    other, shared = met[0]
    first, second = (_samples(shared, group, briefing, kg) for group in ([here], before))
    said = f"{_shown(here, briefing)} does not join with {_shown(other, briefing)}"
    return f"{said}: {_term(shared)} is such as {first} in the first, {second} in the second."


def _patterns(sparql: str) -> list[_Pattern]:
    """Return the triple patterns that must fit, connected ones behind each other; none of a query with branches."""
    try:
        walked = list(_walk(translateQuery(parseQuery(sparql)).algebra))
    except (ParseException, SPARQLError):
        return []
    found = [pattern for pattern in walked if pattern is not None]
    if len(found) < len(walked) or len(found) > MAX_PATTERNS:
        return []
    ordered: list[_Pattern] = []
    while found:
        bound = {variable for pattern in ordered for variable in _variables(pattern)}
        following = next((p for p in found if bound & set(_variables(p))), found[0])
        found.remove(following)
        ordered.append(following)
    return ordered


def _walk(node: Any) -> Iterator[_Pattern | None]:
    """Yield the triples of basic graph patterns, without what is optional or must not be; None for a UNION."""
    if not isinstance(node, CompValue):
        return
    if node.name == "Union":
        yield None
        return
    if node.name == "BGP":
        yield from node["triples"]
        return
    for part in ("p", "p1", *(() if node.name in ("LeftJoin", "Minus") else ("p2",))):
        if part in node:
            yield from _walk(node[part])


def _fitting(groups: Sequence[Sequence[_Pattern]], kg: KnowledgeGraph) -> frozenset[int]:
    """Return the places of the groups of patterns that fit something together; one request."""
    branches = " UNION ".join(
        f"{{ SELECT ({place} AS ?at) WHERE {{ {_written(group)} }} LIMIT 1 }}" for place, group in enumerate(groups)
    )
    rows = kg.endpoint.untrusted_view().select(f"SELECT DISTINCT ?at WHERE {{ {branches} }}")
    return frozenset(read_count(row["at"]) for row in rows)


def _samples(
    variable: Variable | BNode, patterns: Sequence[_Pattern], briefing: SchemaPrompt, kg: KnowledgeGraph
) -> str:
    name = _term(variable)
    rows = kg.endpoint.untrusted_view().select(
        f"SELECT DISTINCT {name} WHERE {{ {_written(patterns)} }} LIMIT {MAX_SAMPLES}"
    )
    terms = [term for row in rows for term in row.values()]
    return ", ".join((briefing.prefixed_name(str(t)) if isinstance(t, URIRef) else t.n3())[:_LONGEST] for t in terms)


def _written(patterns: Sequence[_Pattern]) -> str:
    return " . ".join(" ".join(map(_term, pattern)) for pattern in patterns)


def _term(term: Any) -> str:
    return f"?blank{term}" if isinstance(term, BNode) else str(term.n3())


def _variables(pattern: _Pattern) -> list[Variable | BNode]:
    return [term for term in pattern if isinstance(term, (Variable, BNode))]


def _shown(pattern: _Pattern, briefing: SchemaPrompt) -> str:
    """Return a triple pattern as the model writes it."""
    numbers = {vertex.iri: f"e:{vertex.number}" for vertex in briefing.vertices}

    def said(term: Any) -> str:
        if term == RDF.type:
            return "a"
        if isinstance(term, URIRef):
            return numbers.get(str(term)) or briefing.prefixed_name(str(term))
        if isinstance(term, Path):
            return _IRI.sub(lambda found: briefing.prefixed_name(found[1]), term.n3())
        return _term(term)[: 2 * _LONGEST]

    return f"{{ {' '.join(map(said, pattern))} }}"
