"""Seed entity sampling (Algorithm 2, first half): the entities that dialogues are about, each drawn once.

They are drawn by type, by bands of popularity within a type, or read from a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from chattyshared.errors import ConfigError
from chattyshared.jsonlines import parse_json
from chattyshared.kg import KnowledgeGraph
from chattyshared.popularity import BANDS, TAIL, assign_bands, fetch_degrees
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from rdflib import URIRef

from chattygen.context.names import Naming
from chattygen.context.predicate_salience import is_writable
from chattygen.context.subgraph import Scope, Subgraph, check_seed, read_subgraphs
from chattygen.options import Options
from chattygen.rejection import SeedRejected
from chattygen.sampling.node_types import NodeType, apportion, type_of_seed

MAX_TRIES = 10
"""The most seeds that a slot tries in one round."""
PREVIEW_STEPS = (0, 1, 4, 12)
"""Entities of a type after which more are read to see whether it can carry dialogues; set by hand."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot for one dialogue: its index in the whole run, the IRI of its type, and the seeds to try, in order."""

    index: int
    type: str
    candidates: tuple[URIRef, ...]


@dataclass(frozen=True, slots=True)
class SeedPool:
    """The entities of each type that are left to try, in random order, and the popularity bands of entities."""

    entities: Mapping[str, tuple[URIRef, ...]]
    bands: Mapping[URIRef, str] = field(default_factory=dict)

    def without(self, used: Collection[URIRef]) -> SeedPool:
        """Return the pool without the entities that were tried."""
        return SeedPool(
            {iri: tuple(e for e in entities if e not in used) for iri, entities in self.entities.items()}, self.bands
        )

    def ordered_by_band(
        self, quotas: Mapping[str, int], accepted: Mapping[str, Counter[str]], shares: BandShares
    ) -> SeedPool:
        """Return the pool in the order in which the slots of the next round try it, by bands.

        ``accepted`` counts, per type, the bands of the seeds that have become dialogues.
        """
        if not shares:
            return self
        return SeedPool(
            {
                iri: order_by_band(entities, self.bands, next_bands(quotas.get(iri, 0), accepted[iri], shares))
                for iri, entities in self.entities.items()
            },
            self.bands,
        )


def draw_seeds(kg: KnowledgeGraph, types: Sequence[NodeType], options: Options) -> SeedPool:
    """Return, per kept type, its entities in random order; an entity belongs to one type only.

    With ``options.seeds`` only these are returned, in their own order.
    """
    taken: set[URIRef] = set()
    drawn: dict[str, tuple[URIRef, ...]] = {}
    bands: dict[URIRef, str] = {}
    for node in sorted((t for t in types if not t.dropped), key=lambda t: (t.count, t.iri)):
        rng = Random(f"{options.seed}/seeds/{node.iri}")
        candidates: Iterable[URIRef]
        if options.seeds:
            candidates = [iri for iri in map(URIRef, options.seeds) if type_of_seed(kg, iri) == node.iri]
        elif options.popularity:
            candidates = by_band = draw_by_band(kg, node.iri, rng=rng, limit=options.seed_limit)
            bands |= {iri: band for iri, band in by_band.items() if iri not in taken}
        else:
            candidates = kg.sample_entities(node.iri, rng=rng, limit=options.seed_limit)
        drawn[node.iri] = tuple(iri for iri in candidates if iri not in taken and is_writable(iri))
        taken.update(drawn[node.iri])
    return SeedPool(drawn, bands)


def assign_slots(
    first_index: int, quotas: Mapping[str, int], pool: Mapping[str, Sequence[URIRef]], limit: int
) -> tuple[Slot, ...]:
    """Return the slots of one round: slot k of the n slots of a type tries its candidates k, k+n, k+2n and so on.

    All slots together get at most ``limit`` candidates, each an equal share and at most ``MAX_TRIES``; every slot has
    at least one. The seeds of a slot do not depend on the outcome of other slots, so threads cannot change a result.
    The slots of the types alternate, so that a run that is cut short holds all types.
    """
    order = sorted(
        ((number + 0.5) / quota, rank, iri, number)
        for rank, (iri, quota) in enumerate(quotas.items())
        for number in range(quota)
    )
    share, rest = divmod(limit, max(1, len(order)))
    assigned = [
        (iri, tuple(pool.get(iri, ())[number :: quotas[iri]])[: min(MAX_TRIES, share + (position < rest))])
        for position, (_, _, iri, number) in enumerate(order)
    ]
    filled = ((iri, candidates) for iri, candidates in assigned if candidates)
    return tuple(Slot(first_index + offset, iri, candidates) for offset, (iri, candidates) in enumerate(filled))


def remaining_quotas(
    missing: Mapping[str, int], pool: Mapping[str, Sequence[URIRef]], weights: Mapping[str, float]
) -> dict[str, int]:
    """Return how many dialogues each type still has to give: its missing ones, as far as it has entities left.

    The other missing dialogues are shared out by weight among the types that have entities left.
    """
    quotas = {iri: min(number, len(pool.get(iri, ()))) for iri, number in missing.items()}
    excess = sum(missing.values()) - sum(quotas.values())
    while excess > 0:
        open_types = [iri for iri in weights if len(pool.get(iri, ())) > quotas.get(iri, 0)]
        if not open_types:
            break
        shares = apportion([max(1, weights[iri]) for iri in open_types], excess)
        for iri, share in zip(open_types, shares, strict=True):
            added = min(share, len(pool[iri]) - quotas.get(iri, 0))
            quotas[iri] = quotas.get(iri, 0) + added
            excess -= added
    return {iri: number for iri, number in quotas.items() if number}


@dataclass(frozen=True, slots=True)
class SeedPreview:
    """What a sample of a type shows.

    ``max_predicates`` are the most usable predicates of an entity, ``suitable`` those of the entities that also keep
    the other limits, in ascending order. ``failure`` is the first unexpected error; ``entities`` counts the sample.
    """

    entities: int
    max_predicates: int
    suitable: tuple[int, ...]
    failure: str = ""

    @property
    def max_suitable(self) -> int:
        """The most usable predicates of an entity that keeps the other limits; 0 if there is none."""
        return max(self.suitable, default=0)

    @property
    def median_suitable(self) -> int:
        """The lower median of the usable predicates of the entities that keep the other limits; 0 if there are none."""
        return self.suitable[(len(self.suitable) - 1) // 2] if self.suitable else 0

    def drop_reason(self, needed: int) -> str:
        """Return why no entity can carry a dialogue with as many predicates as needed; empty if one can."""
        if self.max_suitable >= needed:
            return ""
        why = f"none of {self.entities} sampled entities"
        if self.failure:
            return f"{why} can carry a dialogue: unexpected error ({self.failure})"
        if self.max_predicates < needed:
            few = f"at most {self.max_predicates} usable predicates, {needed} needed"
            return f"{why} can carry a dialogue: {few}"
        return f"{why} keeps the limits of label and size"


def sample_preview(kg: KnowledgeGraph, node: NodeType, options: Options) -> tuple[URIRef, ...]:
    """Return the sampled entities of a type that show whether it can carry dialogues."""
    rng = Random(f"{options.seed}/sample/{node.iri}")
    return kg.sample_entities(node.iri, rng=rng, limit=PREVIEW_STEPS[-1])


def preview_seeds(
    kg: KnowledgeGraph, node: NodeType, naming: Naming, options: Options, excluded: frozenset[str]
) -> SeedPreview:
    """Check a sample of the entities of a type, up to the first that meets all bounds of the options.

    An entity whose check ends in an unexpected exception cannot carry a dialogue.
    """
    entities = sample_preview(kg, node, options)
    most, suitable = 0, list[int]()
    failures = []
    for outcome in _check_entities(kg, entities, node, naming, options, excluded):
        if isinstance(outcome, UnexpectedError):
            failures.append(str(outcome))
            continue
        predicates, is_suitable = outcome
        most = max(most, predicates)
        if is_suitable and predicates:
            suitable.append(predicates)
        if is_suitable and predicates >= options.min_predicates:
            break
    return SeedPreview(len(entities), most, tuple(sorted(suitable)), next(iter(failures), ""))


def _check_entities(  # noqa: PLR0913
    kg: KnowledgeGraph,
    entities: Sequence[URIRef],
    node: NodeType,
    naming: Naming,
    options: Options,
    excluded: frozenset[str],
) -> Iterator[tuple[int, bool] | UnexpectedError]:
    """Yield, for each entity, how many usable predicates it has, and whether it keeps the limits that fit so many.

    The first entities are often enough, so each request reads more than the one before.
    """
    scope = Scope(kg, naming, replace(options, class_bounds=((node.iri, 0),)), excluded)
    for start, end in pairwise(PREVIEW_STEPS):
        batch = [(iri, node.iri) for iri in entities[start:end]]
        read = catch_unexpected(partial(read_subgraphs, scope, batch))
        for iri, type_iri in batch:
            found = read
            if isinstance(read, UnexpectedError):
                found = catch_unexpected(partial(read_subgraphs, scope, [(iri, type_iri)]))
            yield (
                found
                if isinstance(found, UnexpectedError)
                else catch_unexpected(partial(_check_entity, kg, found[iri], node, options))
            )


def _check_entity(
    kg: KnowledgeGraph, found: tuple[Subgraph, Any] | SeedRejected, node: NodeType, options: Options
) -> tuple[int, bool]:
    if isinstance(found, SeedRejected):  # too many triples
        return options.min_predicates, False
    graph = found[0]
    count = graph.own_predicate_count if options.approach == "planned" else graph.predicate_count
    bound = max(1, min(count, options.min_predicates))
    own = replace(options, class_bounds=((node.iri, bound),))
    return max(count, min(1, graph.predicate_count)), not any(check_seed(kg, graph, own))


def read_seeds(path: Path) -> tuple[str, ...]:
    """Return the IRIs of a file, in order and without duplicates.

    A line is an IRI (angle brackets allowed), a JSON string, or a JSON object with the IRI under ``iri`` or ``seed``
    (itself a text, or an object with an ``iri``, as in a benchmark). Empty lines, lines that begin with ``#``, and the
    header of a benchmark are skipped.

    Raises:
        ConfigError: the file cannot be read or names no entity; a line holds no IRI (the message says which).
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    iris: dict[str, None] = {}
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line.startswith("#"):
            continue
        iri = _read_iri(path, number, line)
        if iri:
            iris.setdefault(iri)
    if not iris:
        raise ConfigError(f"{path} names no entity: a line holds an IRI, or JSON with it")
    return tuple(iris)


def _read_iri(path: Path, number: int, line: str) -> str:
    """Return the IRI of a line, or an empty text for the header of a benchmark."""
    value: Any = line
    if line[0] in '{"':
        try:
            value = parse_json(line)
        except ValueError as error:
            raise ConfigError(f"{path}, line {number}: no JSON: {error}") from error
        if isinstance(value, dict) and "benchmark" in value:
            return ""
        while isinstance(value, dict):
            value = value.get("iri", value.get("seed"))
    iri = value.removeprefix("<").removesuffix(">") if isinstance(value, str) else ""
    if ":" not in iri or not is_writable(URIRef(iri)):
        raise ConfigError(f"{path}, line {number}: no IRI: {line[:80]}")
    return iri


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
