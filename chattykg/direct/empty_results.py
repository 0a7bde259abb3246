"""Empty-result diagnosis: the triple pattern or the join of a query that matches nothing, with sample terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import is_date, is_number, read_count
from chattyshared.sparql.algebra import QueryGroup, TripleEdge, open_terms, read_query, write_part
from chattyshared.sparql.analysis import iterate_nodes
from chattyshared.terms import Term
from rdflib import RDF, URIRef, Variable
from rdflib.paths import Path
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.direct.schema_prompt import SchemaPrompt

MAX_PATTERNS, MAX_SAMPLES, MAX_VALUES = 8, 2, 5
"""Most triple patterns of a query that is diagnosed, sample terms of each side of a join, and values that a condition
leaves out."""
_MAX_TERM_CHARACTERS = 60
_IRI = re.compile(r"<([^<>]*)>")


@dataclass(frozen=True, slots=True)
class PatternMismatch:
    """Why triple patterns match nothing: each of ``unmatched`` fits nothing by itself, or the last of ``joined`` does
    not join with those before it; with neither, a condition beside them leaves nothing of all ``patterns``.
    """

    unmatched: tuple[TripleEdge, ...] = ()
    joined: tuple[TripleEdge, ...] = ()
    patterns: tuple[TripleEdge, ...] = ()


def find_mismatch(sparql: str, kg: KnowledgeGraph) -> PatternMismatch | None:
    """Return what keeps the triple patterns of a query from matching together; None if that is not known.

    At most two requests. A query with a UNION is not diagnosed.

    Raises:
        EndpointError: the KG cannot be asked, or it takes too long.
    """
    select = read_query(sparql)
    groups = tuple(_required_groups(select.group)) if select else ()
    patterns = _connect([edge for group in groups for edge in group.edges])
    if not 0 < len(patterns) <= MAX_PATTERNS or any(group.unions for group in groups):
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


def explain_empty_result(sparql: str, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> str:
    """Return which triple pattern of a query matches nothing, or joins with nothing ("" if that is not known).

    Two requests, and at most two more for sample terms of both sides of a join, or for the values that a condition
    leaves out. A query with a UNION is not diagnosed.

    Raises:
        EndpointError: the KG cannot be asked; that it takes too long is no error.
    """
    try:
        mismatch = find_mismatch(sparql, kg)
        return _Explainer(schema_prompt, kg).explain(mismatch, sparql) if mismatch is not None else ""
    except QUERY_ERRORS:
        return ""


def _required_groups(group: QueryGroup) -> Iterator[QueryGroup]:
    yield group
    for sub in group.subqueries:
        yield from _required_groups(sub.group)


def _connect(patterns: list[TripleEdge]) -> list[TripleEdge]:
    """Return triple patterns, connected ones in sequence."""
    ordered: list[TripleEdge] = []
    while patterns:
        bound = open_terms(tuple(ordered))
        following = next((each for each in patterns if bound & open_terms(each)), patterns[0])
        patterns.remove(following)
        ordered.append(following)
    return ordered


def _matching_groups(groups: Sequence[Sequence[TripleEdge]], kg: KnowledgeGraph) -> frozenset[int]:
    """Return the indexes of the groups whose patterns match something together; one request."""
    branches = " UNION ".join(
        f"{{ SELECT ({index} AS ?at) WHERE {{ {_to_group(group)} }} LIMIT 1 }}" for index, group in enumerate(groups)
    )
    rows = kg.endpoint.untrusted_view().select(f"SELECT DISTINCT ?at WHERE {{ {branches} }}")
    return frozenset(read_count(row["at"]) for row in rows)


def _to_group(patterns: Sequence[TripleEdge]) -> str:
    return " . ".join(pattern.text for pattern in patterns)


@dataclass(frozen=True, slots=True)
class _Explainer:
    """Tells a mismatch in the names of a prompt."""

    prompt: SchemaPrompt
    kg: KnowledgeGraph

    def explain(self, mismatch: PatternMismatch, sparql: str) -> str:
        if mismatch.unmatched:
            return f"By itself, nothing fits {' or '.join(map(self._pattern, mismatch.unmatched[:3]))}."
        if not mismatch.joined:
            try:
                values = self._filtered(sparql, mismatch.patterns)
            except QUERY_ERRORS:
                values = ""
            return f"The triple patterns fit together; a condition beside them leaves nothing{values}."
        here, earlier = mismatch.joined[-1], mismatch.joined[:-1]
        shared = [(other, term) for term in _open_ends(here) for other in earlier if term in open_terms(other)]
        if not shared:
            return f"{self._pattern(here)} and the other patterns do not stand together."
        other, term = shared[0]
        first, second = (self._samples(term, group) for group in ([here], earlier))
        sentence = f"{self._pattern(here)} does not join with {self._pattern(other)}"
        return f"{sentence}: {write_part(term)} is such as {first} in the first, {second} in the second."

    def _filtered(self, sparql: str, patterns: Sequence[TripleEdge]) -> str:
        """Return what stands in the first variable that a filter compares: the frequent values, or their ends."""
        select, bound = read_query(sparql), open_terms(tuple(patterns))
        filters = [each for group in _required_groups(select.group) for each in group.filters] if select else []
        sides = (node.expr for node in iterate_nodes(filters) if node.name == "RelationalExpression")
        variable = next((each for side in sides for each in _variables_of(side) if each in bound), None)
        if variable is None:
            return ""
        name, group, endpoint = variable.n3(), _to_group(patterns), self.kg.endpoint.untrusted_view()
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
        return f"; {name} is {'' if len(values) < MAX_VALUES else 'such as '}{self._terms(values)}"

    def _samples(self, term: Any, patterns: Sequence[TripleEdge]) -> str:
        rows = self.kg.endpoint.untrusted_view().select(
            f"SELECT DISTINCT {write_part(term)} WHERE {{ {_to_group(patterns)} }} LIMIT {MAX_SAMPLES}"
        )
        return self._terms(value for row in rows for value in row.values())

    def _terms(self, terms: Iterable[Term]) -> str:
        texts = (str(each) if is_number(each) else self._name(each) for each in terms)
        return ", ".join(text[:_MAX_TERM_CHARACTERS] for text in texts)

    def _pattern(self, pattern: TripleEdge) -> str:
        """Return a triple pattern as the model writes it."""
        parts = (pattern.subject, pattern.predicate, pattern.object)
        return f"{{ {' '.join('a' if part == RDF.type else self._name(part, is_listed=True) for part in parts)} }}"

    def _name(self, part: Any, *, is_listed: bool = False) -> str:
        if isinstance(part, URIRef):
            return self.prompt.query_name(str(part)) if is_listed else self.prompt.prefixed_name(str(part))
        text = _IRI.sub(lambda match: self.prompt.prefixed_name(match[1]), write_part(part))
        return text if isinstance(part, Path) else text[: 2 * _MAX_TERM_CHARACTERS]


def _open_ends(pattern: TripleEdge) -> list[Any]:
    return [part for part in (pattern.subject, pattern.predicate, pattern.object) if part in open_terms(pattern)]


def _variables_of(expression: Any) -> Iterator[Variable]:
    """Yield the variables of an expression, without those of a pattern in it."""
    if isinstance(expression, Variable):
        yield expression
    elif isinstance(expression, CompValue) and expression.name.startswith("Builtin_"):
        yield from (v for key, part in expression.items() if key != "graph" for v in _variables_of(part))
