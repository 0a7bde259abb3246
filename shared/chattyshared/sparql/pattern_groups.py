"""The triple patterns of a query without what selects among their matches: filters, orders, limits, aggregates.

A graph that keeps every match of each group gives the same result to the whole query as the full graph: filters,
aggregates, and orders see the same solutions, and each negated or optional part finds the same matches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from rdflib import BNode, Literal, Variable
from rdflib.paths import AlternativePath, InvPath, MulPath, Path, SequencePath
from rdflib.plugins.sparql.parserutils import CompValue

from chattyshared.sparql.analysis import (
    AlgebraTriple,
    analyze_query,
    is_rdf_type,
    iterate_nodes,
    parse_algebra,
    parse_query_shape,
    path_iris,
)
from chattyshared.terms import Term, Triple, n3

MAX_GROUPS = 64
"""Groups of one query, which UNIONs and alternative paths multiply."""
_NOT_MONOTONE = frozenset({"Minus", "LeftJoin", "Builtin_NOTEXISTS", "Group"})
_SET_FEATURES = frozenset({"UNION", "MINUS", "NOT EXISTS"})
GraphEdge = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class PatternGroup:
    """Triple patterns that are matched together, and the rows of the VALUES blocks that bind their variables."""

    patterns: tuple[AlgebraTriple, ...] = ()
    bindings: tuple[tuple[Mapping[Variable, Term], ...], ...] = ()

    def joined(self, other: PatternGroup) -> PatternGroup:
        """Return the group of the patterns of both."""
        return PatternGroup((*self.patterns, *other.patterns), (*self.bindings, *other.bindings))

    @property
    def text(self) -> str:
        """The body of a query that binds all variables.

        Raises:
            ValueError: a term cannot be written into a query.
        """
        blocks = [write_values(rows) for rows in self.bindings]
        return " ".join([*blocks, *(f"{' '.join(map(_term_text, triple))} ." for triple in self.patterns)])

    def triples_of(self, row: Mapping[str, Term]) -> Iterator[Triple]:
        """Yield the triples that a solution of ``text`` matches; those within a path of any length are not known."""
        for triple in self.patterns:
            if not isinstance(triple[1], Path):
                ends = tuple(row.get(_name(term)) if isinstance(term, Variable | BNode) else term for term in triple)
                if None not in ends:
                    yield ends  # type: ignore[misc]


@dataclass(slots=True)
class _GroupReader:
    """Reads an algebra; ``extra`` are the groups of negated and optional parts, of subqueries, and of paths."""

    extra: list[PatternGroup] = field(default_factory=list)

    def read(self, node: CompValue) -> list[PatternGroup]:
        """Return the groups whose solutions a part of the query works on."""
        match node.name:
            case "BGP":
                return self._expand(node.triples)
            case "Join":
                return _join(self.read(node.p1), self.read(node.p2))
            case "Union":
                return [*self.read(node.p1), *self.read(node.p2)]
            case "LeftJoin" | "Minus":
                groups = self.read(node.p1)
                self.extra += _join(groups, self.read(node.p2))
                return groups
            case "Filter":
                return self._read_filter(node)
            case "values":
                return [PatternGroup(bindings=(tuple(node.res),))]
            case "ToMultiSet" if node.p.name != "values":
                self.extra += self.read(node.p)
                return [PatternGroup()]
        return self.read(node.p) if isinstance(node.get("p"), CompValue) else [PatternGroup()]

    def _read_filter(self, node: CompValue) -> list[PatternGroup]:
        groups = self.read(node.p)
        for part in iterate_nodes(node.expr):
            if part.name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
                self.extra += _join(groups, self.read(part.graph))  # the attribute: the item is not translated
        return groups

    def _expand(self, triples: list[AlgebraTriple]) -> list[PatternGroup]:
        """Return the groups of a basic graph pattern, with paths of known length as chains of triples."""
        groups = [PatternGroup()]
        for index, triple in enumerate(triples):
            groups = _join(groups, list(self._expand_path(tuple(triple), str(index))))
        return groups

    def _expand_path(self, triple: AlgebraTriple, name: str) -> Iterator[PatternGroup]:
        subject, path, target = triple
        if isinstance(path, InvPath):
            yield from self._expand_path((target, path.arg, subject), name)
        elif isinstance(path, AlternativePath):
            for part in path.args:
                yield from self._expand_path((subject, part, target), name)
        elif isinstance(path, SequencePath):
            nodes = [subject, *(Variable(f"path_{name}_{step}") for step in range(1, len(path.args))), target]
            steps = zip(nodes, path.args, nodes[1:], strict=False)
            parts = [list(self._expand_path(step, f"{name}_{number}")) for number, step in enumerate(steps)]
            for choice in product(*parts):
                yield _join_all(choice)
        else:
            if isinstance(path, MulPath):
                ends = Variable("path_start"), Variable("path_end")
                self.extra += [PatternGroup(((ends[0], iri, ends[1]),)) for iri in path_iris(path)]
            yield PatternGroup((triple,))


def read_pattern_groups(sparql: str) -> tuple[PatternGroup, ...]:
    """Return the groups of a query, each once; none for a text that is no SELECT or ASK query, or has too many."""
    algebra = parse_algebra(sparql)
    if algebra is None:
        return ()
    reader = _GroupReader()
    groups = [*reader.read(algebra.p), *reader.extra]
    distinct = {group.text: group for group in groups if group.patterns}
    return tuple(distinct.values()) if len(distinct) <= MAX_GROUPS else ()


def is_monotone(sparql: str) -> bool:
    """Tell whether a query that gives nothing on a graph gives nothing on any part of it either: it does not negate."""
    return not any(node.name in _NOT_MONOTONE for node in iterate_nodes(parse_algebra(sparql)))


def _join(left: list[PatternGroup], right: list[PatternGroup]) -> list[PatternGroup]:
    return [one.joined(other) for one, other in product(left, right)][: MAX_GROUPS + 1]


def _join_all(groups: tuple[PatternGroup, ...]) -> PatternGroup:
    joined = PatternGroup()
    for group in groups:
        joined = joined.joined(group)
    return joined


def write_values(rows: tuple[Mapping[Variable, Term], ...]) -> str:
    """Return the VALUES block of the rows that bind some variables."""
    names = list(dict.fromkeys(variable for row in rows for variable in row))
    lines = (" ".join(_cell_text(row.get(name)) for name in names) for row in rows)
    return f"VALUES ({' '.join(map(_term_text, names))}) {{ {' '.join(f'({line})' for line in lines)} }}"


def _cell_text(term: Any) -> str:
    return "UNDEF" if term is None or str(term) == "UNDEF" else n3(term)


def _term_text(term: Any) -> str:
    if isinstance(term, Variable | BNode):
        return f"?{_name(term)}"
    return str(term.n3()) if isinstance(term, Path) else n3(term)


def _name(term: Any) -> str:
    return f"blank_{term}" if isinstance(term, BNode) else str(term)


def query_shape(sparql: str) -> str | None:
    """Return the shape of a query; None if it is no SELECT or ASK query of SPARQL 1.1.

    ``having`` restricts groups; ``set`` joins, subtracts or denies patterns. The others are graphs: ``none``, ``single
    edge``, ``chain``, ``star`` (one of two edges has the answer at its center), ``tree``, ``forest`` (in several
    parts), ``cycle``, ``flower`` (acyclic without its center), ``cyclic``. Nodes are variables and IRIs; each literal
    is a node of its own. Statements of a class are no edges.
    """
    parsed = parse_query_shape(sparql)
    if parsed is None:
        return None
    if "HAVING" in parsed.features:
        return "having"
    if _SET_FEATURES & set(parsed.features):
        return "set"
    patterns = [(s, o) for s, p, o in analyze_query(sparql).patterns if not is_rdf_type(p)]
    edges = [(s, (number, o) if isinstance(o, Literal) else o) for number, (s, o) in enumerate(patterns)]
    return _graph_shape(edges, parsed.variables)


def _graph_shape(edges: Sequence[GraphEdge], answers: Collection[str]) -> str:
    if len(edges) < 2:
        return "single edge" if edges else "none"
    degrees = Counter(node for edge in edges for node in edge)
    parts = _count_parts(edges)
    if _is_acyclic(edges):
        centers = [node for node, degree in degrees.items() if degree == len(edges)]
        if parts > 1:
            return "forest"
        if centers and (len(edges) > 2 or str(centers[0]) in answers):
            return "star"
        return "chain" if max(degrees.values()) == 2 else "tree"
    if parts == 1 and set(degrees.values()) == {2}:
        return "cycle"
    has_center = any(_is_acyclic([edge for edge in edges if node not in edge]) for node in degrees)
    return "flower" if parts == 1 and has_center else "cyclic"


def _is_acyclic(edges: Sequence[GraphEdge]) -> bool:
    return len({node for edge in edges for node in edge}) - _count_parts(edges) == len(edges)


def _count_parts(edges: Sequence[GraphEdge]) -> int:
    """Return the number of connected components."""
    parts: list[set[Any]] = []
    for edge in edges:
        touched = [part for part in parts if part & set(edge)]
        parts = [part for part in parts if part not in touched] + [set(edge).union(*touched)]
    return len(parts)
