"""Answer sets, and the attributes of their members that conditions select by."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import Term
from rdflib import BNode, Literal, URIRef

from chattygen.planning.neighbourhoods import Neighbourhoods
from chattygen.subgraph.extraction import is_gender_predicate
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Shape, Step
from chattygen.subgraph.hidden_nodes import leads_to_hidden_nodes
from chattygen.subgraph.predicate_salience import is_askable, is_writable
from chattygen.subgraph.predicate_use import is_condition
from chattygen.subgraph.summary import is_vaguer, shape_of

MIN_SET_SIZE = 3
"""Members: the fewest of a list to select from; set by hand."""
MAX_SET_SIZE = 12
"""Members: the most of a list to select from; set by hand."""


@dataclass(frozen=True, slots=True)
class SetAttribute:
    """The values of one predicate for the members of a set; each member has one at least."""

    step: Step
    shape: Shape
    datatypes: frozenset[URIRef]
    values: Mapping[URIRef, tuple[Term, ...]]

    def single_values(self) -> dict[URIRef, Term]:
        """Return the value of each member, or nothing if some member has several."""
        if any(len(ends) > 1 for ends in self.values.values()):
            return {}
        return {member: ends[0] for member, ends in self.values.items()}

    def values_by_frequency(self) -> list[Term]:
        """Return the values, the most frequent among members first."""
        counts = Counter(end for ends in self.values.values() for end in ends)
        return sorted(counts, key=lambda end: (-counts[end], str(end)))


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """A set: the hidden ends of an owner's fact, with the attributes of its members.

    ``seed_fact_number`` is the number of the seed's fact whose answer is the owner; 0 if the owner is the seed.
    """

    owner: Entity
    fact: Fact
    hidden: HiddenEnds
    attributes: tuple[SetAttribute, ...]
    seed_fact_number: int = 0

    @property
    def members(self) -> tuple[URIRef, ...]:
        """The members."""
        return tuple(end for end in self.hidden.ends if isinstance(end, URIRef))


def is_set(fact: Fact, hidden: HiddenEnds) -> bool:
    """Tell whether a fact's hidden ends can be selected from: entities, all of them known, neither too few nor too
    many."""
    if fact.shape != "entity" or hidden.is_truncated or len(fact.steps) > 1:
        return False
    return MIN_SET_SIZE <= len(hidden.ends) <= MAX_SET_SIZE and all(isinstance(end, URIRef) for end in hidden.ends)


def set_attributes(
    kg: KnowledgeGraph,
    neighbourhoods: Neighbourhoods,
    members: Sequence[URIRef],
    fact: Fact,
    excluded_predicates: frozenset[str],
) -> tuple[SetAttribute, ...]:
    """Return the attributes of a set: predicates that select among its members, and that each of them states."""
    values: dict[URIRef, dict[URIRef, list[Term]]] = defaultdict(lambda: defaultdict(list))
    for member in members:
        for direction, predicate, end in neighbourhoods.directed_edges.get(member, ()):
            if (
                direction == "out"
                and str(predicate) not in excluded_predicates
                and str(predicate) != fact.last_step.predicate
            ):
                values[predicate][member].append(end)
    stated = (predicate for predicate in sorted(values) if len(values[predicate]) == len(members))
    attributes = (_attribute(kg, predicate, values[predicate]) for predicate in stated)
    kept = [
        attribute
        for attribute in attributes
        if attribute is not None
        and fact.end_classes
        and all(is_condition(kg, iri, attribute.step.predicate, attribute.shape) for iri in fact.end_classes)
    ]
    return tuple(attribute for attribute in kept if not any(_is_year_of(attribute, other) for other in kept))


def _is_year_of(attribute: SetAttribute, other: SetAttribute) -> bool:
    """Tell whether an attribute holds only the years of another attribute's dates."""
    if (
        other.shape != "date"
        or attribute is other
        or not attribute.values
        or attribute.values.keys() - other.values.keys()
    ):
        return False
    pairs = [(str(ends[0]), str(other.values[member][0])) for member, ends in attribute.values.items()]
    return is_vaguer(attribute.step.label, [year for year, _ in pairs], other.step.label, [date for _, date in pairs])


def _attribute(kg: KnowledgeGraph, predicate: URIRef, values: Mapping[URIRef, Sequence[Term]]) -> SetAttribute | None:
    all_values = [end for ends in values.values() for end in ends]
    shape = shape_of(all_values)
    if (
        shape is None
        or is_gender_predicate(kg, str(predicate))
        or leads_to_hidden_nodes(kg, str(predicate))
        or any(isinstance(e, BNode) or not is_writable(e) for e in all_values)
    ):
        return None
    literals = [end for end in all_values if isinstance(end, Literal)]
    entry = kg.vocabulary.predicates.get(str(predicate))
    if literals and not is_askable(literals, unique=bool(entry and entry.is_inverse_functional)):
        return None
    if len({literal.language for literal in literals}) > 1:
        return None
    datatypes = frozenset(literal.datatype for literal in literals if literal.datatype is not None)
    if shape == "date" and len(datatypes) > 1:
        return None
    values_by_member = {member: tuple(ends) for member, ends in values.items()}
    return SetAttribute(step_of(kg, str(predicate)), shape, datatypes, values_by_member)


def step_of(kg: KnowledgeGraph, predicate: str) -> Step:
    """Return a predicate as an outgoing step, with its label and comment."""
    entry = kg.vocabulary.predicates.get(predicate)
    return Step(predicate, kg.spoken_name(URIRef(predicate)), comment=entry.comment if entry else "")
