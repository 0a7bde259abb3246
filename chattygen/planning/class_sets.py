"""The set of all things of a class, where the graph has few of them: what people ask beyond the thing they spoke of."""

from __future__ import annotations

from typing import Any

from rdflib import URIRef

from chattygen.planning.neighbourhoods import Neighbourhoods
from chattygen.planning.plan_context import PlanContext
from chattygen.planning.related_entities import answer_set_of, class_edges
from chattygen.planning.set_attributes import MIN_SET_SIZE
from chattygen.planning.unambiguous_names import NameIndex
from chattygen.run import RunContext
from chattygen.subgraph.extraction import class_labels_of
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Step, Summary

MAX_CLASS_SIZE = 30
"""Things: the most of a class that are a set; set by hand."""


def class_context(run: RunContext, type_iri: str) -> PlanContext | None:
    """Return the context of a class as a topic, with the set of its things; read once per run. None if they are too few
    or too many, if not all are known, or if nobody names them.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    key = (type_iri, run.excluded_predicates)
    known: dict[Any, PlanContext | None] = run.cache.class_contexts
    if key not in known:
        known[key] = _read_class(run, type_iri)
    return known[key]


def _read_class(run: RunContext, type_iri: str) -> PlanContext | None:
    kg, labels = run.kg, class_labels_of(run.kg, type_iri)
    statistics = kg.class_statistics(type_iri) if labels and len(kg.profile.types) == 1 else None
    if statistics is None or not MIN_SET_SIZE <= statistics.size <= MAX_CLASS_SIZE or kg.hidden_class(type_iri):
        return None
    edges = class_edges(run, type_iri)
    ends = dict.fromkeys(end for iri in edges for _, _, end in edges[iri] if isinstance(end, URIRef))
    table = Neighbourhoods(edges).with_labels(kg, (*edges, *ends))
    if len(edges) != statistics.size or not all(type_iri in table.types.get(iri, ()) for iri in edges):
        return None
    step = Step(next(iter(kg.profile.types)), "is a", "in")
    members = tuple(sorted(edges))
    fact = Fact(
        1, (step,), "entity", class_labels=labels, count=len(members), forms=("list",), end_classes=(type_iri,),
        is_partial=True,
    )  # fmt: skip
    triples = tuple((iri, URIRef(step.predicate), URIRef(type_iri)) for iri in members)
    owner = Summary(
        Entity(URIRef(type_iri), labels[0], "", labels[0], labels), (fact,), (HiddenEnds(members, triples),)
    )
    answer_set = answer_set_of(run, table, owner, (fact, owner.hidden[0]), 0)
    values = (value for each in answer_set.attributes for value in each.values_by_frequency())
    (names,) = NameIndex.fetch(run, [(table, (*members, *values))])
    return PlanContext(owner, table, names, answer_sets=(answer_set,))
