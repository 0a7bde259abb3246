"""Whether two things belong into one conversation: things of one kind that something links, or places."""

from __future__ import annotations

from collections.abc import Iterable

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.records import Edge
from chattyshared.language.inflection import denote_places
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.subgraph.extraction import class_labels_of, most_specific_classes
from chattygen.subgraph.predicate_use import is_constant


def are_related(kg: KnowledgeGraph, one: URIRef, other: URIRef) -> bool:
    """Tell whether a link or a shared neighbour relates two things, or both are places, which people compare anyway.

    What nearly all things of a class lead to relates none of them.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    types = kg.types_of([one, other])
    classes = {term: most_specific_classes(kg, types.get(term, ()))[:1] for term in (one, other)}
    if all(any(denote_places(class_labels_of(kg, name)) for name in names) for names in classes.values()):
        return True
    edges = kg.neighbourhoods([one, other])
    ends = {term: _telling_ends(kg, edges.get(term, ()), classes[term]) for term in (one, other)}
    return other in ends[one] or one in ends[other] or not ends[one].isdisjoint(ends[other])


def _telling_ends(kg: KnowledgeGraph, edges: Iterable[Edge], classes: tuple[str, ...]) -> set[Term]:
    """Return the entities around a thing, without classes and what its predicates state of nearly all such things."""
    skipped = {*kg.profile.types, *kg.profile.subclasses, *kg.profile.metadata}
    return {
        edge.far_end
        for edge in edges
        if isinstance(edge.far_end, URIRef)
        and str(edge.predicate) not in skipped
        and not (edge.direction == "out" and any(is_constant(kg, name, str(edge.predicate)) for name in classes))
    }
