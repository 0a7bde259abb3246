"""Algorithm 1: the representative types of a KG and how many dialogues each of them gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import read_count
from chattyshared.option_specs import did_you_mean
from chattyshared.terms import local_name, n3
from rdflib import URIRef

from chattygen.context.subgraph import class_labels_of, most_specific_classes
from chattygen.options import Options

METADATA = "metadata"
UNNAMED = "no noun for its members"
NOT_WANTED, LEFT_OUT, FOREIGN = "not among --type", "left out by --no-type", "outside domain"
REQUESTED_DROPS = frozenset({METADATA, NOT_WANTED, LEFT_OUT, FOREIGN})
"""Reasons that the user has asked for: no message about missing dialogues names them."""
MIN_SIZE_RATIO = 0.9
"""Smaller / bigger type (0 to 1) from which unrelated types are checked for shadowing."""
UNTYPED_LABEL = "thing"
"""The label of the type of entities that have no type."""
MAX_TYPES = 200
"""The most types that balanced quotas consider, the largest first: the others would cost requests without an end; set
by hand."""


@dataclass(frozen=True, slots=True)
class NodeType:
    """One class: its entities, their share of all kept entities (0 to 1), its dialogues, and why it was dropped.

    ``dropped`` is empty for a kept type. ``error`` is half the width of the 95 % confidence interval of ``count`` where
    the KG is too big to be counted, else 0.
    """

    iri: str
    label: str
    count: int
    share: float = 0.0
    quota: int = 0
    dropped: str = ""
    error: float = 0.0


def select_types(kg: KnowledgeGraph, options: Options) -> tuple[NodeType, ...]:
    """Return every type of the KG with its count, share and quota, or why it was dropped; quotas sum to the dialogues.

    All quotas are 0 only if every type was dropped. A KG without types has one type for all its subjects. With
    ``options.seeds``, the types are those of these entities, only these are counted, and the quotas are proportional.

    Raises:
        ConfigError: the KG has no such type as ``types`` or ``no_types`` name, no class with a prefix of ``domains``,
            or does not describe a given seed.
    """
    if options.seeds:
        return assign_quotas(types_of_seeds(kg, options.seeds), replace(options, quota="proportional"))
    types = tuple(NodeType(t.iri, t.label, t.count, error=t.error) for t in kg.types(metadata=True))
    included = find_types(kg, types, options.types, "--type")
    left_out = find_types(kg, types, options.no_types, "--no-type")
    types = tuple(replace(t, dropped=LEFT_OUT) if t.iri in left_out else t for t in types)
    if included:
        kept = (t if t.dropped or t.iri in included else replace(t, dropped=NOT_WANTED) for t in types)
        return assign_quotas(drop_other_domains(tuple(kept), options.domains), options)
    types = drop_unnamed(drop_other_domains(drop_metadata(types, kg), options.domains), kg)
    if all(t.dropped == METADATA for t in types) and not options.domains:
        types = (*types, NodeType("", UNTYPED_LABEL, kg.count_subjects()))
    types = drop_rare(types, options.rare) if options.quota == "proportional" else drop_smallest(types)
    if options.shadow_by == "child":
        types = drop_shadowed_by_child(types, kg.vocabulary.subclasses, options.shadow)
    else:
        types = drop_shadowed(types, count_overlaps(kg, types), kg.vocabulary.subclasses, options.shadow)
    return assign_quotas(types, options)


def types_of_seeds(kg: KnowledgeGraph, iris: Sequence[str]) -> tuple[NodeType, ...]:
    """Return the types of given entities, each with the number of these entities.

    Raises:
        ConfigError: the KG does not describe one of them.
    """
    terms = [URIRef(iri) for iri in iris]
    used = kg.predicates_of(terms)
    missing = [str(term) for term in terms if not used.get(term)]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise ConfigError(f"--seeds: {kg.name} does not hold {', '.join(missing[:3])}{more}")
    counts = Counter(type_of_seed(kg, term) for term in terms)
    labels = kg.labels([URIRef(iri) for iri in counts if iri])
    return tuple(NodeType(iri, labels.get(URIRef(iri), UNTYPED_LABEL), n) for iri, n in sorted(counts.items()))


def type_of_seed(kg: KnowledgeGraph, iri: URIRef) -> str:
    """Return the most specific class of an entity, or the empty text if none is stated."""
    return next(iter(most_specific_classes(kg, kg.types_of([iri])[iri])), "")


def find_types(kg: KnowledgeGraph, types: Sequence[NodeType], names: Iterable[str], flag: str) -> frozenset[str]:
    """Return the IRIs of the types that a user names, by IRI or by label in any case.

    A class without entities of its own stands for its subclasses with entities.

    Raises:
        ConfigError: there is no such class with entities; the message names similar ones.
    """
    type_iris: set[str] = set()
    classes = kg.vocabulary.classes
    counted = {t.iri for t in types}
    for name in names:
        bare = name.removeprefix("<").removesuffix(">")
        matches = {bare} & classes.keys() or {
            iri
            for iri, entry in classes.items()
            if bare.casefold()
            in (entry.label.casefold(), *(a.casefold() for a in entry.alt_labels), local_name(iri).casefold())
        }
        own = matches & counted or {below for iri in matches for below in kg.vocabulary.subclasses(iri)} & counted
        if not own:
            metadata = {iri for iri, entry in classes.items() if entry.is_metadata}
            labels = tuple(dict.fromkeys(t.label for t in types if not t.dropped and t.iri not in metadata))
            raise ConfigError(
                f"{flag}: {kg.name} has no entities of the type {name!r}"
                f"{did_you_mean(name, labels[:20], list_known=True)}"
            )
        type_iris |= own
    return frozenset(type_iris)


def drop_other_domains(types: Sequence[NodeType], domains: Sequence[str]) -> tuple[NodeType, ...]:
    """Drop the classes whose IRIs begin with none of the prefixes; without prefixes nothing is dropped.

    Raises:
        ConfigError: no class is left; the message names the namespaces of the KG.
    """
    if not domains:
        return tuple(types)
    if not any(t.iri.startswith(tuple(domains)) for t in types):
        namespaces = Counter(t.iri.removesuffix(local_name(t.iri)) or t.iri for t in types)
        known = ", ".join(namespace for namespace, _ in namespaces.most_common(5))
        raise ConfigError(
            f"domain: no class begins with {' or '.join(domains)}; classes begin with {known or 'nothing'}"
        )
    return tuple(t if t.dropped or t.iri.startswith(tuple(domains)) else replace(t, dropped=FOREIGN) for t in types)


def drop_unsuitable(types: Sequence[NodeType], reasons: Mapping[str, str], options: Options) -> tuple[NodeType, ...]:
    """Drop the types whose entities cannot carry a dialogue (reason by IRI), and share out the quotas again."""
    kept = (
        replace(t, dropped=reasons[t.iri], share=0.0, quota=0) if t.iri in reasons and not t.dropped else t
        for t in types
    )
    return assign_quotas(tuple(kept), options)


def drop_metadata(types: Sequence[NodeType], kg: KnowledgeGraph) -> tuple[NodeType, ...]:
    """Drop the classes of entities that describe the KG itself."""
    hidden = set(kg.profile.metadata_classes) | {c.iri for c in kg.vocabulary.classes.values() if c.is_metadata}
    return tuple(replace(t, dropped=METADATA) if t.iri in hidden and not t.dropped else t for t in types)


def drop_unnamed(types: Sequence[NodeType], kg: KnowledgeGraph) -> tuple[NodeType, ...]:
    """Drop the classes for whose members people have no noun (``Concept``), if any other class is left."""
    unnamed = {t.iri for t in types if t.iri in kg.vocabulary.classes and not class_labels_of(kg, t.iri)}
    if all(t.dropped or t.iri in unnamed for t in types):
        return tuple(types)
    return tuple(replace(t, dropped=UNNAMED) if t.iri in unnamed and not t.dropped else t for t in types)


def drop_rare(types: Sequence[NodeType], threshold: float) -> tuple[NodeType, ...]:
    """Drop types whose share of all entities is below the threshold."""
    total = sum(t.count for t in types if not t.dropped)
    return tuple(
        replace(t, dropped=f"rare: {t.count / total:.2%} of the entities, below {threshold:.0%}")
        if not t.dropped and t.count / total < threshold
        else t
        for t in types
    )


def drop_smallest(types: Sequence[NodeType]) -> tuple[NodeType, ...]:
    """Drop the smallest types, down to ``MAX_TYPES``."""
    ordered = sorted((t for t in types if not t.dropped), key=lambda t: (-t.count, t.iri))
    beyond = {t.iri for t in ordered[MAX_TYPES:]}
    reason = f"small: not among the {MAX_TYPES} largest types"
    return tuple(replace(t, dropped=reason) if t.iri in beyond else t for t in types)


def drop_shadowed(
    types: Sequence[NodeType],
    overlaps: Mapping[tuple[str, str], int],
    subclasses: Callable[[str], frozenset[str]],
    threshold: float,
) -> tuple[NodeType, ...]:
    """Drop parents that share nearly all entities with a child: overlap / parent above the threshold (0 to 1).

    Of two types that shadow each other one is kept: the subclass, else the one with fewer entities.
    """
    kept = {t.iri: t for t in types if not t.dropped}
    reasons: dict[str, str] = {}
    for (one, other), overlap in sorted(overlaps.items()):
        for parent, child in ((one, other), (other, one)):
            if parent in reasons or child in reasons or overlap <= threshold * kept[parent].count:
                continue
            mutual = overlap > threshold * kept[child].count
            if mutual and _is_dropped_first(kept[child], kept[parent], subclasses):
                continue
            if not mutual and child not in subclasses(parent) and kept[child].count < kept[parent].count:
                continue
            reasons[parent] = f"shadowed by {kept[child].label}: {overlap / kept[parent].count:.1%} of its entities"
    return tuple(replace(t, dropped=reasons[t.iri]) if t.iri in reasons else t for t in types)


def drop_shadowed_by_child(
    types: Sequence[NodeType], subclasses: Callable[[str], frozenset[str]], threshold: float
) -> tuple[NodeType, ...]:
    """Drop parents with hardly more entities than one of their subclasses: child / parent above the threshold.

    This is the rule of Chatty-Gen's code: it compares the sizes of stated subclasses only.
    """
    kept = [t for t in types if not t.dropped]
    reasons: dict[str, str] = {}
    for parent in kept:
        below = subclasses(parent.iri)
        for child in kept:
            is_subclass = child.iri in below and parent.iri not in subclasses(child.iri)
            if is_subclass and child.count > threshold * parent.count:
                reasons[parent.iri] = (
                    f"shadowed by {child.label}: {child.count} of its subclass to {parent.count} of its own"
                )
                break
    return tuple(replace(t, dropped=reasons[t.iri]) if t.iri in reasons else t for t in types)


def _is_dropped_first(one: NodeType, other: NodeType, subclasses: Callable[[str], frozenset[str]]) -> bool:
    """Tell whether the first of two equal types is dropped: the superclass, else the bigger, else the later by IRI."""
    is_above, is_below = other.iri in subclasses(one.iri), one.iri in subclasses(other.iri)
    if is_above != is_below:
        return is_above
    return (one.count, one.iri) > (other.count, other.iri)


def count_overlaps(kg: KnowledgeGraph, types: Sequence[NodeType]) -> dict[tuple[str, str], int]:
    """Return, in one request, how many entities two kept types share, for pairs that could shadow each other."""
    kept = [t for t in types if not t.dropped]
    pairs = [(a.iri, b.iri) for a, b in combinations(sorted(kept, key=lambda t: t.iri), 2) if _could_shadow(kg, a, b)]
    if not pairs:
        return {}
    rows = " ".join(f"({n3(URIRef(a))} {n3(URIRef(b))})" for a, b in pairs)
    shared = (
        f"VALUES (?a ?b) {{ {rows} }} {kg.profile.type_pattern('?s', '?a')} . {kg.profile.type_pattern('?s', '?b')} ."
    )
    query = f"SELECT ?a ?b (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {shared} }} GROUP BY ?a ?b"
    return {(str(r["a"]), str(r["b"])): read_count(r["n"]) for r in kg.endpoint.select(query) if "a" in r}


def _could_shadow(kg: KnowledgeGraph, one: NodeType, other: NodeType) -> bool:
    """Tell whether two types are related by subclass, or nearly as big as each other."""
    related = other.iri in kg.vocabulary.superclasses(one.iri) or one.iri in kg.vocabulary.superclasses(other.iri)
    return related or min(one.count, other.count) >= MIN_SIZE_RATIO * max(one.count, other.count)


def assign_quotas(types: Sequence[NodeType], options: Options) -> tuple[NodeType, ...]:
    """Give every kept type its share of the entities and a quota; the quotas sum to the dialogues exactly.

    Balanced quotas give every kept type at least one dialogue if there are enough.
    """
    kept = [t for t in types if not t.dropped]
    total = sum(t.count for t in kept)
    seats = list(apportion([type_weight(t, options) for t in kept], options.dialogues))
    if options.quota == "balanced" and len(kept) <= options.dialogues:
        for index in [index for index, number in enumerate(seats) if not number]:
            seats[seats.index(max(seats))] -= 1
            seats[index] = 1
    quotas = dict(zip((t.iri for t in kept), seats, strict=True))
    return tuple(t if t.dropped else replace(t, share=t.count / total, quota=quotas[t.iri]) for t in types)


def type_weight(node: NodeType, options: Options) -> float:
    """Return what the quota of a type is proportional to: its count, or for balanced quotas the square root of it."""
    return node.count if options.quota == "proportional" else sqrt(node.count)


def apportion(weights: Sequence[float], seats: int) -> tuple[int, ...]:
    """Return the seats per weight; they sum exactly: largest remainder, ties to the larger, then to the earlier."""
    total = sum(weights)
    if not total:
        return tuple(0 for _ in weights)
    exact = [seats * weight / total for weight in weights]
    apportioned = [int(share) for share in exact]
    order = sorted(range(len(weights)), key=lambda i: (apportioned[i] - exact[i], -weights[i], i))
    for index in order[: seats - sum(apportioned)]:
        apportioned[index] += 1
    return tuple(apportioned)
