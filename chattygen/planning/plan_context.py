"""The ground of a plan: what a seed, its answers, the members of its lists and others of its kind can be asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from rdflib import URIRef

from chattygen.planning.date_deduplication import once_each
from chattygen.planning.neighbourhoods import Stars
from chattygen.planning.set_attributes import Members
from chattygen.planning.unambiguous_names import Names
from chattygen.run import Run
from chattygen.subgraph.bridge_entities import Bridge
from chattygen.subgraph.extraction import Subgraph, askable, gender, lineage, most_specific, size
from chattygen.subgraph.facts import Entity, Fact, Summary
from chattygen.subgraph.predicate_salience import echoes
from chattygen.subgraph.summary import summarize


@dataclass(frozen=True, slots=True)
class Ground:
    """What a plan can be drawn from.

    ``foils`` are, by the number of a fact, things to offer in place of its ends; ``lacks`` are, for the seed and its
    answers, facts that most others of their kind have and they have not.
    """

    seed: Summary
    stars: Stars
    names: Names
    bridges: tuple[Bridge, ...] = ()
    sets: tuple[Members, ...] = ()
    rivals: tuple[Summary, ...] = ()
    foils: Mapping[int, tuple[URIRef, ...]] = field(default_factory=dict)
    lacks: Mapping[URIRef, tuple[Fact, ...]] = field(default_factory=dict)


def picture(run: Run, stars: Stars, iri: URIRef, type_iri: str = "") -> Subgraph:
    """Return a thing with its name and its askable triples, from what was read of it."""
    chosen = type_iri or next(iter(most_specific(run.kg, stars.types.get(iri, ()))), "")
    read, wanted = stars.edges(iri), run.options.direction
    edges = [edge for edge in read if wanted in ("both", edge.direction)]
    name = run.naming.name(chosen, read)
    label = str(name).strip() if name is not None else stars.labels.get(iri, "")
    kinds = lineage(run.kg, chosen)
    entity = Entity(iri, " ".join(label.split()), chosen, kinds[0] if kinds else "", kinds, gender(run.kg, read))
    return Subgraph(entity, name, tuple(askable(run.kg, edges, entity, run.hidden)), size(edges))


def beyond(run: Run, ground: Ground, iri: URIRef, *, through: str = "") -> Summary | None:
    """Return what can be asked about a thing other than the seed; None where talk had better not go on about it.

    ``through`` is the predicate that led there: it is not asked back, unless it leads to several things.
    """
    if iri not in ground.stars.rays or iri not in ground.stars.labels:
        return None
    graph = picture(run, ground.stars, iri)
    entity, seed = graph.entity, ground.seed.entity
    if graph.name is None and run.kg.profile.has_labels:
        return None
    if not entity.label or not entity.noun or len(entity.label.split()) > run.options.max_label_words:
        return None
    if echoes(entity.label, seed.label):
        return None
    found = once_each(summarize(run.kg, graph, list_limit=run.options.list_limit))
    kept = [
        (far, behind) for far, behind in zip(found.facts, found.hidden, strict=True)
        if (far.last.predicate != through or far.count > 2)
        and not (len(behind.ends) == 1 and behind.ends[0] == seed.iri)
        and not any(echoes(str(end), seed.label) for end in behind.ends[:1])
    ]  # fmt: skip
    facts = tuple(replace(far, number=number) for number, (far, _) in enumerate(kept, 1))
    return Summary(entity, facts, tuple(behind for _, behind in kept)) if facts else None


def sounds_like(one: Entity, other: Entity) -> bool:
    """Tell whether a pronoun for one could mean the other: their kinds overlap, and no gender tells them apart."""
    told_apart = one.gender and other.gender and one.gender != other.gender
    return not told_apart and alike(one.kinds, other.kinds)


def alike(some: Iterable[str], others: Iterable[str]) -> bool:
    """Tell whether two lines of classes meet below the class of everything."""
    return bool({k.casefold() for k in some} & {k.casefold() for k in others} - {"thing", "entity", "resource"})
