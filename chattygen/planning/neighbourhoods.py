"""The triples around many things in few requests, with the names of what stands at their far ends."""

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

EdgeDirection = Choice["out", "in"]
DirectedEdge = tuple[EdgeDirection, URIRef, Term]
"""One triple as seen from a thing: its direction, the predicate, the far end."""

MAX_ROWS = 4_000
"""The most triples that are read at once."""
OUTGOING_BATCH, INCOMING_BATCH = 160, 24
"""Things whose triples are read in one request."""
MAX_INCOMING = 60
"""A thing to which more triples lead is not asked about backwards."""
_SKIPPED = 120


@dataclass(frozen=True, slots=True)
class Neighbourhoods:
    """Triples around things, and what is known of the names (and classes) of their far ends."""

    directed_edges: Mapping[URIRef, tuple[DirectedEdge, ...]] = field(default_factory=dict)
    labels: Mapping[Term, str] = field(default_factory=dict)
    types: Mapping[Term, tuple[str, ...]] = field(default_factory=dict)

    def labelled_edges(self, iri: URIRef) -> tuple[Edge, ...]:
        """Return the triples around a thing whose far ends are all named; a blank node only counts."""
        groups: dict[tuple[EdgeDirection, URIRef], list[Term]] = defaultdict(list)
        for side, predicate, far in self.directed_edges.get(iri, ()):
            groups[side, predicate].append(far)
        return tuple(self._edges(iri, groups))

    def _edges(self, iri: URIRef, groups: Mapping[tuple[EdgeDirection, URIRef], Sequence[Term]]) -> Iterator[Edge]:
        for (side, predicate), ends in sorted(groups.items()):
            if any(isinstance(end, URIRef) and end not in self.labels for end in ends):
                continue
            for end in ends:
                if not isinstance(end, BNode):
                    subject, goal = (iri, end) if side == "out" else (end, iri)
                    label = str(end) if isinstance(end, Literal) else self.labels[end]
                    yield Edge(subject, predicate, goal, side, 1, label, self.types.get(end, ()), len(ends))

    def with_labels(self, kg: KnowledgeGraph, terms: Iterable[Term]) -> Neighbourhoods:
        """Return the same triples with the names of these terms as well, read in one request if they are not known."""
        wanted = [term for term in dict.fromkeys(terms) if isinstance(term, URIRef)]
        if not wanted:
            return self
        kg.prefetch_labels_and_types(wanted)
        return Neighbourhoods(
            self.directed_edges, {**self.labels, **kg.labels(wanted)}, {**self.types, **kg.types_of(wanted)}
        )

    def merge(self, other: Neighbourhoods) -> Neighbourhoods:
        """Return these and other triples together."""
        return Neighbourhoods(
            {**self.directed_edges, **other.directed_edges},
            {**self.labels, **other.labels},
            {**self.types, **other.types},
        )


def fetch_seed_neighbourhoods(
    endpoint: Endpoint, things: Sequence[URIRef], *, limit: int, name_predicates: Iterable[str] = ()
) -> tuple[Neighbourhoods, frozenset[URIRef]]:
    """Return the triples around some things in both directions, of each one more than the limit where there are more;
    and those of them that share a name with another thing, by one of the predicates that carry names.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    allowed = ", ".join(n3(URIRef(name)) for name in sorted(name_predicates) if _is_writable(name))
    parts = [_around(n3(thing), allowed, limit) for thing in things]
    rows = endpoint.select(f"SELECT DISTINCT ?near ?d ?p ?far WHERE {{ {' UNION '.join(parts)} }}")
    found: dict[URIRef, list[DirectedEdge]] = {thing: [] for thing in things}
    shared: set[URIRef] = set()
    for row in rows:
        near, predicate, side = row["near"], row["p"], str(row["d"])
        if isinstance(near, URIRef) and isinstance(predicate, URIRef):
            if side == "same":
                shared.add(near)
            else:
                found[near].append(("out" if side == "out" else "in", predicate, row["far"]))
    return Neighbourhoods({iri: _sorted(rays) for iri, rays in found.items()}), frozenset(shared)


def _around(here: str, allowed: str, limit: int) -> str:
    """Write the pattern for the triples around one thing, and for others of its name."""
    namesake = (
        f"UNION {{ {here} ?q ?name FILTER(?q IN ({allowed})) ?far ?p ?name FILTER(?p IN ({allowed})) "
        f'FILTER(isIRI(?far) && ?far != {here}) BIND("same" AS ?d) }} '
    )
    return (
        f'{{ {{ SELECT DISTINCT ?d ?p ?far WHERE {{ {{ {here} ?p ?far BIND("out" AS ?d) }} UNION '
        f'{{ ?far ?p {here} BIND("in" AS ?d) }} {namesake if allowed else ""}}} LIMIT {limit + 2} }} '
        f"BIND({here} AS ?near) }}"
    )


def fetch_neighbourhoods(
    endpoint: Endpoint, out: Sequence[URIRef], into: Sequence[URIRef], *, skipped_predicates: Iterable[str] = ()
) -> Neighbourhoods:
    """Return the triples that lead out of some things and, where they are few, into others, in few requests.

    ``skipped`` are predicates that are of no use. A thing with more triples than can be talked about has none at all:
    half a table would make wrong answers.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    useless = ", ".join(n3(URIRef(iri)) for iri in sorted(skipped_predicates)[:_SKIPPED] if _is_writable(iri))
    without = f" FILTER(?p NOT IN ({useless}))" if useless else ""
    found: dict[URIRef, list[DirectedEdge]] = {iri: [] for iri in (*out, *into)}
    for some, others in zip_longest(batches(out, OUTGOING_BATCH), batches(into, INCOMING_BATCH), fillvalue=()):
        for near, ray in _read(endpoint, list(some), list(others), without):
            found[near].append(ray)
    return Neighbourhoods({iri: _sorted(rays) for iri, rays in found.items()})


def _read(
    endpoint: Endpoint, out: Sequence[URIRef], into: Sequence[URIRef], without: str
) -> Iterator[tuple[URIRef, DirectedEdge]]:
    """Yield triples with the things that they stand at; too many at once are read by halves."""
    parts = []
    if out:
        parts.append(f'{{ VALUES ?near {{ {" ".join(map(n3, out))} }} ?near ?p ?far BIND("out" AS ?d){without} }}')
    for thing in into:
        parts.append(
            f"{{ {{ SELECT ?p ?far WHERE {{ ?far ?p {n3(thing)}{without} }} LIMIT {MAX_INCOMING + 1} }} "
            f'BIND({n3(thing)} AS ?near) BIND("in" AS ?d) }}'
        )
    if not parts:
        return
    rows = endpoint.select(f"SELECT DISTINCT ?near ?d ?p ?far WHERE {{ {' UNION '.join(parts)} }} LIMIT {MAX_ROWS + 1}")
    if len(rows) > MAX_ROWS:
        if len(out) + len(into) > 1:
            yield from _read(endpoint, out[: len(out) // 2], into[: len(into) // 2], without)
            yield from _read(endpoint, out[len(out) // 2 :], into[len(into) // 2 :], without)
        return
    led = Counter(str(row["near"]) for row in rows if str(row["d"]) == "in")
    for row in rows:
        near, predicate = row["near"], row["p"]
        if not isinstance(near, URIRef) or not isinstance(predicate, URIRef):
            continue
        if str(row["d"]) == "out":
            yield near, ("out", predicate, row["far"])
        elif led[str(near)] <= MAX_INCOMING:
            yield near, ("in", predicate, row["far"])


def _sorted(rays: Iterable[DirectedEdge]) -> tuple[DirectedEdge, ...]:
    return tuple(sorted(rays, key=lambda ray: (ray[0], ray[1], str(ray[2]), repr(ray[2]))))


def _is_writable(iri: str) -> bool:
    try:
        n3(URIRef(iri))
    except ValueError:
        return False
    return True
