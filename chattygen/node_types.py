"""Algorithm 1: the representative types of a KG and how many dialogues each of them gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import n3
from rdflib import URIRef

from chattygen.options import Options


@dataclass(frozen=True, slots=True)
class NodeType:
    """One class: entities, share of all kept entities, dialogues to make, and why it was dropped (empty: kept)."""

    iri: str
    label: str
    count: int
    share: float = 0.0
    quota: int = 0
    dropped: str = ""


def select(kg: KnowledgeGraph, options: Options) -> tuple[NodeType, ...]:
    """Return every type of the KG with its count, share and quota, or why it was dropped; quotas sum to the dialogues.

    All quotas are 0 only if every type was dropped.
    """
    found = tuple(NodeType(t.iri, t.label, t.count) for t in kg.types() if t.count)
    found = drop_metadata(found, kg)
    found = drop_rare(found, options.rare)
    found = drop_shadowed(found, overlaps(kg, found), kg.vocabulary.subclasses, options.shadow)
    return allot(found, options.dialogues)


def drop_barren(types: Sequence[NodeType], barren: Mapping[str, str], dialogues: int) -> tuple[NodeType, ...]:
    """Drop the types whose entities cannot carry a dialogue (reason by IRI), and share their quota out anew."""
    kept = (
        replace(t, dropped=barren[t.iri], share=0.0, quota=0) if t.iri in barren and not t.dropped else t for t in types
    )
    return allot(tuple(kept), dialogues)


def drop_metadata(types: Sequence[NodeType], kg: KnowledgeGraph) -> tuple[NodeType, ...]:
    """Drop classes that describe the KG itself and not its subject."""
    hidden = set(kg.profile.metadata_classes) | {c.iri for c in kg.vocabulary.classes.values() if c.metadata}
    return tuple(replace(t, dropped="metadata") if t.iri in hidden else t for t in types)


def drop_rare(types: Sequence[NodeType], threshold: float) -> tuple[NodeType, ...]:
    """Drop types whose share of all entities is below the threshold."""
    total = sum(t.count for t in types if not t.dropped)
    return tuple(
        replace(t, dropped=f"rare: {t.count / total:.2%} of the entities, below {threshold:.0%}")
        if not t.dropped and t.count / total < threshold
        else t
        for t in types
    )


def drop_shadowed(
    types: Sequence[NodeType],
    both: Mapping[tuple[str, str], int],
    subclasses: Callable[[str], frozenset[str]],
    threshold: float,
) -> tuple[NodeType, ...]:
    """Drop parents nearly all of whose entities are the child's as well: overlap / parent above the threshold.

    Of two types that shadow each other one stays: the subclass, else the one with fewer entities.
    """
    kept = {t.iri: t for t in types if not t.dropped}
    gone: dict[str, str] = {}
    for (one, other), overlap in sorted(both.items()):
        for parent, child in ((one, other), (other, one)):
            if parent in gone or child in gone or overlap <= threshold * kept[parent].count:
                continue
            mutual = overlap > threshold * kept[child].count
            if mutual and _goes_first(kept[child], kept[parent], subclasses):
                continue
            if not mutual and child not in subclasses(parent) and kept[child].count < kept[parent].count:
                continue
            gone[parent] = f"shadowed by {kept[child].label}: {overlap / kept[parent].count:.1%} of its entities"
    return tuple(replace(t, dropped=gone[t.iri]) if t.iri in gone else t for t in types)


def _goes_first(one: NodeType, other: NodeType, subclasses: Callable[[str], frozenset[str]]) -> bool:
    """Tell which of two equal types is dropped: the superclass, else the bigger, else the later by name."""
    above, below = other.iri in subclasses(one.iri), one.iri in subclasses(other.iri)
    if above != below:
        return above
    return (one.count, one.iri) > (other.count, other.iri)


def overlaps(kg: KnowledgeGraph, types: Sequence[NodeType]) -> dict[tuple[str, str], int]:
    """Count, in one request, the entities that two kept types share, for pairs that could shadow each other."""
    kept = [t for t in types if not t.dropped]
    pairs = [(a.iri, b.iri) for a, b in combinations(sorted(kept, key=lambda t: t.iri), 2) if _could_shadow(kg, a, b)]
    if not pairs:
        return {}
    rows = " ".join(f"({n3(URIRef(a))} {n3(URIRef(b))})" for a, b in pairs)
    query = (
        f"SELECT ?a ?b (COUNT(DISTINCT ?s) AS ?n) WHERE {{ VALUES (?a ?b) {{ {rows} }} ?s a ?a . ?s a ?b . }} "
        "GROUP BY ?a ?b"
    )
    return {(str(r["a"]), str(r["b"])): int(str(r["n"])) for r in kg.endpoint.select(query) if "a" in r}


def _could_shadow(kg: KnowledgeGraph, one: NodeType, other: NodeType) -> bool:
    related = other.iri in kg.vocabulary.superclasses(one.iri) or one.iri in kg.vocabulary.superclasses(other.iri)
    return related or min(one.count, other.count) >= 0.9 * max(one.count, other.count)


def allot(types: Sequence[NodeType], dialogues: int) -> tuple[NodeType, ...]:
    """Give every kept type its share and a quota; the quotas sum to the dialogues exactly (largest remainder)."""
    kept = [t for t in types if not t.dropped]
    total = sum(t.count for t in kept)
    quotas = dict(zip((t.iri for t in kept), apportion([t.count for t in kept], dialogues), strict=True))
    return tuple(t if t.dropped else replace(t, share=t.count / total, quota=quotas[t.iri]) for t in types)


def apportion(weights: Sequence[int], seats: int) -> tuple[int, ...]:
    """Share out seats by weight so that they sum exactly: largest remainder, ties to the larger, then the earlier."""
    total = sum(weights)
    if not total:
        return tuple(0 for _ in weights)
    exact = [seats * weight / total for weight in weights]
    given = [int(share) for share in exact]
    order = sorted(range(len(weights)), key=lambda i: (given[i] - exact[i], -weights[i], i))
    for place in order[: seats - sum(given)]:
        given[place] += 1
    return tuple(given)
