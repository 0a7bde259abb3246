"""How a benchmark stands to its knowledge graph: whose entities it is about, and which predicates it asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import iri_to_words, local_name
from rdflib import URIRef

from chattygen.options import Options
from chattygen.sampling import node_types
from chattygen.sampling.node_types import NodeType
from chattygen.stats.distributions import Counts, js_divergence, share
from chattygen.subgraph.predicate_salience import unaskable_predicates


@dataclass(frozen=True, slots=True)
class TypeShare:
    """One class: how many seeds it has, and its share of the seeds and of the entities of the KG's types."""

    iri: str
    label: str
    seeds: int
    benchmark: float
    kg: float


@dataclass(frozen=True, slots=True)
class KGCoverage:
    """How a benchmark stands to the KG.

    ``types`` compares the seeds with the KG's representative types (metadata, rare and shadowed types left out, as in
    the generator); ``divergence`` is the Jensen-Shannon divergence of the two, in bits. ``used`` of the KG's
    ``askable`` predicates (no types, names, codes, metadata) occur in a query; ``triples`` is the share of the askable
    triples that have such a predicate.
    """

    kg: str
    is_same: bool
    types: tuple[TypeShare, ...]
    divergence: float
    askable: int
    used: int
    predicates: float | None
    triples: float | None
    missing: tuple[str, ...]


def measure_kg_coverage(
    kg: KnowledgeGraph, dialogues: Sequence[Dialogue], predicates: Iterable[str], fingerprint: str = ""
) -> KGCoverage:
    """Compare dialogues, and the predicates of their queries, with a KG; ``fingerprint`` is the benchmark's.

    Raises:
        EndpointError: the endpoint cannot be asked.
    """
    types = [node for node in node_types.select_types(kg, Options()) if not node.dropped]
    rows = _rows(types, Counts.of(_seed_types(kg, dialogues, {node.iri for node in types})), kg)
    asked = _askable(kg)
    used = set(predicates) & set(asked)
    return KGCoverage(
        kg=kg.name,
        is_same=fingerprint == kg.fingerprint(),
        types=rows,
        divergence=js_divergence({row.iri: row.benchmark for row in rows}, {row.iri: row.kg for row in rows}),
        askable=len(asked),
        used=len(used),
        predicates=share(len(used), len(asked)),
        triples=share(sum(asked[iri] for iri in used), sum(asked.values())),
        missing=tuple(iri for iri in asked if iri not in used),
    )


def _seed_types(kg: KnowledgeGraph, dialogues: Sequence[Dialogue], types: Collection[str]) -> Iterator[str]:
    """Yield the class of each seed; where the file does not state it, one of the KG's types that it has there."""
    unknown = {URIRef(dialogue.seed.iri) for dialogue in dialogues if not dialogue.seed.type and dialogue.seed.iri}
    found = kg.types_of(unknown) if unknown else {}
    for dialogue in dialogues:
        own = found.get(URIRef(dialogue.seed.iri), ())
        stated = dialogue.seed.type or next((iri for iri in own if iri in types), next(iter(own), ""))
        if stated:
            yield stated


def _rows(types: Sequence[NodeType], seeds: Counts, kg: KnowledgeGraph) -> tuple[TypeShare, ...]:
    shares, kept = seeds.shares(), {node.iri: node for node in types}
    known = kg.vocabulary.classes
    rows = []
    for iri in dict.fromkeys([*kept, *seeds]):
        label = kept[iri].label if iri in kept else known[iri].label if iri in known else type_name(iri)
        rows.append(TypeShare(iri, label, seeds[iri], shares.get(iri, 0.0), kept[iri].share if iri in kept else 0.0))
    return tuple(sorted(rows, key=lambda row: (-max(row.kg, row.benchmark), row.label)))


def _askable(kg: KnowledgeGraph) -> dict[str, int]:
    """Return the predicates that questions may be about, with the number of their triples, most used first."""
    hidden = unaskable_predicates(kg, ())
    return {
        entry.iri: entry.triple_count
        for entry in kg.vocabulary.predicates.values()
        if entry.iri not in hidden and entry.triple_count
    }


def type_name(iri: str) -> str:
    """Return a class's name for people, where its label is not known."""
    return iri_to_words(iri) if local_name(iri) else iri
