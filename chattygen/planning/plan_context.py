"""The context of a plan: what can be asked about a seed, its answers, the members of its lists, and its siblings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random

from rdflib import URIRef

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
    stated_traits,
)
from chattygen.subgraph.facts import Entity, MissingFact, Summary
from chattygen.subgraph.hidden_nodes import open_hidden_nodes
from chattygen.subgraph.predicate_salience import repeats_label
from chattygen.subgraph.summary import one_date_per_event, summarize

MAX_STAGED_BRIDGES = 2
"""Bridges that a staged dialogue can use: one to go on with, one for questions over two hops."""
MAX_TRIVIAL_COUNT = 2
"""Values: the predicate that led to an entity is asked back only if it leads to more; set by hand."""


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a plan is sampled from.

    ``distractors`` are, by the number of a fact, false values for a yes-no question. ``missing_facts`` are, for the
    seed and its answers, facts that other entities of the class have and this one has not. ``farther_answers`` are
    single answers about the answers of the seed.
    """

    seed: Summary
    neighbourhoods: Neighbourhoods
    names: NameIndex
    bridges: tuple[Bridge, ...] = ()
    answer_sets: tuple[AnswerSet, ...] = ()
    siblings: tuple[Summary, ...] = ()
    distractors: Mapping[int, tuple[URIRef, ...]] = field(default_factory=dict)
    missing_facts: Mapping[URIRef, tuple[MissingFact, ...]] = field(default_factory=dict)
    farther_answers: tuple[URIRef, ...] = ()


def sample_bridges(context: PlanContext, rng: Random) -> tuple[Bridge, ...]:
    """Return up to ``MAX_STAGED_BRIDGES`` bridges with unambiguous names, in random order."""
    named = [bridge for bridge in context.bridges if context.names.name_of(bridge.summary.entity.iri)]
    return tuple(rng.sample(named, min(MAX_STAGED_BRIDGES, len(named))))


def subgraph_of(run: RunContext, neighbourhoods: Neighbourhoods, iri: URIRef, type_iri: str = "") -> Subgraph:
    """Return an entity with its label and its askable triples, from the triples that were read."""
    class_iri = type_iri or next(iter(most_specific_classes(run.kg, neighbourhoods.types.get(iri, ()))), "")
    all_edges, direction = neighbourhoods.labelled_edges(iri), run.options.direction
    edges = [edge for edge in all_edges if direction in ("both", edge.direction)]
    name = run.naming.find_name(class_iri, all_edges)
    label = str(name).strip() if name is not None else neighbourhoods.labels.get(iri, "")
    class_labels = class_labels_of(run.kg, class_iri)
    entity = Entity(
        iri,
        " ".join(label.split()),
        class_iri,
        class_labels[0] if class_labels else "",
        class_labels,
        **stated_traits(run.kg, all_edges, class_labels),
    )
    opened = open_hidden_nodes(run.kg, iri, neighbourhoods.types.get(iri, ()), edges, neighbourhoods.labelled_edges)
    return Subgraph(
        entity, name, tuple(askable_edges(run.kg, opened, entity, run.excluded_predicates)), count_triples(edges)
    )


def summarize_dated(run: RunContext, graph: Subgraph) -> Summary:
    """Return the facts of a subgraph that can be asked, each event with one date."""
    limit = run.options.list_limit
    return one_date_per_event(summarize(run.kg, graph, list_limit=limit, is_sayable=run.is_sayable))


def summary_of_other(run: RunContext, context: PlanContext, iri: URIRef, *, via_predicate: str = "") -> Summary | None:
    """Return what can be asked about an entity other than the seed; None if the dialogue should not continue with it.

    ``via_predicate`` is the predicate that led there: it is not asked back, unless it leads to several values.
    """
    if iri not in context.neighbourhoods.directed_edges or iri not in context.neighbourhoods.labels:
        return None
    subgraph = subgraph_of(run, context.neighbourhoods, iri)
    entity, seed = subgraph.entity, context.seed.entity
    if subgraph.name is None and run.kg.profile.has_labels:
        return None
    if not entity.label or not entity.noun or len(entity.label.split()) > run.options.max_label_words:
        return None
    if repeats_label(entity.label, seed.label):
        return None
    summary = summarize_dated(run, subgraph)
    kept = [
        (fact, hidden) for fact, hidden in summary.facts_with_ends
        if (fact.last_step.predicate != via_predicate or fact.count > MAX_TRIVIAL_COUNT)
        and not (len(hidden.ends) == 1 and hidden.ends[0] == seed.iri)
        and not any(repeats_label(str(end), seed.label) for end in hidden.ends[:1])
    ]  # fmt: skip
    facts = tuple(replace(fact, number=number) for number, (fact, _) in enumerate(kept, 1))
    return Summary(entity, facts, tuple(hidden for _, hidden in kept)) if facts else None
