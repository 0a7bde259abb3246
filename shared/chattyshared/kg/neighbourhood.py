"""Neighbourhoods: the triples around entities, and the predicates of terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal as Choice

from rdflib import BNode, Literal, URIRef

from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg import labels
from chattyshared.kg.batches import batches, count_of, format_iri, is_nameable, text_of, union_pattern, values_block
from chattyshared.kg.cache import CachedReader
from chattyshared.kg.vocabulary import Edge
from chattyshared.terms import Term, n3

Side = Choice["out", "in"]
_Triple = tuple[Term, URIRef, Term, Side]
"""Near end, predicate, far end, and whether the near end is the subject."""
_Counts = dict[tuple[Term, str, str], int]
VERTICES_PER_REQUEST = 10
"""The number of vertices whose triples are read in one request."""


def fetch_edges(
    source: CachedReader, entities: Sequence[URIRef], *, sides: Sequence[Side], limit: int = 400
) -> dict[URIRef, tuple[Edge, ...]]:
    """Return the triples around each entity, at most ``limit`` per direction, sorted; two requests for ten entities.

    Triples with a blank node at the far end are left out (they cannot be queried), but counted in the cardinality. An
    entity that a query cannot name has no triples. An entity with more than ``limit`` triples in a direction takes
    additional requests, and each of its predicates gets an equal share.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    triples: list[_Triple] = []
    counts: _Counts = {}
    for batch in batches([e for e in dict.fromkeys(entities) if is_nameable(e)], VERTICES_PER_REQUEST):
        whole = _read_whole(source.endpoint, batch, sides, limit)
        for found, found_counts in [whole] if whole else [_read_one(source.endpoint, e, sides, limit) for e in batch]:
            triples += found
            counts |= found_counts
    labels.fetch_labels_and_types(source, [far for _, _, far, _ in triples])
    edges: dict[URIRef, list[Edge]] = {entity: [] for entity in entities}
    for near, predicate, far, side in triples:
        label, types = source.cache.labels.get(far) or labels.fallback_label(far), source.cache.types.get(far, ())
        subject, target = (near, far) if side == "out" else (far, near)
        count = counts.get((near, str(predicate), side), 1)
        edges[URIRef(str(near))].append(Edge(subject, predicate, target, side, label, types, count))
    return {entity: tuple(sorted(found, key=_edge_sort_key)) for entity, found in edges.items()}


def _read_one(endpoint: Endpoint, entity: URIRef, sides: Sequence[Side], limit: int) -> tuple[list[_Triple], _Counts]:
    """Read the triples of one entity; if these are too many, each predicate gets its share."""
    if whole := _read_whole(endpoint, [entity], sides, limit):
        return whole
    counted = fetch_predicates(endpoint, [entity], sides=sides)[entity]
    triples = []
    for side in sides:
        sizes = {predicate: n for predicate, direction, n in counted if direction == side}
        share, patterns = max(1, limit // max(1, len(sizes))), [_pattern([entity], side)]
        if sum(sizes.values()) > limit:
            nameable = (predicate for predicate in list(sizes)[:limit] if is_nameable(URIRef(predicate)))
            patterns = [
                union_pattern([_share_pattern(entity, predicate, side, share) for predicate in batch])
                for batch in batches(nameable, 100)
            ]
        found = []
        for pattern in patterns if sizes else ():
            query = f"SELECT DISTINCT ?near ?p ?far WHERE {{ {pattern} FILTER(!isBlank(?far)) }} LIMIT {limit}"
            found += [triple for row in endpoint.select(query) if (triple := _to_triple(row, side)) is not None]
        triples += found[:limit]
    return triples, {(entity, predicate, side): n for predicate, side, n in counted}


def _read_whole(
    endpoint: Endpoint, entities: Sequence[URIRef], sides: Sequence[Side], limit: int
) -> tuple[list[_Triple], _Counts] | None:
    """Read the triples of a few entities in one request; None if any has more than the limit in a direction.

    The query asks for one row more than the limit allows, to detect this.
    """
    max_rows = limit * len(sides) * len(entities)
    pattern = union_pattern([f'{{ {_pattern(entities, side)} BIND("{side}" AS ?d) }}' for side in sides])
    rows = endpoint.select(f"SELECT ?near ?d ?p ?far WHERE {{ {pattern} }} LIMIT {max_rows + 1}")
    read = (_to_triple(row, "out" if text_of(row, "d") == "out" else "in") for row in rows)
    triples = dict.fromkeys(triple for triple in read if triple is not None)
    sizes = Counter((near, side) for near, _, _, side in triples)
    if len(rows) > max_rows or any(size > limit for size in sizes.values()):
        return None
    counts: Counter[tuple[Term, str, str]] = Counter((near, str(p), side) for near, p, _, side in triples)
    return [triple for triple in triples if not isinstance(triple[2], BNode)], counts


def _pattern(entities: Sequence[URIRef], side: Side) -> str:
    return f"{values_block('near', entities)} {'?near ?p ?far' if side == 'out' else '?far ?p ?near'}"


def _share_pattern(near: URIRef, predicate: str, side: Side, limit: int) -> str:
    ends = f"{n3(near)} {format_iri(predicate)} ?far" if side == "out" else f"?far {format_iri(predicate)} {n3(near)}"
    return (
        f"{{ SELECT ?far WHERE {{ {ends} FILTER(!isBlank(?far)) }} LIMIT {limit} }}"
        f" BIND({n3(near)} AS ?near) BIND({format_iri(predicate)} AS ?p)"
    )


def _to_triple(row: Row, side: Side) -> _Triple | None:
    near, predicate, far = row.get("near"), row.get("p"), row.get("far")
    return (
        (near, predicate, far, side) if near is not None and far is not None and isinstance(predicate, URIRef) else None
    )


def _edge_sort_key(edge: Edge) -> tuple[object, ...]:
    far = edge.far_end
    of_literal = (far.language or "", str(far.datatype or "")) if isinstance(far, Literal) else ("", "")
    return (edge.direction == "in", str(edge.predicate), str(far), *of_literal)


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
