"""The shape of a query: that of the graph whose edges are its triple patterns (Bonifati et al. 2017; Maestro)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from rdflib import Literal

from chattyshared.sparql.analysis import analyze_query, is_rdf_type, parse_query_shape

_SET_FEATURES = frozenset({"UNION", "MINUS", "NOT EXISTS"})
GraphEdge = tuple[Any, Any]


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
