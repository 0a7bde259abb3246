"""Algorithm 2, first half: which entities dialogues are about, drawn by chance, repeatably, each once; or given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

from chattyshared.kg import KnowledgeGraph
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from rdflib import URIRef

from chattygen.options import Options
from chattygen.sampling import popularity
from chattygen.sampling.node_types import NodeType, apportion, type_of_seed
from chattygen.sampling.popularity import BandShares
from chattygen.subgraph.extraction import extract_subgraph
from chattygen.subgraph.naming import Naming
from chattygen.subgraph.predicate_salience import is_writable
from chattygen.subgraph.requirements import check_seed

MAX_TRIES = 10
"""The most seeds that a slot tries in one round."""
SAMPLE = 12
"""How many entities of a type are looked at to see whether it can carry dialogues."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one dialogue: its number in the whole run, its type, and the seeds to try, in order."""

    index: int
    type: str
    candidates: tuple[URIRef, ...]


@dataclass(frozen=True, slots=True)
class SeedPool:
    """The entities of each type that are left to try, in an order that chance made, and, by popularity, their bands."""

    entities: Mapping[str, tuple[URIRef, ...]]
    bands: Mapping[URIRef, str] = field(default_factory=dict)

    def without(self, used: Collection[URIRef]) -> SeedPool:
        """Return the pool without the entities that were tried."""
        return SeedPool(
            {iri: tuple(e for e in some if e not in used) for iri, some in self.entities.items()}, self.bands
        )

    def ordered_by_band(
        self, quotas: Mapping[str, int], accepted: Mapping[str, Counter[str]], shares: BandShares
    ) -> SeedPool:
        """Return the pool in the order in which the slots of the next round shall try it, by their bands.

        ``had`` counts, per type, the bands of the seeds that have become dialogues.
        """
        if not shares:
            return self
        return SeedPool(
            {
                iri: popularity.order_by_band(
                    some, self.bands, popularity.next_bands(quotas.get(iri, 0), accepted[iri], shares)
                )
                for iri, some in self.entities.items()
            },
            self.bands,
        )


def draw_seeds(kg: KnowledgeGraph, types: Sequence[NodeType], options: Options) -> SeedPool:
    """Return, per kept type, its entities in an order that chance makes; an entity stands under one type only.

    With ``options.seeds`` there are those alone, in the order in which they were given.
    """
    taken: set[URIRef] = set()
    drawn: dict[str, tuple[URIRef, ...]] = {}
    bands: dict[URIRef, str] = {}
    for node in sorted((t for t in types if not t.dropped), key=lambda t: (t.count, t.iri)):
        chance = Random(f"{options.seed}/seeds/{node.iri}")
        found: Iterable[URIRef]
        if options.seeds:
            found = [iri for iri in map(URIRef, options.seeds) if type_of_seed(kg, iri) == node.iri]
        elif options.popularity:
            found = by_band = popularity.draw_by_band(kg, node.iri, rng=chance, limit=options.seed_limit)
            bands |= {iri: band for iri, band in by_band.items() if iri not in taken}
        else:
            found = kg.sample_entities(node.iri, rng=chance, limit=options.seed_limit)
        drawn[node.iri] = tuple(iri for iri in found if iri not in taken and is_writable(iri))
        taken.update(drawn[node.iri])
    return SeedPool(drawn, bands)


def assign_slots(
    first_index: int, quotas: Mapping[str, int], pool: Mapping[str, Sequence[URIRef]], limit: int
) -> tuple[Slot, ...]:
    """Lay out the slots of one round: slot k of the n slots of a type tries its candidates k, k+n, k+2n and so on.

    All slots together get at most ``limit`` candidates, each an equal share and at most ``TRIES``; every slot has at
    least one. Which seeds a slot tries does not depend on how other slots fare, so threads cannot change a result. The
    slots of the types take turns, so that a run that is cut short holds all types.
    """
    places = sorted(
        ((number + 0.5) / quota, order, iri, number)
        for order, (iri, quota) in enumerate(quotas.items())
        for number in range(quota)
    )
    share, over = divmod(limit, max(1, len(places)))
    dealt = [
        (iri, tuple(pool.get(iri, ())[number :: quotas[iri]])[: min(MAX_TRIES, share + (place < over))])
        for place, (_, _, iri, number) in enumerate(places)
    ]
    filled = ((iri, candidates) for iri, candidates in dealt if candidates)
    return tuple(Slot(first_index + place, iri, candidates) for place, (iri, candidates) in enumerate(filled))


def remaining_quotas(
    missing: Mapping[str, int], pool: Mapping[str, Sequence[URIRef]], weights: Mapping[str, int]
) -> dict[str, int]:
    """Return how many dialogues each type shall still try to give: its own missing ones as far as entities are left,
    what an exhausted type leaves by share among the types that have entities left."""
    quotas = {iri: min(number, len(pool.get(iri, ()))) for iri, number in missing.items()}
    over = sum(missing.values()) - sum(quotas.values())
    while over > 0:
        able = [iri for iri in weights if len(pool.get(iri, ())) > quotas.get(iri, 0)]
        if not able:
            break
        for iri, more in zip(able, apportion([max(1, weights[iri]) for iri in able], over), strict=True):
            given = min(more, len(pool[iri]) - quotas.get(iri, 0))
            quotas[iri] = quotas.get(iri, 0) + given
            over -= given
    return {iri: number for iri, number in quotas.items() if number}


@dataclass(frozen=True, slots=True)
class SeedPreview:
    """What a look at some entities of a type has shown: why they cannot carry a dialogue (empty: some can), and the
    most usable predicates that one of them has."""

    drop_reason: str
    max_predicates: int


def preview_seeds(
    kg: KnowledgeGraph, node: NodeType, naming: Naming, options: Options, excluded: frozenset[str]
) -> SeedPreview:
    """Look at a sample of the entities of a type, up to the first that can carry a dialogue.

    One that cannot be looked at because of an unexpected exception cannot carry a dialogue.
    """
    chance = Random(f"{options.seed}/sample/{node.iri}")
    found = kg.sample_entities(node.iri, rng=chance, limit=SAMPLE)
    most, failures = 0, []
    for iri in found:
        looked = catch_unexpected(partial(_look_at, kg, iri, node, naming, options, excluded))
        if isinstance(looked, UnexpectedError):
            failures.append(str(looked))
            continue
        predicates, fit = looked
        most = max(most, predicates)
        if fit:
            return SeedPreview("", most)
    why = f"none of {len(found)} sampled entities"
    if failures:
        return SeedPreview(f"{why} can carry a dialogue: unexpected error ({failures[0]})", most)
    if most < options.min_predicates:
        few = f"at most {most} usable predicates, {options.min_predicates} needed"
        return SeedPreview(f"{why} can carry a dialogue: {few}", most)
    return SeedPreview(f"{why} keeps the limits of label and size", most)


def _look_at(
    kg: KnowledgeGraph, iri: URIRef, node: NodeType, naming: Naming, options: Options, hidden: frozenset[str]
) -> tuple[int, bool]:
    """Return how many usable predicates an entity has, and whether it can carry a dialogue."""
    graph = extract_subgraph(
        kg, iri, naming, type_iri=node.iri, limit=options.max_triples, direction=options.direction, excluded=hidden
    )
    return graph.predicate_count, not any(check_seed(kg, graph, (), options))
