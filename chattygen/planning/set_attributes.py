"""Sets and what the KG states about each of their members: the columns that conditions pick by."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import Term
from rdflib import BNode, Literal, URIRef

from chattygen.planning.date_deduplication import is_vaguer
from chattygen.planning.neighbourhoods import Neighbourhoods
from chattygen.subgraph.extraction import is_gender_predicate
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Shape, Step
from chattygen.subgraph.predicate_salience import is_askable, is_writable
from chattygen.subgraph.summary import shape_of


@dataclass(frozen=True, slots=True)
class SetAttribute:
    """The values of one predicate for the members of a set (members without a value are left out)."""

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
        """Return the values by how many members have them, most first."""
        tally = Counter(end for ends in self.values.values() for end in ends)
        return sorted(tally, key=lambda end: (-tally[end], str(end)))


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """A set: the hidden ends of a fact of an owner, with the columns that tell them apart.

    ``through`` is the number of the seed's fact whose answer the owner is; 0 where the owner is the seed.
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


def is_set(fact: Fact, hidden: HiddenEnds, *, fewest: int = 2, most: int = 30) -> bool:
    """Tell whether a fact's hidden ends are a set to pick from: things, all known, neither too few nor too many."""
    if fact.shape != "entity" or hidden.is_truncated or len(fact.steps) > 1:
        return False
    return fewest <= len(hidden.ends) <= most and all(isinstance(end, URIRef) for end in hidden.ends)


def set_attributes(
    kg: KnowledgeGraph,
    neighbourhoods: Neighbourhoods,
    members: Sequence[URIRef],
    fact: Fact,
    excluded_predicates: frozenset[str],
) -> tuple[SetAttribute, ...]:
    """Return the columns of a set: predicates of its members that a question can be about."""
    found: dict[URIRef, dict[URIRef, list[Term]]] = defaultdict(lambda: defaultdict(list))
    for member in members:
        for side, predicate, far in neighbourhoods.directed_edges.get(member, ()):
            if (
                side == "out"
                and str(predicate) not in excluded_predicates
                and str(predicate) != fact.last_step.predicate
            ):
                found[predicate][member].append(far)
    made = (_column(kg, predicate, found[predicate]) for predicate in sorted(found))
    kept = [column for column in made if column is not None]
    return tuple(column for column in kept if not any(_is_of(column, other) for other in kept))


def _is_of(column: SetAttribute, other: SetAttribute) -> bool:
    """Tell whether a column holds but the years of the dates of another one."""
    if other.shape != "date" or column is other or not column.values or column.values.keys() - other.values.keys():
        return False
    pairs = [(str(ends[0]), str(other.values[member][0])) for member, ends in column.values.items()]
    return is_vaguer(column.step.label, [year for year, _ in pairs], other.step.label, [date for _, date in pairs])


def _column(kg: KnowledgeGraph, predicate: URIRef, values: Mapping[URIRef, Sequence[Term]]) -> SetAttribute | None:
    every = [end for ends in values.values() for end in ends]
    shape = shape_of(every)
    if (
        shape is None
        or is_gender_predicate(kg, str(predicate))
        or any(isinstance(e, BNode) or not is_writable(e) for e in every)
    ):
        return None
    literals = [end for end in every if isinstance(end, Literal)]
    entry = kg.vocabulary.predicates.get(str(predicate))
    if literals and not is_askable(literals, unique=bool(entry and entry.is_inverse_functional)):
        return None
    if len({literal.language for literal in literals}) > 1:
        return None
    datatypes = frozenset(literal.datatype for literal in literals if literal.datatype is not None)
    if shape == "date" and len(datatypes) > 1:
        return None
    kept = {member: tuple(ends) for member, ends in values.items()}
    return SetAttribute(step_of(kg, str(predicate)), shape, datatypes, kept)


def step_of(kg: KnowledgeGraph, predicate: str) -> Step:
    """Return a predicate as a step outwards, with its label and comment."""
    entry = kg.vocabulary.predicates.get(predicate)
    if entry is None:
        return Step(predicate, kg.label(URIRef(predicate)))
    return Step(predicate, entry.label, comment=entry.comment)
