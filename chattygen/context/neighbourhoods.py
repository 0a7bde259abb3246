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
from chattyshared.kg.metadata_terms import page_filter
from chattyshared.terms import Term, is_writable, n3
from rdflib import BNode, Literal, URIRef

EdgeDirection = Choice["out", "in"]
Relations = Mapping[tuple[EdgeDirection, URIRef], tuple[Term, ...]]
"""The far ends of the triples around one entity, by direction and predicate."""

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
_COLUMNS = "SELECT DISTINCT ?near ?d ?p ?far"


@dataclass(slots=True)
class Neighbourhoods:
    """Triples around entities by their relations, and the known labels and classes of far ends; a reader adds to it."""

    relations: dict[URIRef, Relations] = field(default_factory=dict)
    labels: dict[Term, str] = field(default_factory=dict)
    types: dict[Term, tuple[str, ...]] = field(default_factory=dict)

    def ends(self, iri: URIRef, direction: EdgeDirection, predicate: str) -> tuple[Term, ...]:
        """Return the far ends of an entity's triples with a predicate."""
        return self.relations.get(iri, {}).get((direction, URIRef(predicate)), ())

    def all_ends(self, iri: URIRef) -> tuple[URIRef, ...]:
        """Return the entities around an entity."""
        groups = self.relations.get(iri, {}).values()
        return tuple(end for ends in groups for end in ends if isinstance(end, URIRef))

    def are_linked(self, one: Term, other: Term) -> bool:
        """Tell whether a triple that was read links two terms."""
        pairs = ((near, far) for near, far in ((one, other), (other, one)) if isinstance(near, URIRef))
        return any(far in ends for near, far in pairs for ends in self.relations.get(near, {}).values())

    def edges(self, iri: URIRef) -> tuple[Edge, ...]:
        """Return the triples around an entity whose far ends all have labels; a blank node is only counted."""
        found: list[Edge] = []
        for (direction, predicate), ends in self.relations.get(iri, {}).items():
            if any(isinstance(end, URIRef) and end not in self.labels for end in ends):
                continue
            for end in ends:
                if not isinstance(end, BNode):
                    subject, object_ = (iri, end) if direction == "out" else (end, iri)
                    label = str(end) if isinstance(end, Literal) else self.labels[end]
                    types = self.types.get(end, ())
                    found.append(Edge(subject, predicate, object_, direction, label, types, len(ends)))
        return tuple(found)

    def _add(self, kg: KnowledgeGraph, wish: Wish, read: Mapping[URIRef, Relations]) -> None:
        """Add what was wished for; of an entity that is known, the triples that are more."""
        for iri in dict.fromkeys((*wish.outgoing, *wish.incoming)):
            directions = ("out", "in") if iri in wish.incoming else ("out",)
            found = {relation: ends for relation, ends in read.get(iri, {}).items() if relation[0] in directions}
            if iri in read and _size(found) >= _size(self.relations.get(iri, {})):
                self.relations[iri] = found
        self.labels.update(kg.labels(wish.labels) if wish.labels else {})
        self.types.update(kg.types_of(wish.labels) if wish.labels else {})


@dataclass(frozen=True, slots=True)
class Wish:
    """What a reader needs next about one seed: the outgoing and the incoming triples of some entities, and the labels
    and classes of some."""

    outgoing: Sequence[URIRef] = ()
    incoming: Sequence[URIRef] = ()
    labels: Sequence[URIRef] = ()


def read_together(
    kg: KnowledgeGraph, readers: Sequence[tuple[Neighbourhoods, Iterator[Wish]]], skipped: Iterable[str] = ()
) -> None:
    """Run readers side by side: the next wishes of all are read in few requests, and each reader learns its own only.

    Triples with ``skipped`` predicates are left out.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    for wishes in zip(*(reader for _, reader in readers), strict=True):
        outgoing = list(dict.fromkeys(iri for wish in wishes for iri in wish.outgoing))
        incoming = list(dict.fromkeys(iri for wish in wishes for iri in wish.incoming))
        read = fetch_relations(kg.endpoint, outgoing, incoming, skipped_predicates=skipped)
        kg.prefetch_labels_and_types(iri for wish in wishes for iri in wish.labels)
        for (around, _), wish in zip(readers, wishes, strict=True):
            around._add(kg, wish, read)


def _size(relations: Relations) -> int:
    return sum(map(len, relations.values()))


def fetch_whole(
    kg: KnowledgeGraph, iris: Sequence[URIRef], *, limit: int, name_predicates: Iterable[str] = ()
) -> tuple[dict[URIRef, Relations], frozenset[URIRef]]:
    """Return the triples around some entities in both directions, and which of the entities share a name with another
    one, in one request.

    An entity with more than ``limit`` triples gets one more than the limit. Names are compared by ``name_predicates``.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    names = ", ".join(n3(URIRef(name)) for name in sorted(name_predicates) if is_writable(name))
    parts, no_page = [], page_filter(kg.profile, "?far")
    for entity in map(n3, iris):
        namesakes = (
            f"UNION {{ {entity} ?q ?name FILTER(?q IN ({names})) ?far ?p ?name FILTER(?p IN ({names})) "
            f'FILTER(isIRI(?far) && ?far != {entity}) {no_page} BIND("same" AS ?d) }} '
        )
        parts.append(
            f'{{ {{ SELECT DISTINCT ?d ?p ?far WHERE {{ {{ {entity} ?p ?far BIND("out" AS ?d) }} UNION '
            f'{{ ?far ?p {entity} BIND("in" AS ?d) }} {namesakes if names else ""}}} LIMIT {limit + 2} }} '
            f"BIND({entity} AS ?near) }}"
        )
    rows = kg.endpoint.select(f"{_COLUMNS} WHERE {{ {' UNION '.join(parts)} }}") if parts else []
    shared = {URIRef(str(row["near"])) for row in rows if str(row["d"]) == "same"}
    return _group(iris, (row for row in rows if str(row["d"]) != "same")), frozenset(shared)


def fetch_relations(
    endpoint: Endpoint,
    outgoing: Sequence[URIRef],
    incoming: Sequence[URIRef] = (),
    *,
    skipped_predicates: Iterable[str] = (),
) -> dict[URIRef, Relations]:
    """Return the outgoing triples of some entities and, where they are few, the incoming ones of others, in few
    requests.

    ``skipped_predicates`` are left out. An entity with too many triples has none at all: a part of them would give
    wrong answers.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    skipped = ", ".join(n3(URIRef(iri)) for iri in sorted(skipped_predicates)[:MAX_SKIPPED] if is_writable(iri))
    predicate_filter = f" FILTER(?p NOT IN ({skipped}))" if skipped else ""
    pairs = zip_longest(batches(outgoing, OUTGOING_BATCH), batches(incoming, INCOMING_BATCH), fillvalue=())
    rows = [row for out, into in pairs for row in _read_rows(endpoint, list(out), list(into), predicate_filter)]
    return _group((*outgoing, *incoming), rows)


def _read_rows(
    endpoint: Endpoint, outgoing: Sequence[URIRef], incoming: Sequence[URIRef], predicate_filter: str
) -> Iterator[Mapping[str, Term]]:
    """Yield one row for each triple; a result that is too large is read again by halves."""
    parts = [
        f"{{ {{ SELECT ?p ?far WHERE {{ ?far ?p {n3(iri)}{predicate_filter} }} LIMIT {MAX_INCOMING + 1} }} "
        f'BIND({n3(iri)} AS ?near) BIND("in" AS ?d) }}'
        for iri in incoming
    ]
    if outgoing:
        near = " ".join(map(n3, outgoing))
        parts.insert(0, f'{{ VALUES ?near {{ {near} }} ?near ?p ?far BIND("out" AS ?d){predicate_filter} }}')
    rows = endpoint.select(f"{_COLUMNS} WHERE {{ {' UNION '.join(parts)} }} LIMIT {MAX_ROWS + 1}") if parts else ()
    if len(rows) <= MAX_ROWS:
        counts = Counter(row["near"] for row in rows if str(row["d"]) == "in")
        yield from (row for row in rows if str(row["d"]) == "out" or counts[row["near"]] <= MAX_INCOMING)
    elif outgoing and incoming:
        yield from _read_rows(endpoint, outgoing, [], predicate_filter)
        yield from _read_rows(endpoint, [], incoming, predicate_filter)
    elif len(entities := outgoing or incoming) > 1:
        for half in (entities[: len(entities) // 2], entities[len(entities) // 2 :]):
            yield from _read_rows(endpoint, *((half, []) if outgoing else ([], half)), predicate_filter)


def _group(iris: Iterable[URIRef], rows: Iterable[Mapping[str, Term]]) -> dict[URIRef, Relations]:
    """Return the far ends by entity and relation, sorted."""
    grouped: dict[URIRef, dict[tuple[EdgeDirection, URIRef], list[Term]]] = {iri: defaultdict(list) for iri in iris}
    for row in rows:
        near, predicate = row["near"], row["p"]
        if isinstance(near, URIRef) and isinstance(predicate, URIRef):
            grouped[near]["out" if str(row["d"]) == "out" else "in", predicate].append(row["far"])
    return {
        iri: {
            relation: tuple(sorted(ends, key=lambda end: (str(end), repr(end))))
            for relation, ends in sorted(of.items())
        }
        for iri, of in grouped.items()
    }
