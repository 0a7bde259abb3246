"""The triples around many entities in few requests, with the labels of their far ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal as Choice

from chattyshared.endpoint import Endpoint
from chattyshared.kg import Edge, KnowledgeGraph
from chattyshared.kg.batches import batches
from chattyshared.terms import Term, n3
from rdflib import BNode, Literal, URIRef

from chattygen.subgraph.relatedness import DirectedEdge

EdgeDirection = Choice["out", "in"]

MAX_ROWS = 4_000
"""Triples: the most that one request reads; a larger result is read again by halves; set by hand."""
OUTGOING_BATCH = 160
"""Entities per request whose outgoing triples are read; set by hand."""
INCOMING_BATCH = 24
"""Entities per request whose incoming triples are read; set by hand."""
MAX_INCOMING = 60
"""Triples: an entity with more incoming ones has none in the result; set by hand."""
MAX_SKIPPED = 120
"""Predicates: the most that a query excludes, to keep it short; set by hand."""


@dataclass(frozen=True, slots=True)
class Neighbourhoods:
    """Triples around entities, and the known labels and classes of their far ends."""

    directed_edges: Mapping[URIRef, tuple[DirectedEdge, ...]] = field(default_factory=dict)
    labels: Mapping[Term, str] = field(default_factory=dict)
    types: Mapping[Term, tuple[str, ...]] = field(default_factory=dict)

    def labelled_edges(self, iri: URIRef) -> tuple[Edge, ...]:
        """Return the triples around an entity whose far ends all have labels; a blank node is only counted."""
        groups: dict[tuple[EdgeDirection, URIRef], list[Term]] = defaultdict(list)
        for direction, predicate, end in self.directed_edges.get(iri, ()):
            groups[direction, predicate].append(end)
        return tuple(self._edges(iri, groups))

    def _edges(self, iri: URIRef, groups: Mapping[tuple[EdgeDirection, URIRef], Sequence[Term]]) -> Iterator[Edge]:
        for (direction, predicate), ends in sorted(groups.items()):
            if any(isinstance(end, URIRef) and end not in self.labels for end in ends):
                continue
            for end in ends:
                if not isinstance(end, BNode):
                    subject, object_ = (iri, end) if direction == "out" else (end, iri)
                    label = str(end) if isinstance(end, Literal) else self.labels[end]
                    yield Edge(subject, predicate, object_, direction, 1, label, self.types.get(end, ()), len(ends))

    def with_labels(self, kg: KnowledgeGraph, terms: Iterable[Term]) -> Neighbourhoods:
        """Return the same triples with the labels and classes of these terms; unknown ones are read in one request."""
        iris = [term for term in dict.fromkeys(terms) if isinstance(term, URIRef)]
        if not iris:
            return self
        kg.prefetch_labels_and_types(iris)
        return Neighbourhoods(
            self.directed_edges, {**self.labels, **kg.labels(iris)}, {**self.types, **kg.types_of(iris)}
        )

    def merge(self, other: Neighbourhoods) -> Neighbourhoods:
        """Return the triples of both; of an entity in both, those of the one that was read in more directions."""
        mine, others = self.directed_edges, other.directed_edges
        return Neighbourhoods(
            {**mine, **{iri: edges for iri, edges in others.items() if len(edges) >= len(mine.get(iri, ()))}},
            {**self.labels, **other.labels},
            {**self.types, **other.types},
        )


def fetch_seed_neighbourhoods(
    endpoint: Endpoint, iris: Sequence[URIRef], *, limit: int, name_predicates: Iterable[str] = ()
) -> tuple[Neighbourhoods, frozenset[URIRef]]:
    """Return the triples around some entities in both directions, and which of the entities share a name with another
    one.

    An entity with more than ``limit`` triples gets one more than the limit. Names are compared by ``name_predicates``.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    allowed = ", ".join(n3(URIRef(name)) for name in sorted(name_predicates) if _is_writable(name))
    parts = [_neighbourhood_pattern(n3(iri), allowed, limit) for iri in iris]
    rows = endpoint.select(f"SELECT DISTINCT ?near ?d ?p ?far WHERE {{ {' UNION '.join(parts)} }}")
    edges: dict[URIRef, list[DirectedEdge]] = {iri: [] for iri in iris}
    ambiguous: set[URIRef] = set()
    for row in rows:
        entity, predicate, direction = row["near"], row["p"], str(row["d"])
        if isinstance(entity, URIRef) and isinstance(predicate, URIRef):
            if direction == "same":
                ambiguous.add(entity)
            else:
                edges[entity].append(("out" if direction == "out" else "in", predicate, row["far"]))
    return Neighbourhoods({iri: _sort_edges(entity_edges) for iri, entity_edges in edges.items()}), frozenset(ambiguous)


def _neighbourhood_pattern(entity: str, allowed: str, limit: int) -> str:
    """Write the pattern for the triples around one entity, and for other entities with its name."""
    namesake_pattern = (
        f"UNION {{ {entity} ?q ?name FILTER(?q IN ({allowed})) ?far ?p ?name FILTER(?p IN ({allowed})) "
        f'FILTER(isIRI(?far) && ?far != {entity}) BIND("same" AS ?d) }} '
    )
    return (
        f'{{ {{ SELECT DISTINCT ?d ?p ?far WHERE {{ {{ {entity} ?p ?far BIND("out" AS ?d) }} UNION '
        f'{{ ?far ?p {entity} BIND("in" AS ?d) }} {namesake_pattern if allowed else ""}}} LIMIT {limit + 2} }} '
        f"BIND({entity} AS ?near) }}"
    )


def fetch_neighbourhoods(
    endpoint: Endpoint,
    outgoing: Sequence[URIRef],
    incoming: Sequence[URIRef],
    *,
    skipped_predicates: Iterable[str] = (),
) -> Neighbourhoods:
    """Return the outgoing triples of some entities and, where they are few, the incoming ones of others, in few
    requests.

    ``skipped_predicates`` are left out. An entity with too many triples has none at all: a part of them would give
    wrong answers.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    skipped = ", ".join(n3(URIRef(iri)) for iri in sorted(skipped_predicates)[:MAX_SKIPPED] if _is_writable(iri))
    predicate_filter = f" FILTER(?p NOT IN ({skipped}))" if skipped else ""
    edges: dict[URIRef, list[DirectedEdge]] = {iri: [] for iri in (*outgoing, *incoming)}
    for outgoing_batch, incoming_batch in zip_longest(
        batches(outgoing, OUTGOING_BATCH), batches(incoming, INCOMING_BATCH), fillvalue=()
    ):
        for entity, edge in _read_edges(endpoint, list(outgoing_batch), list(incoming_batch), predicate_filter):
            edges[entity].append(edge)
    return Neighbourhoods({iri: _sort_edges(entity_edges) for iri, entity_edges in edges.items()})


def _read_edges(
    endpoint: Endpoint, outgoing: Sequence[URIRef], incoming: Sequence[URIRef], predicate_filter: str
) -> Iterator[tuple[URIRef, DirectedEdge]]:
    """Yield edges with their entities; a result that is too large is read again by halves."""
    parts = []
    if outgoing:
        parts.append(
            f'{{ VALUES ?near {{ {" ".join(map(n3, outgoing))} }} ?near ?p ?far BIND("out" AS ?d){predicate_filter} }}'
        )
    for iri in incoming:
        parts.append(
            f"{{ {{ SELECT ?p ?far WHERE {{ ?far ?p {n3(iri)}{predicate_filter} }} LIMIT {MAX_INCOMING + 1} }} "
            f'BIND({n3(iri)} AS ?near) BIND("in" AS ?d) }}'
        )
    if not parts:
        return
    rows = endpoint.select(f"SELECT DISTINCT ?near ?d ?p ?far WHERE {{ {' UNION '.join(parts)} }} LIMIT {MAX_ROWS + 1}")
    if len(rows) > MAX_ROWS:
        if len(outgoing) + len(incoming) > 1:
            yield from _read_edges(
                endpoint, outgoing[: len(outgoing) // 2], incoming[: len(incoming) // 2], predicate_filter
            )
            yield from _read_edges(
                endpoint, outgoing[len(outgoing) // 2 :], incoming[len(incoming) // 2 :], predicate_filter
            )
        return
    incoming_counts = Counter(str(row["near"]) for row in rows if str(row["d"]) == "in")
    for row in rows:
        entity, predicate = row["near"], row["p"]
        if not isinstance(entity, URIRef) or not isinstance(predicate, URIRef):
            continue
        if str(row["d"]) == "out":
            yield entity, ("out", predicate, row["far"])
        elif incoming_counts[str(entity)] <= MAX_INCOMING:
            yield entity, ("in", predicate, row["far"])


def _sort_edges(edges: Iterable[DirectedEdge]) -> tuple[DirectedEdge, ...]:
    return tuple(sorted(edges, key=lambda edge: (edge[0], edge[1], str(edge[2]), repr(edge[2]))))


def _is_writable(iri: str) -> bool:
    try:
        n3(URIRef(iri))
    except ValueError:
        return False
    return True
