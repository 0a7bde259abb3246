"""Coverage of the knowledge graph by a benchmark: the classes of its seeds, and the predicates that it asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph
from chattyshared.popularity import BANDS, entity_bands, predicate_bands, rarest_band
from chattyshared.sparql.analysis import parse_query_shape
from chattyshared.terms import iri_to_words, local_name
from rdflib import URIRef

from chattygen.options import Options
from chattygen.runs.preparation import choose_types
from chattygen.sampling.node_types import NodeType
from chattygen.stats.distributions import Counts, js_divergence, share
from chattygen.subgraph.predicate_salience import unaskable_predicates


@dataclass(frozen=True, slots=True)
class TypeShare:
    """One class: its number of seeds, and its share of the seeds and of the entities of the KG's types."""

    iri: str
    label: str
    seeds: int
    benchmark: float
    kg: float


@dataclass(frozen=True, slots=True)
class KGCoverage:
    """Coverage of the KG.

    ``types`` compares the seeds with the KG's usable types (those that get dialogues of the generator): ``usable`` is
    their number, ``asked`` that of those with a seed. ``divergence`` is the Jensen-Shannon divergence of the two, in
    bits. ``used`` of the KG's ``askable`` predicates (no types, names, codes, metadata) occur in a query; ``triples``
    is the share of the askable triples that have such a predicate. ``seed_bands`` and ``turn_bands`` count seeds and
    turns (by the rarest predicate of their query) in head, torso and tail; ``band_predicates`` has the used and the
    askable predicates of each.
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
    usable: int = 0
    asked: int = 0
    seed_bands: Counts = Counts()
    turn_bands: Counts = Counts()
    band_predicates: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def measure_kg_coverage(
    kg: KnowledgeGraph, dialogues: Sequence[Dialogue], predicates: Iterable[str], fingerprint: str = ""
) -> KGCoverage:
    """Compare dialogues, and the predicates of their queries, with a KG; ``fingerprint`` is the benchmark's.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    types = [node for node in choose_types(kg, Options()).types if not node.dropped]
    seed_types = _seed_types(kg, dialogues, {node.iri for node in types})
    rows = _type_shares(types, Counts.of(type_iri for _, type_iri in seed_types), kg)
    bands, seed_bands = predicate_bands(kg), entity_bands(kg, dict(seed_types))
    askable = _askable_predicates(kg)
    used = set(predicates) & set(askable)
    shapes = [parse_query_shape(turn.sparql) for dialogue in dialogues for turn in dialogue.turns]
    return KGCoverage(
        kg=kg.name,
        is_same=bool(fingerprint) and kg.is_source(fingerprint),
        types=rows,
        divergence=js_divergence({row.iri: row.benchmark for row in rows}, {row.iri: row.kg for row in rows}),
        askable=len(askable),
        used=len(used),
        predicates=share(len(used), len(askable)),
        triples=share(sum(askable[iri] for iri in used), sum(askable.values())),
        missing=tuple(iri for iri in askable if iri not in used),
        usable=len(types),
        asked=len({node.iri for node in types} & {type_iri for _, type_iri in seed_types}),
        seed_bands=Counts.of(seed_bands[iri] for iri, _ in seed_types),
        turn_bands=Counts.of(filter(None, (rarest_band(bands, shape.predicates) for shape in shapes if shape))),
        band_predicates={
            band: (sum(bands.get(iri) == band for iri in used), sum(bands.get(iri) == band for iri in askable))
            for band in BANDS
        },
    )


def _seed_types(kg: KnowledgeGraph, dialogues: Sequence[Dialogue], types: Collection[str]) -> list[tuple[str, str]]:
    """Return the seeds with their classes; if the file does not state it, one of the KG's types that the seed has."""
    pairs = []
    unknown = {URIRef(dialogue.seed.iri) for dialogue in dialogues if not dialogue.seed.type and dialogue.seed.iri}
    types_by_iri = kg.types_of(unknown) if unknown else {}
    for dialogue in dialogues:
        seed_types = types_by_iri.get(URIRef(dialogue.seed.iri), ())
        type_iri = dialogue.seed.type or next((iri for iri in seed_types if iri in types), next(iter(seed_types), ""))
        if type_iri:
            pairs.append((dialogue.seed.iri, type_iri))
    return pairs


def _type_shares(types: Sequence[NodeType], seeds: Counts, kg: KnowledgeGraph) -> tuple[TypeShare, ...]:
    shares, node_by_iri = seeds.shares(), {node.iri: node for node in types}
    classes = kg.vocabulary.classes
    rows = []
    for iri in dict.fromkeys([*node_by_iri, *seeds]):
        label = (
            node_by_iri[iri].label if iri in node_by_iri else classes[iri].label if iri in classes else type_name(iri)
        )
        rows.append(
            TypeShare(
                iri, label, seeds[iri], shares.get(iri, 0.0), node_by_iri[iri].share if iri in node_by_iri else 0.0
            )
        )
    return tuple(sorted(rows, key=lambda row: (-max(row.kg, row.benchmark), row.label)))


def _askable_predicates(kg: KnowledgeGraph) -> dict[str, int]:
    """Return the predicates that questions may be about, with the number of their triples."""
    unaskable = unaskable_predicates(kg, ())
    return {
        entry.iri: entry.triple_count
        for entry in kg.vocabulary.predicates.values()
        if entry.iri not in unaskable and entry.triple_count
    }


def type_name(iri: str) -> str:
    """Return a readable name of a class whose label is not known."""
    return iri_to_words(iri) if local_name(iri) else iri
