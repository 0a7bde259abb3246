"""The triples around an entity, and the predicates at and between terms."""

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
_Raw = tuple[Term, URIRef, Term, Side, int]
_Counts = dict[tuple[Term, str, str], int]
NEAR_ENDS = 100
"""Vertices of the first hop from which the second goes on."""
TOGETHER = 10
"""Vertices whose triples are read in one request."""


def fetch_edges(
    source: CachedReader, entity: URIRef, *, sides: Sequence[Side], hops: int = 1, limit: int = 400
) -> tuple[Edge, ...]:
    """Return the triples around an entity, at most ``limit`` a direction and hop, sorted; none if it has no such IRI.

    Blank nodes at the far end are left out (they cannot be asked on), but counted in the cardinality.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    raw: list[_Raw] = []
    counts: _Counts = {}
    front: list[Term] = [entity] if is_nameable(entity) else []
    seen: set[Term] = {entity}
    for hop in range(1, hops + 1):
        step, found = _hop(source.endpoint, front, sides, limit, hop)
        counts |= found
        raw += [edge for edge in step if hop == 1 or _far(edge) not in seen]
        ends = sorted({far for edge in step if isinstance(far := _far(edge), URIRef) and far not in seen})
        seen.update(ends)
        front = list[Term](end for end in ends if is_nameable(end))[:NEAR_ENDS]
        if not front:
            break
    labels.fetch_labels_and_types(source, [_far(e) for e in raw])
    return tuple(sorted((_edge(e, counts, source.cache) for e in raw), key=_order))


def fetch_edges_by_entity(
    source: CachedReader, entities: Sequence[URIRef], *, sides: Sequence[Side], limit: int = 400
) -> dict[URIRef, tuple[Edge, ...]]:
    """Return, per entity, the triples at one hop around it, as ``edges`` does, in two requests for all of them.

    An entity with more than ``limit`` triples in a direction takes some requests more.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    wanted = list(dict.fromkeys(entities))
    raw: dict[URIRef, list[_Raw]] = {}
    counts: _Counts = {}
    for batch in batches([e for e in wanted if is_nameable(e)], TOGETHER):
        together = _whole(source.endpoint, batch, sides, limit, 1)
        for step, found in [together] if together else [_hop(source.endpoint, [e], sides, limit, 1) for e in batch]:
            counts |= found
            for edge in step:
                raw.setdefault(URIRef(str(_near(edge))), []).append(edge)
    labels.fetch_labels_and_types(source, [_far(edge) for some in raw.values() for edge in some])
    return {
        entity: tuple(sorted((_edge(e, counts, source.cache) for e in raw.get(entity, ())), key=_order))
        for entity in wanted
    }


def _hop(
    endpoint: Endpoint, front: Sequence[Term], sides: Sequence[Side], limit: int, hop: int
) -> tuple[list[_Raw], _Counts]:
    """Read all triples at some vertices at once; where those are too many, give each predicate its share."""
    if not front:
        return [], {}
    if len(front) <= TOGETHER and (whole := _whole(endpoint, front, sides, limit, hop)) is not None:
        return whole
    counted = fetch_predicates(endpoint, front, sides=sides)
    return [edge for side in sides for edge in _step(endpoint, counted, side, limit, hop)], {
        (term, p, side): n for term, found in counted.items() for p, side, n in found
    }


def _whole(
    endpoint: Endpoint, front: Sequence[Term], sides: Sequence[Side], limit: int, hop: int
) -> tuple[list[_Raw], _Counts] | None:
    """Read the triples at a few vertices in one request; None if any has more than the limit in a direction.

    One row more than can be wanted tells that there are more.
    """
    most = limit * len(sides) * len(front)
    rows = endpoint.select(
        f"SELECT ?near ?d ?p ?far WHERE {{ {union_pattern([_all(front, side) for side in sides])} }} LIMIT {most + 1}"
    )
    whole = dict.fromkeys(edge for row in rows if (edge := _raw(row, hop)) is not None)
    sizes = Counter((_near(edge), edge[3]) for edge in whole)
    if len(rows) > most or any(size > limit for size in sizes.values()):
        return None
    counts: Counter[tuple[Term, str, str]] = Counter((_near(edge), str(edge[1]), edge[3]) for edge in whole)
    return [edge for edge in whole if not isinstance(_far(edge), BNode)], counts


def _all(front: Sequence[Term], side: Side) -> str:
    pattern = "?near ?p ?far" if side == "out" else "?far ?p ?near"
    return f'{{ {values_block("near", front)} {pattern} BIND("{side}" AS ?d) }}'


def _raw(row: Row, hop: int) -> _Raw | None:
    near, predicate, far = row.get("near"), row.get("p"), row.get("far")
    if near is None or far is None or not isinstance(predicate, URIRef):
        return None
    return (near, predicate, far, "out", hop) if text_of(row, "d") == "out" else (far, predicate, near, "in", hop)


def _edge(raw: _Raw, counts: _Counts, memory: KGCache) -> Edge:
    subject, predicate, obj, side, hop = raw
    near, far = (subject, obj) if side == "out" else (obj, subject)
    return Edge(
        subject,
        predicate,
        obj,
        side,
        hop,
        label=memory.labels.get(far) or labels.fallback_label(far),
        types=memory.types.get(far, ()),
        cardinality=counts.get((near, str(predicate), side), 1),
    )


def _order(edge: Edge) -> tuple[object, ...]:
    near = edge.subject if edge.direction == "out" else edge.object
    return (edge.hop, edge.direction == "in", str(edge.predicate), *_key(edge.far_end), str(near))


def _step(
    endpoint: Endpoint, counted: Mapping[Term, Sequence[tuple[str, Side, int]]], side: Side, limit: int, hop: int
) -> list[_Raw]:
    """Read the triples at some vertices in one direction, blank far ends left out.

    Where there are more than the limit, each predicate gets its share of it, so that none crowds out the others.
    """
    ways = [(term, p, n) for term, found in counted.items() for p, way, n in found if way == side]
    if not ways:
        return []
    pattern = "?near ?p ?far" if side == "out" else "?far ?p ?near"
    if sum(n for _, _, n in ways) <= limit:
        blocks = [f"{values_block('near', batch)} {pattern} FILTER(!isBlank(?far))" for batch in batches(counted)]
    else:
        share = max(1, limit // len(ways))
        blocks = [
            union_pattern([_share(term, p, side, share) for term, p, _ in batch if is_nameable(URIRef(p))])
            for batch in batches(ways[:limit], 100)
        ]
    found: list[_Raw] = []
    for block in blocks:
        for row in endpoint.select(f"SELECT DISTINCT ?near ?p ?far WHERE {{ {block} }} LIMIT {limit}"):
            near, predicate, far = row["near"], row["p"], row["far"]
            if isinstance(predicate, URIRef) and not isinstance(far, BNode):
                found.append((near, predicate, far, side, hop) if side == "out" else (far, predicate, near, side, hop))
    return found[:limit]


def _share(near: Term, predicate: str, side: Side, limit: int) -> str:
    ends = f"{n3(near)} {format_iri(predicate)} ?far" if side == "out" else f"?far {format_iri(predicate)} {n3(near)}"
    return (
        f"{{ SELECT ?far WHERE {{ {ends} FILTER(!isBlank(?far)) }} LIMIT {limit} }}"
        f" BIND({n3(near)} AS ?near) BIND({format_iri(predicate)} AS ?p)"
    )


def _far(edge: _Raw) -> Term:
    return edge[2] if edge[3] == "out" else edge[0]


def _near(edge: _Raw) -> Term:
    return edge[0] if edge[3] == "out" else edge[2]


def fetch_predicates(
    endpoint: Endpoint, terms: Sequence[Term], *, sides: Sequence[Side] = ("out", "in")
) -> dict[Term, tuple[tuple[str, Side, int], ...]]:
    """Return, per term, the predicates at it with direction and number of triples, in one request per batch.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    found: dict[Term, list[tuple[str, Side, int]]] = {term: [] for term in terms}
    for batch in batches([t for t in found if is_nameable(t)]):
        named = [n3(t) for t in batch if not isinstance(t, Literal)]
        branches = [_counting("?t ?p ?other", "out", named)] if named and "out" in sides else []
        branches += [_counting("?other ?p ?t", "in", [n3(t) for t in batch])] if "in" in sides else []
        for row in endpoint.select(f"SELECT ?t ?p ?d ?n WHERE {{ {union_pattern(branches)} }}") if branches else ():
            if "t" in row and row["t"] in found:
                side: Side = "out" if text_of(row, "d") == "out" else "in"
                found[row["t"]].append((text_of(row, "p"), side, count_of(row, "n")))
    return {term: tuple(sorted(rows, key=lambda r: (r[1] == "in", r[0]))) for term, rows in found.items()}


def _counting(pattern: str, side: Side, named: Sequence[str]) -> str:
    return (
        f'{{ SELECT ?t ?p ("{side}" AS ?d) (COUNT(*) AS ?n) WHERE'
        f" {{ VALUES ?t {{ {' '.join(named)} }} {pattern} }} GROUP BY ?t ?p }}"
    )


def _key(term: Term) -> tuple[str, str, str]:
    if isinstance(term, Literal):
        return (str(term), term.language or "", str(term.datatype or ""))
    return (str(term), "", "")


def sides_of(direction: Direction) -> tuple[Side, ...]:
    """Return the directions that a word stands for."""
    return ("out", "in") if direction == "both" else (direction,)
