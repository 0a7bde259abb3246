"""The triples around entities, and the predicates of terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal as Choice

from rdflib import BNode, Literal, URIRef

from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg import labels
from chattyshared.kg.batches import batches, count_of, format_iri, is_nameable, text_of, union_pattern, values_block
from chattyshared.kg.cache import CachedReader, KGCache
from chattyshared.kg.records import Direction, Edge
from chattyshared.terms import Term, n3

Side = Choice["out", "in"]
_DirectedTriple = tuple[Term, URIRef, Term, Side, int]
_Counts = dict[tuple[Term, str, str], int]
MAX_NEAR_ENDS = 100
"""Vertices of the first hop that are expanded to the second."""
VERTICES_PER_REQUEST = 10
"""The number of vertices whose triples are read in one request."""


def fetch_edges(
    source: CachedReader, entity: URIRef, *, sides: Sequence[Side], hops: int = 1, limit: int = 400
) -> tuple[Edge, ...]:
    """Return the triples around an entity, at most ``limit`` per direction and hop, sorted.

    Triples with a blank node at the far end are left out (they cannot be queried), but counted in the cardinality. An
    entity that a query cannot name has no triples.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    triples: list[_DirectedTriple] = []
    counts: _Counts = {}
    front: list[Term] = [entity] if is_nameable(entity) else []
    visited: set[Term] = {entity}
    for hop in range(1, hops + 1):
        step, step_counts = _read_hop(source.endpoint, front, sides, limit, hop)
        counts |= step_counts
        triples += [edge for edge in step if hop == 1 or _far_end(edge) not in visited]
        ends = sorted({far for edge in step if isinstance(far := _far_end(edge), URIRef) and far not in visited})
        visited.update(ends)
        front = list[Term](end for end in ends if is_nameable(end))[:MAX_NEAR_ENDS]
        if not front:
            break
    labels.fetch_labels_and_types(source, [_far_end(e) for e in triples])
    return tuple(sorted((_to_edge(e, counts, source.cache) for e in triples), key=_edge_sort_key))


def fetch_edges_by_entity(
    source: CachedReader, entities: Sequence[URIRef], *, sides: Sequence[Side], limit: int = 400
) -> dict[URIRef, tuple[Edge, ...]]:
    """Return the triples at one hop around each entity, as ``fetch_edges`` does, in two requests for all of them.

    An entity with more than ``limit`` triples in a direction takes additional requests.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    distinct = list(dict.fromkeys(entities))
    triples_by_entity: dict[URIRef, list[_DirectedTriple]] = {}
    counts: _Counts = {}
    for batch in batches([e for e in distinct if is_nameable(e)], VERTICES_PER_REQUEST):
        whole_batch = _read_whole(source.endpoint, batch, sides, limit, 1)
        for step, step_counts in (
            [whole_batch] if whole_batch else [_read_hop(source.endpoint, [e], sides, limit, 1) for e in batch]
        ):
            counts |= step_counts
            for edge in step:
                triples_by_entity.setdefault(URIRef(str(_near_end(edge))), []).append(edge)
    labels.fetch_labels_and_types(
        source, [_far_end(edge) for triples in triples_by_entity.values() for edge in triples]
    )
    return {
        entity: tuple(
            sorted((_to_edge(e, counts, source.cache) for e in triples_by_entity.get(entity, ())), key=_edge_sort_key)
        )
        for entity in distinct
    }


def _read_hop(
    endpoint: Endpoint, front: Sequence[Term], sides: Sequence[Side], limit: int, hop: int
) -> tuple[list[_DirectedTriple], _Counts]:
    """Read all triples of the vertices at once; if these are too many, each predicate gets its share."""
    if not front:
        return [], {}
    if len(front) <= VERTICES_PER_REQUEST and (whole := _read_whole(endpoint, front, sides, limit, hop)) is not None:
        return whole
    counted = fetch_predicates(endpoint, front, sides=sides)
    return [edge for side in sides for edge in _read_side(endpoint, counted, side, limit, hop)], {
        (term, p, side): n for term, rows in counted.items() for p, side, n in rows
    }


def _read_whole(
    endpoint: Endpoint, front: Sequence[Term], sides: Sequence[Side], limit: int, hop: int
) -> tuple[list[_DirectedTriple], _Counts] | None:
    """Read the triples of a few vertices in one request; None if any has more than the limit in a direction.

    The query asks for one row more than the limit allows, to detect this.
    """
    max_rows = limit * len(sides) * len(front)
    pattern = union_pattern([_side_pattern(front, side) for side in sides])
    rows = endpoint.select(f"SELECT ?near ?d ?p ?far WHERE {{ {pattern} }} LIMIT {max_rows + 1}")
    triples = dict.fromkeys(edge for row in rows if (edge := _to_triple(row, hop)) is not None)
    sizes = Counter((_near_end(edge), edge[3]) for edge in triples)
    if len(rows) > max_rows or any(size > limit for size in sizes.values()):
        return None
    counts: Counter[tuple[Term, str, str]] = Counter((_near_end(edge), str(edge[1]), edge[3]) for edge in triples)
    return [edge for edge in triples if not isinstance(_far_end(edge), BNode)], counts


def _side_pattern(front: Sequence[Term], side: Side) -> str:
    pattern = "?near ?p ?far" if side == "out" else "?far ?p ?near"
    return f'{{ {values_block("near", front)} {pattern} BIND("{side}" AS ?d) }}'


def _to_triple(row: Row, hop: int) -> _DirectedTriple | None:
    near, predicate, far = row.get("near"), row.get("p"), row.get("far")
    if near is None or far is None or not isinstance(predicate, URIRef):
        return None
    return (near, predicate, far, "out", hop) if text_of(row, "d") == "out" else (far, predicate, near, "in", hop)


def _to_edge(raw: _DirectedTriple, counts: _Counts, cache: KGCache) -> Edge:
    subject, predicate, obj, side, hop = raw
    near, far = (subject, obj) if side == "out" else (obj, subject)
    return Edge(
        subject,
        predicate,
        obj,
        side,
        hop,
        label=cache.labels.get(far) or labels.fallback_label(far),
        types=cache.types.get(far, ()),
        cardinality=counts.get((near, str(predicate), side), 1),
    )


def _edge_sort_key(edge: Edge) -> tuple[object, ...]:
    near = edge.subject if edge.direction == "out" else edge.object
    return (edge.hop, edge.direction == "in", str(edge.predicate), *_term_sort_key(edge.far_end), str(near))


def _read_side(
    endpoint: Endpoint, counted: Mapping[Term, Sequence[tuple[str, Side, int]]], side: Side, limit: int, hop: int
) -> list[_DirectedTriple]:
    """Read the triples of the vertices in one direction, without blank far ends.

    If there are more than the limit, each predicate gets an equal share of it.
    """
    predicates = [(term, p, n) for term, triples in counted.items() for p, direction, n in triples if direction == side]
    if not predicates:
        return []
    pattern = "?near ?p ?far" if side == "out" else "?far ?p ?near"
    if sum(n for _, _, n in predicates) <= limit:
        blocks = [f"{values_block('near', batch)} {pattern} FILTER(!isBlank(?far))" for batch in batches(counted)]
    else:
        share_size = max(1, limit // len(predicates))
        blocks = [
            union_pattern([_share_pattern(term, p, side, share_size) for term, p, _ in batch if is_nameable(URIRef(p))])
            for batch in batches(predicates[:limit], 100)
        ]
    triples: list[_DirectedTriple] = []
    for block in blocks:
        for row in endpoint.select(f"SELECT DISTINCT ?near ?p ?far WHERE {{ {block} }} LIMIT {limit}"):
            near, predicate, far = row["near"], row["p"], row["far"]
            if isinstance(predicate, URIRef) and not isinstance(far, BNode):
                triples.append(
                    (near, predicate, far, side, hop) if side == "out" else (far, predicate, near, side, hop)
                )
    return triples[:limit]


def _share_pattern(near: Term, predicate: str, side: Side, limit: int) -> str:
    ends = f"{n3(near)} {format_iri(predicate)} ?far" if side == "out" else f"?far {format_iri(predicate)} {n3(near)}"
    return (
        f"{{ SELECT ?far WHERE {{ {ends} FILTER(!isBlank(?far)) }} LIMIT {limit} }}"
        f" BIND({n3(near)} AS ?near) BIND({format_iri(predicate)} AS ?p)"
    )


def _far_end(edge: _DirectedTriple) -> Term:
    return edge[2] if edge[3] == "out" else edge[0]


def _near_end(edge: _DirectedTriple) -> Term:
    return edge[0] if edge[3] == "out" else edge[2]


def fetch_predicates(
    endpoint: Endpoint, terms: Sequence[Term], *, sides: Sequence[Side] = ("out", "in")
) -> dict[Term, tuple[tuple[str, Side, int], ...]]:
    """Return the predicates of each term, with direction and number of triples, in one request per batch.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    predicates_by_term: dict[Term, list[tuple[str, Side, int]]] = {term: [] for term in terms}
    for batch in batches([t for t in predicates_by_term if is_nameable(t)]):
        subjects = [n3(t) for t in batch if not isinstance(t, Literal)]
        branches = [_count_pattern("?t ?p ?other", "out", subjects)] if subjects and "out" in sides else []
        branches += [_count_pattern("?other ?p ?t", "in", [n3(t) for t in batch])] if "in" in sides else []
        for row in endpoint.select(f"SELECT ?t ?p ?d ?n WHERE {{ {union_pattern(branches)} }}") if branches else ():
            if "t" in row and row["t"] in predicates_by_term:
                side: Side = "out" if text_of(row, "d") == "out" else "in"
                predicates_by_term[row["t"]].append((text_of(row, "p"), side, count_of(row, "n")))
    return {term: tuple(sorted(rows, key=lambda r: (r[1] == "in", r[0]))) for term, rows in predicates_by_term.items()}


def _count_pattern(pattern: str, side: Side, terms: Sequence[str]) -> str:
    return (
        f'{{ SELECT ?t ?p ("{side}" AS ?d) (COUNT(*) AS ?n) WHERE'
        f" {{ VALUES ?t {{ {' '.join(terms)} }} {pattern} }} GROUP BY ?t ?p }}"
    )


def _term_sort_key(term: Term) -> tuple[str, str, str]:
    if isinstance(term, Literal):
        return (str(term), term.language or "", str(term.datatype or ""))
    return (str(term), "", "")


def sides_of(direction: Direction) -> tuple[Side, ...]:
    """Return the single directions of a direction that may be ``both``."""
    return ("out", "in") if direction == "both" else (direction,)
