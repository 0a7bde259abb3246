"""The set of all things of a class, where the graph has few of them: what people ask beyond the thing they spoke of."""

from __future__ import annotations

from rdflib import URIRef

from chattygen.context.answer_sets import MIN_SET_SIZE, answer_set_of
from chattygen.context.dialogue_context import Context, class_members
from chattygen.context.facts import Entity, Fact, HiddenEnds, Step, Summary
from chattygen.context.names import index_names
from chattygen.context.neighbourhoods import Neighbourhoods, Wish, read_together
from chattygen.context.subgraph import class_labels_of
from chattygen.run import RunContext

MAX_CLASS_SIZE = 30
"""Things: the most of a class that are a set; set by hand."""


def class_context(run: RunContext, type_iri: str) -> Context | None:
    """Return the context of a class as a topic, with the set of its things; read once per run. None if they are too few
    or too many, if not all are known, or if nobody names them.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    key = (type_iri, run.excluded_predicates)
    known: dict[tuple[str, frozenset[str]], Context | None] = run.cache.class_contexts
    if key not in known:
        known[key] = _read_class(run, type_iri)
    return known[key]


def _read_class(run: RunContext, type_iri: str) -> Context | None:
    kg, labels = run.kg, class_labels_of(run.kg, type_iri)
    statistics = kg.class_statistics(type_iri) if labels and len(kg.profile.types) == 1 else None
    if statistics is None or not MIN_SET_SIZE <= statistics.size <= MAX_CLASS_SIZE or kg.hidden_class(type_iri):
        return None
    around = Neighbourhoods(dict(class_members(run, type_iri)))
    listed = tuple(around.relations)
    ends = dict.fromkeys(end for iri in listed for end in around.all_ends(iri))
    read_together(kg, [(around, iter([Wish(labels=(*listed, *ends))]))])
    is_whole = len(listed) == statistics.size and all(type_iri in around.types.get(iri, ()) for iri in listed)
    if not is_whole or len({around.labels.get(iri, "").casefold() for iri in listed}) < len(listed):
        return None
    step = Step(next(iter(kg.profile.types)), "is a", "in")
    members = tuple(sorted(listed))
    fact = Fact(
        1, (step,), "entity", class_labels=labels, count=len(members), forms=("list",), end_classes=(type_iri,),
        is_partial=True,
    )  # fmt: skip
    triples = tuple((iri, URIRef(step.predicate), URIRef(type_iri)) for iri in members)
    owner, hidden = Entity(URIRef(type_iri), labels[0], "", labels[0], labels), HiddenEnds(members, triples)
    answer_set = answer_set_of(kg, around, owner, (fact, hidden), run.excluded_predicates)
    values = (value for each in answer_set.attributes for value in each.values_by_frequency())
    known = run.cache.name_bearers.setdefault(run.naming.predicates, {})
    (names,) = index_names(kg, run.naming, known, [(around, (*members, *values))])
    return Context(Summary(owner, (fact,), (hidden,)), around, names, answer_sets=(answer_set,))
