"""Popularity stratification: entities of each band of a type, and pools with shares of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

from chattyshared.kg import KnowledgeGraph
from chattyshared.popularity import BANDS, TAIL, assign_bands, fetch_degrees
from rdflib import URIRef

from chattygen.sampling.node_types import apportion

BandShares = Sequence[tuple[str, float]]
"""Bands with their shares (0 to 1)."""


def draw_by_band(kg: KnowledgeGraph, type_iri: str, *, rng: Random, limit: int) -> dict[URIRef, str]:
    """Return up to ``limit`` entities of each band of a type, drawn uniformly within it, with their bands."""
    drawn: dict[URIRef, str] = {}
    by_band: dict[str, list[URIRef]] = {band: [] for band in BANDS}
    for iri, band in assign_bands(fetch_degrees(kg, type_iri, rng)).items():
        by_band[band].append(iri)
    for band, members in by_band.items():
        drawn.update(dict.fromkeys(rng.sample(members, min(limit, len(members))), band))
    return drawn


def order_by_band(pool: Sequence[URIRef], band_of: Mapping[URIRef, str], slots: Sequence[str]) -> tuple[URIRef, ...]:
    """Order a pool so that slot k of n, which tries entities k, k+n, k+2n and so on, finds those of its band.

    If a band is exhausted, the nearest band with entities left replaces it.
    """
    left = {band: [iri for iri in pool if band_of.get(iri, TAIL) == band][::-1] for band in BANDS}
    ordered: list[URIRef] = []
    while slots and any(left.values()):
        band = slots[len(ordered) % len(slots)]
        nearest = sorted(BANDS, key=lambda other: abs(BANDS.index(other) - BANDS.index(band)))
        ordered.append(next(left[other] for other in nearest if left[other]).pop())
    return tuple(ordered)


def next_bands(number: int, accepted: Counter[str], shares: BandShares) -> tuple[str, ...]:
    """Return the bands of the next ``number`` seeds of a type, in mixed order, so that the shares are kept.

    ``accepted`` counts the bands of the seeds so far.
    """
    weights = [round(share * 1_000_000) for _, share in shares]
    totals = dict(zip((band for band, _ in shares), apportion(weights, number + accepted.total()), strict=True))
    missing = {band: max(0, seats - accepted[band]) for band, seats in totals.items()}
    mixed = sorted(((index + 0.5) / seats, band) for band, seats in missing.items() for index in range(seats))
    return tuple(band for _, band in mixed[:number])
