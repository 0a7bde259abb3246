"""Head, torso and tail: entities and predicates in three bands by their number of triples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from random import Random
from typing import TypeVar

from rdflib import RDF, URIRef

from chattyshared.errors import EndpointTimeout
from chattyshared.kg import KnowledgeGraph

HEAD, TORSO, TAIL = BANDS = ("head", "torso", "tail")
MAX_COUNTED = 5_000
"""The most entities of a type whose triples are counted; a bigger type is sampled."""
Name = TypeVar("Name", bound=str)


def assign_bands(counts: Mapping[Name, int]) -> dict[Name, str]:
    """Divide names, the most popular first, so that head, torso and tail each hold a third of all triples.

    This follows Sun et al., Head-to-Tail (NAACL 2024). Ties are broken by name.
    """
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    triples_before = [0, *accumulate(counts[name] for name in ordered)]
    total = max(1, triples_before[-1])
    return {name: BANDS[min(2, 3 * before // total)] for name, before in zip(ordered, triples_before, strict=False)}


def fetch_degrees(kg: KnowledgeGraph, type_iri: str, rng: Random) -> dict[URIRef, int]:
    """Return the number of triples of each entity of a type; of a huge type, of a sample.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    try:
        degrees = kg.degrees(type_iri, max_entities=MAX_COUNTED)
    except EndpointTimeout:
        degrees = None
    if degrees is not None:
        return dict(degrees)
    entities = kg.sample_entities(type_iri, rng=rng, limit=MAX_COUNTED)
    predicates = kg.predicates_of(entities)
    return {iri: sum(number for _, _, number in predicates[iri]) for iri in entities}


def entity_bands(kg: KnowledgeGraph, class_of: Mapping[str, str]) -> dict[str, str]:
    """Return the band of each entity among those of its class, from entities with their classes (IRIs).

    Raises:
        EndpointError: the endpoint does not answer.
    """
    bands: dict[str, str] = {}
    for type_iri in sorted({*class_of.values()} - {""}):
        members = [URIRef(iri) for iri, stated in sorted(class_of.items()) if stated == type_iri]
        degrees = fetch_degrees(kg, type_iri, Random(f"bands/{type_iri}"))
        others = kg.predicates_of([iri for iri in members if iri not in degrees])
        degrees |= {URIRef(iri): sum(number for _, _, number in uses) for iri, uses in others.items()}
        assigned = assign_bands(degrees)
        bands |= {str(iri): assigned[iri] for iri in members}
    return bands


def predicate_bands(kg: KnowledgeGraph) -> dict[str, str]:
    """Return the band of each predicate, without those of types, names and metadata."""
    profile = kg.profile
    hidden = {str(RDF.type), *profile.types, *profile.subclasses, *profile.labels, *profile.alt_labels}
    return assign_bands({
        entry.iri: entry.triple_count
        for entry in kg.vocabulary.predicates.values()
        if entry.triple_count and not entry.is_metadata and entry.iri not in hidden
    })  # fmt: skip


def rarest_band(bands: Mapping[str, str], names: Iterable[str]) -> str:
    """Return the band of the least popular of some names; empty if none of them has a band."""
    return max((bands[name] for name in names if name in bands), key=BANDS.index, default="")
