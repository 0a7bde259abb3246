"""Empty-result diagnosis: the triple pattern or the join of a query that matches nothing, with sample terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import is_date, is_number, read_count
from chattyshared.sparql.analysis import parse_algebra
from chattyshared.terms import Term
from rdflib import RDF, BNode, URIRef, Variable
from rdflib.paths import Path
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.direct.mismatches import QueryConditions
from chattykg.direct.schema_prompt import SchemaPrompt

MAX_PATTERNS, MAX_SAMPLES, MAX_VALUES = 8, 2, 5
"""Most triple patterns of a query that is diagnosed, sample terms of each side of a join, and values that a condition
leaves out."""
_MAX_TERM_CHARACTERS = 60
_IRI = re.compile(r"<([^<>]*)>")
_Pattern = tuple[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class PatternMismatch:
    """Why triple patterns match nothing: each of ``unmatched`` fits nothing by itself, or the last of ``joined`` does
    not join with those before it; with neither, a condition beside them leaves nothing of all ``patterns``.
    """

    unmatched: tuple[_Pattern, ...] = ()
    joined: tuple[_Pattern, ...] = ()
    patterns: tuple[_Pattern, ...] = ()


def explain_empty_result(sparql: str, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> str:
    """Return which triple pattern of a query matches nothing, or joins with nothing ("" if that is not known).

    Two requests, and at most two more for sample terms of both sides of a join, or for the values that a condition
    leaves out. A query with a UNION is not diagnosed.

    Raises:
        EndpointError: the KG cannot be asked; that it takes too long is no error.
    """
    try:
        mismatch = find_mismatch(sparql, kg)
        return _explain(mismatch, sparql, schema_prompt, kg) if mismatch is not None else ""
    except QUERY_ERRORS:
        return ""


def find_mismatch(sparql: str, kg: KnowledgeGraph) -> PatternMismatch | None:
    """Return what keeps the triple patterns of a query from matching together; None if that is not known.

    At most two requests. A query with a UNION is not diagnosed.

    Raises:
        EndpointError: the KG cannot be asked, or it takes too long.
    """
    patterns = _required_patterns(sparql)
    if not patterns:
        return None
    matching = _matching_groups([(pattern,) for pattern in patterns], kg)
    unmatched = [pattern for index, pattern in enumerate(patterns) if index not in matching]
    if unmatched:
        return PatternMismatch(unmatched=tuple(unmatched))
    joined = _matching_groups([tuple(patterns[: size + 1]) for size in range(len(patterns))], kg)
    index = next((size for size in range(len(patterns)) if size not in joined), None)
    if index is None:
        return PatternMismatch(patterns=tuple(patterns))
    return PatternMismatch(joined=tuple(patterns[: index + 1]))


def _explain(mismatch: PatternMismatch, sparql: str, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> str:
    if mismatch.unmatched:
        rendered = " or ".join(_render_pattern(pattern, schema_prompt) for pattern in mismatch.unmatched[:3])
        return f"By itself, nothing fits {rendered}."
    if not mismatch.joined:
        try:
            values = _describe_filtered(sparql, mismatch.patterns, schema_prompt, kg)
        except QUERY_ERRORS:
            values = ""
        return f"The triple patterns fit together; a condition beside them leaves nothing{values}."
    here, earlier = mismatch.joined[-1], mismatch.joined[:-1]
    shared_variables = [(other, v) for v in _variables(here) for other in earlier if v in _variables(other)]
    if not shared_variables:
        return f"{_render_pattern(here, schema_prompt)} and the other patterns do not stand together."
    other, shared = shared_variables[0]
    first, second = (_sample_terms(shared, group, schema_prompt, kg) for group in ([here], earlier))
    sentence = f"{_render_pattern(here, schema_prompt)} does not join with {_render_pattern(other, schema_prompt)}"
    return f"{sentence}: {_term(shared)} is such as {first} in the first, {second} in the second."


def _required_patterns(sparql: str) -> list[_Pattern]:
    """Return the required triple patterns, connected ones in sequence; none if the query has a UNION."""
    patterns = list(_walk(parse_algebra(sparql)))
    remaining = [pattern for pattern in patterns if pattern is not None]
    if len(remaining) < len(patterns) or len(remaining) > MAX_PATTERNS:
        return []
    ordered: list[_Pattern] = []
    while remaining:
        bound = {variable for pattern in ordered for variable in _variables(pattern)}
        following = next((p for p in remaining if bound & set(_variables(p))), remaining[0])
        remaining.remove(following)
        ordered.append(following)
    return ordered


def _walk(node: Any) -> Iterator[_Pattern | None]:
    """Yield the triples of basic graph patterns, without OPTIONAL and MINUS; None for a UNION."""
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


def _matching_groups(groups: Sequence[Sequence[_Pattern]], kg: KnowledgeGraph) -> frozenset[int]:
    """Return the indexes of the groups whose patterns match something together; one request."""
    branches = " UNION ".join(
        f"{{ SELECT ({index} AS ?at) WHERE {{ {_to_group(group)} }} LIMIT 1 }}" for index, group in enumerate(groups)
    )
    rows = kg.endpoint.untrusted_view().select(f"SELECT DISTINCT ?at WHERE {{ {branches} }}")
    return frozenset(read_count(row["at"]) for row in rows)


def _describe_filtered(
    sparql: str, patterns: Sequence[_Pattern], schema_prompt: SchemaPrompt, kg: KnowledgeGraph
) -> str:
    """Return what stands in the first variable that a filter compares: the most frequent values, or their ends."""
    bound = {variable for pattern in patterns for variable in _variables(pattern)}
    compared = (v for each, _, _ in QueryConditions.read(sparql).comparisons for v in _variables_of(each) if v in bound)
    variable = next(compared, None)
    if variable is None:
        return ""
    name, group, endpoint = variable.n3(), _to_group(patterns), kg.endpoint.untrusted_view()
    rows = endpoint.select(
        f"SELECT {name} (COUNT(*) AS ?value_count) WHERE {{ {group} }} GROUP BY {name}"
        f" ORDER BY DESC(?value_count) {name} LIMIT {MAX_VALUES}"
    )
    values = [row[str(variable)] for row in rows]
    if all(is_number(value) or is_date(value) for value in values):
        ends = endpoint.select(
            f"SELECT (MIN({name}) AS ?lowest_value) (MAX({name}) AS ?highest_value) WHERE {{ {group} }}"
        )[0]
        return f"; {name} is from {ends['lowest_value']} to {ends['highest_value']}" if len(ends) > 1 else ""
    is_whole = len(values) < MAX_VALUES
    return f"; {name} is {'' if is_whole else 'such as '}{_render_terms(values, schema_prompt)}"


def _variables_of(expression: Any) -> Iterator[Variable]:
    """Yield the variables of an expression, without those of a pattern in it."""
    if isinstance(expression, Variable):
        yield expression
    elif isinstance(expression, CompValue) and expression.name.startswith("Builtin_"):
        yield from (v for key, part in expression.items() if key != "graph" for v in _variables_of(part))


def _render_terms(terms: Iterable[Term], schema_prompt: SchemaPrompt) -> str:
    return ", ".join(_render_term(term, schema_prompt)[:_MAX_TERM_CHARACTERS] for term in terms)


def _render_term(term: Term, schema_prompt: SchemaPrompt) -> str:
    if isinstance(term, URIRef):
        return schema_prompt.prefixed_name(str(term))
    return str(term) if is_number(term) else _IRI.sub(lambda match: schema_prompt.prefixed_name(match[1]), term.n3())


def _sample_terms(
    variable: Variable | BNode, patterns: Sequence[_Pattern], schema_prompt: SchemaPrompt, kg: KnowledgeGraph
) -> str:
    name = _term(variable)
    rows = kg.endpoint.untrusted_view().select(
        f"SELECT DISTINCT {name} WHERE {{ {_to_group(patterns)} }} LIMIT {MAX_SAMPLES}"
    )
    return _render_terms((term for row in rows for term in row.values()), schema_prompt)


def _to_group(patterns: Sequence[_Pattern]) -> str:
    return " . ".join(" ".join(map(_term, pattern)) for pattern in patterns)


def _term(term: Any) -> str:
    return f"?blank{term}" if isinstance(term, BNode) else str(term.n3())


def _variables(pattern: _Pattern) -> list[Variable | BNode]:
    return [term for term in pattern if isinstance(term, (Variable, BNode))]


def _render_pattern(pattern: _Pattern, schema_prompt: SchemaPrompt) -> str:
    """Return a triple pattern as the model writes it."""
    numbers = {vertex.iri: f"e:{vertex.number}" for vertex in schema_prompt.vertices}

    def render(term: Any) -> str:
        if term == RDF.type:
            return "a"
        if isinstance(term, URIRef):
            return numbers.get(str(term)) or schema_prompt.prefixed_name(str(term))
        if isinstance(term, Path):
            return _IRI.sub(lambda match: schema_prompt.prefixed_name(match[1]), term.n3())
        return _term(term)[: 2 * _MAX_TERM_CHARACTERS]

    return f"{{ {' '.join(map(render, pattern))} }}"
