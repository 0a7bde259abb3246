"""Whether two things belong into one conversation: things that something links, or places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal as Choice

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.inflection import denote_places
from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattygen.subgraph.extraction import class_labels_of, is_gender_predicate, most_specific_classes

DirectedEdge = tuple[Choice["out", "in"], URIRef, Term]
"""One triple as seen from an entity: its direction, the predicate, the far end."""
MAX_SHARING = 0.5
"""Share of a class, 0..1, that have an end in common at most, to make two of them near."""
MIN_SHARED_TEXT = 4
"""Letters: the fewest of a text that makes two entities near; a shorter one is a code."""


def is_shareable(end: Term) -> bool:
    """Tell whether two things that have an end in common may be near: an entity or a word, no number and no code."""
    return isinstance(end, URIRef) or (isinstance(end, Literal) and str(end).isalpha() and len(end) >= MIN_SHARED_TEXT)


def are_related(kg: KnowledgeGraph, one: URIRef, other: URIRef) -> bool:
    """Tell whether a link or a shared neighbour relates two things of a KG, as ``are_linked`` says.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    edges = kg.neighbourhoods([one, other])
    directed = {iri: [(e.direction, e.predicate, e.far_end) for e in edges.get(iri, ())] for iri in (one, other)}
    return are_linked(kg, one, other, directed, kg.types_of([one, other]))


def are_linked(
    kg: KnowledgeGraph,
    one: URIRef,
    other: URIRef,
    edges: Mapping[URIRef, Iterable[DirectedEdge]],
    types: Mapping[Term, tuple[str, ...]],
    *,
    are_places_near: bool = True,
) -> bool:
    """Tell whether a link or a shared neighbour relates two things by their triples, or both are places, which people
    compare anyway (``are_places_near``).

    What more than half of a class lead to relates none of them. A thing with only values of its own is as near to any.
    """
    classes = {term: most_specific_classes(kg, types.get(term, ()))[:1] for term in (one, other)}
    kinds = ([label for name in names for label in class_labels_of(kg, name)] for names in classes.values())
    if are_places_near and all(map(denote_places, kinds)):
        return True
    ends = {term: _telling_ends(kg, edges.get(term, ()), classes[term]) for term in (one, other)}
    return not all(ends.values()) or other in ends[one] or one in ends[other] or bool(ends[one] & ends[other])


def _telling_ends(kg: KnowledgeGraph, edges: Iterable[DirectedEdge], classes: tuple[str, ...]) -> set[Term]:
    """Return the entities and words around a thing, without classes and what most of its class have."""
    skipped = {*kg.profile.types, *kg.profile.subclasses, *kg.profile.metadata, *kg.profile.labels}
    return {
        end
        for direction, predicate, end in edges
        if is_shareable(end)
        and str(predicate) not in skipped
        and not is_gender_predicate(kg, str(predicate))
        and not (direction == "out" and any(_is_frequent(kg, name, predicate, end) for name in classes))
    }


def _is_frequent(kg: KnowledgeGraph, class_iri: str, predicate: URIRef, end: Term) -> bool:
    """Tell whether most things of a class that have a predicate have an end."""
    statistics = kg.class_statistics(class_iri)
    use = statistics.find(str(predicate)) if statistics is not None else None
    return use is not None and dict(use.values).get(end, 0) > MAX_SHARING * use.sample_count
