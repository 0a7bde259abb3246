"""The ground of a plan: what a seed, its answers, the members of its lists and others of its kind can be asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from rdflib import URIRef

from chattygen.planning.date_deduplication import one_date_per_event
from chattygen.planning.neighbourhoods import Neighbourhoods
from chattygen.planning.set_attributes import AnswerSet
from chattygen.planning.unambiguous_names import NameIndex
from chattygen.run import RunContext
from chattygen.subgraph.bridge_entities import Bridge
from chattygen.subgraph.extraction import (
    Subgraph,
    askable_edges,
    class_labels_of,
    count_triples,
    most_specific_classes,
    stated_gender,
)
from chattygen.subgraph.facts import Entity, Fact, Summary
from chattygen.subgraph.predicate_salience import repeats_label
from chattygen.subgraph.summary import summarize


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a plan can be drawn from.

    ``foils`` are, by the number of a fact, things to offer in place of its ends; ``lacks`` are, for the seed and its
    answers, facts that most others of their kind have and they have not.
    """

    seed: Summary
    neighbourhoods: Neighbourhoods
    names: NameIndex
    bridges: tuple[Bridge, ...] = ()
    answer_sets: tuple[AnswerSet, ...] = ()
    siblings: tuple[Summary, ...] = ()
    distractors: Mapping[int, tuple[URIRef, ...]] = field(default_factory=dict)
    missing_facts: Mapping[URIRef, tuple[Fact, ...]] = field(default_factory=dict)


def subgraph_of(run: RunContext, neighbourhoods: Neighbourhoods, iri: URIRef, type_iri: str = "") -> Subgraph:
    """Return a thing with its name and its askable triples, from what was read of it."""
    chosen = type_iri or next(iter(most_specific_classes(run.kg, neighbourhoods.types.get(iri, ()))), "")
    read, wanted = neighbourhoods.labelled_edges(iri), run.options.direction
    edges = [edge for edge in read if wanted in ("both", edge.direction)]
    name = run.naming.find_name(chosen, read)
    label = str(name).strip() if name is not None else neighbourhoods.labels.get(iri, "")
    kinds = class_labels_of(run.kg, chosen)
    entity = Entity(iri, " ".join(label.split()), chosen, kinds[0] if kinds else "", kinds, stated_gender(run.kg, read))
    return Subgraph(
        entity, name, tuple(askable_edges(run.kg, edges, entity, run.excluded_predicates)), count_triples(edges)
    )


def summary_of_other(run: RunContext, context: PlanContext, iri: URIRef, *, via_predicate: str = "") -> Summary | None:
    """Return what can be asked about a thing other than the seed; None where talk had better not go on about it.

    ``through`` is the predicate that led there: it is not asked back, unless it leads to several things.
    """
    if iri not in context.neighbourhoods.directed_edges or iri not in context.neighbourhoods.labels:
        return None
    graph = subgraph_of(run, context.neighbourhoods, iri)
    entity, seed = graph.entity, context.seed.entity
    if graph.name is None and run.kg.profile.has_labels:
        return None
    if not entity.label or not entity.noun or len(entity.label.split()) > run.options.max_label_words:
        return None
    if repeats_label(entity.label, seed.label):
        return None
    found = one_date_per_event(summarize(run.kg, graph, list_limit=run.options.list_limit))
    kept = [
        (far, behind) for far, behind in zip(found.facts, found.hidden, strict=True)
        if (far.last_step.predicate != via_predicate or far.count > 2)
        and not (len(behind.ends) == 1 and behind.ends[0] == seed.iri)
        and not any(repeats_label(str(end), seed.label) for end in behind.ends[:1])
    ]  # fmt: skip
    facts = tuple(replace(far, number=number) for number, (far, _) in enumerate(kept, 1))
    return Summary(entity, facts, tuple(behind for _, behind in kept)) if facts else None


def pronoun_is_ambiguous(one: Entity, other: Entity) -> bool:
    """Tell whether a pronoun for one could mean the other: their kinds overlap, and no gender tells them apart."""
    told_apart = one.gender and other.gender and one.gender != other.gender
    return not told_apart and same_kind(one.class_labels, other.class_labels)


def same_kind(some: Iterable[str], others: Iterable[str]) -> bool:
    """Tell whether two lines of classes meet below the class of everything."""
    return bool({k.casefold() for k in some} & {k.casefold() for k in others} - {"thing", "entity", "resource"})
