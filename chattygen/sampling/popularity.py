"""Seeds by popularity: how often the KG speaks of an entity, in three bands; and pools that keep to shares of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from random import Random

from chattyshared.errors import EndpointTimeout
from chattyshared.kg import KnowledgeGraph
from rdflib import URIRef

from chattygen.sampling.node_types import apportion

HEAD, TORSO, TAIL = BANDS = ("head", "torso", "tail")
SAMPLE = 5_000
"""Up to so many entities of a type are counted all, in one request; of more, so many drawn by chance."""
BandShares = Sequence[tuple[str, float]]


def draw_by_band(kg: KnowledgeGraph, type_iri: str, *, rng: Random, limit: int) -> dict[URIRef, str]:
    """Return up to ``limit`` entities of each band of a type, drawn uniformly within it, with their bands."""
    drawn: dict[URIRef, str] = {}
    by_band: dict[str, list[URIRef]] = {band: [] for band in BANDS}
    for iri, band in assign_bands(fetch_degrees(kg, type_iri, rng)).items():
        by_band[band].append(iri)
    for band, members in by_band.items():
        drawn.update(dict.fromkeys(rng.sample(members, min(limit, len(members))), band))
    return drawn


def fetch_degrees(kg: KnowledgeGraph, type_iri: str, rng: Random) -> dict[URIRef, int]:
    """Return the number of triples at each entity of a type; of a huge type, at those of a sample.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    try:
        counted = kg.degrees(type_iri, max_entities=SAMPLE)
    except EndpointTimeout:
        counted = None
    if counted is not None:
        return dict(counted)
    some = kg.sample_entities(type_iri, rng=rng, limit=SAMPLE)
    used = kg.predicates_of(some)
    return {iri: sum(number for _, _, number in used[iri]) for iri in some}


def assign_bands(counts: Mapping[URIRef, int]) -> dict[URIRef, str]:
    """Part entities, the most popular first, so that head, torso and tail hold a third of all triples each.

    So do Sun et al., Head-to-Tail (NAACL 2024). Equal ones go by their IRIs.
    """
    ordered = sorted(counts, key=lambda iri: (-counts[iri], iri))
    before = [0, *accumulate(counts[iri] for iri in ordered)]
    total = max(1, before[-1])
    return {iri: BANDS[min(2, 3 * done // total)] for iri, done in zip(ordered, before, strict=False)}


def order_by_band(pool: Sequence[URIRef], band_of: Mapping[URIRef, str], slots: Sequence[str]) -> tuple[URIRef, ...]:
    """Order a pool so that slot k of n, which tries entities k, k+n, k+2n and so on, finds those of its band.

    Where a band has none left, the nearest other band that has some helps out.
    """
    left = {band: [iri for iri in pool if band_of.get(iri, TAIL) == band][::-1] for band in BANDS}
    ordered: list[URIRef] = []
    while slots and any(left.values()):
        band = slots[len(ordered) % len(slots)]
        near = sorted(BANDS, key=lambda other: abs(BANDS.index(other) - BANDS.index(band)))
        ordered.append(next(left[other] for other in near if left[other]).pop())
    return tuple(ordered)


def next_bands(number: int, accepted: Counter[str], shares: BandShares) -> tuple[str, ...]:
    """Return the bands of the next ``number`` seeds of a type, given those that it has had, so as to keep the shares.

    They stand mixed, not one band after the other.
    """
    weights = [round(share * 1_000_000) for _, share in shares]
    whole = dict(zip((band for band, _ in shares), apportion(weights, number + accepted.total()), strict=True))
    lacking = {band: max(0, seats - accepted[band]) for band, seats in whole.items()}
    mixed = sorted(((place + 0.5) / seats, band) for band, seats in lacking.items() for place in range(seats))
    return tuple(band for _, band in mixed[:number])
