"""Answer sets, and the attributes of their members that conditions select by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.question_forms import FORM_BY_NAME
from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattygen.context.facts import Entity, Fact, FactWithEnds, HiddenEnds, Shape, Step
from chattygen.context.neighbourhoods import Neighbourhoods
from chattygen.context.paths import leads_to_hidden_nodes
from chattygen.context.predicate_salience import is_askable, is_writable
from chattygen.context.predicate_use import is_condition
from chattygen.context.subgraph import is_gender_predicate
from chattygen.context.summary import event_words, is_vaguer, shape_of

MIN_SET_SIZE = 3
"""Members: the fewest of a list to select from; set by hand."""
MAX_SET_SIZE = 12
"""Members: the most of a list to select from; set by hand."""
MIN_STATING_SHARE = 0.6
"""Share, 0..1, of the things of a class that state what they are selected by, at least; set by hand."""


@dataclass(frozen=True, slots=True)
class SetAttribute:
    """The values of one predicate for the members of a set; each member has one at least, but for those of a set that
    holds what is on record (``Fact.is_partial``)."""

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
    is_listed = any(FORM_BY_NAME[form].is_lookup for form in fact.forms)
    if fact.shape != "entity" or not is_listed or len(fact.steps) > 1:
        return False
    return MIN_SET_SIZE <= len(hidden.ends) <= MAX_SET_SIZE and all(isinstance(end, URIRef) for end in hidden.ends)


def answer_set_of(
    kg: KnowledgeGraph,
    around: Neighbourhoods,
    owner: Entity,
    fact_with_ends: FactWithEnds,
    excluded: frozenset[str],
    seed_fact_number: int = 0,
) -> AnswerSet:
    """Return a list of an owner with its attributes: predicates that select among its members, and that each of them
    states, or most things of a class. ``seed_fact_number`` as in ``AnswerSet``."""
    fact, hidden = fact_with_ends
    members = [end for end in hidden.ends if isinstance(end, URIRef)]
    stated = Counter(
        p for member in members for direction, p in around.relations.get(member, ())
        if direction == "out" and str(p) not in {*excluded, fact.last_step.predicate}
    )  # fmt: skip
    least = len(members) * (MIN_STATING_SHARE if owner.iri in map(URIRef, fact.end_classes) else 1)
    shared = (predicate for predicate, number in stated.items() if number >= least)
    found = []
    for predicate in sorted(shared) if fact.end_classes else ():
        ends = {each: around.ends(each, "out", predicate) for each in members}
        attribute = _attribute(kg, predicate, {each: values for each, values in ends.items() if values})
        others = {
            p for m in members if not ends[m] for direction, p in around.relations.get(m, ()) if direction == "out"
        }
        if any(event_words(kg.spoken_name(other)) == event_words(kg.spoken_name(predicate)) for other in others):
            continue  # some have a publication date in place of a year
        if attribute is not None and all(
            is_condition(kg, iri, attribute.step.predicate, attribute.shape) for iri in fact.end_classes
        ):
            found.append(attribute)
    kept = tuple(each for each in found if not any(_is_year_of(each, other) for other in found))
    return AnswerSet(owner, fact, hidden, kept, seed_fact_number)


def _is_year_of(attribute: SetAttribute, other: SetAttribute) -> bool:
    """Tell whether an attribute holds only the years of another attribute's dates."""
    if other.shape != "date" or attribute is other:
        return False
    values = attribute.values.items()
    pairs = [(str(ends[0]), str(other.values[member][0])) for member, ends in values if member in other.values]
    return bool(pairs) and is_vaguer(
        attribute.step.label, [year for year, _ in pairs], other.step.label, [date for _, date in pairs]
    )


def _attribute(kg: KnowledgeGraph, predicate: URIRef, values: Mapping[URIRef, tuple[Term, ...]]) -> SetAttribute | None:
    """Return the values of one predicate as an attribute; None if no question selects by these."""
    ends = [end for of_one in values.values() for end in of_one]
    literals = [end for end in ends if isinstance(end, Literal)]
    shape, entry = shape_of(ends), kg.vocabulary.predicates.get(str(predicate))
    if shape is None or not all(map(is_writable, ends)):
        return None
    if is_gender_predicate(kg, str(predicate)) or leads_to_hidden_nodes(kg, str(predicate)):
        return None
    if literals and not is_askable(literals, unique=bool(entry and entry.is_inverse_functional)):
        return None
    datatypes = frozenset(literal.datatype for literal in literals if literal.datatype is not None)
    if len({literal.language for literal in literals}) > 1 or (shape == "date" and len(datatypes) > 1):
        return None
    step = Step(str(predicate), kg.spoken_name(predicate), comment=entry.comment if entry else "")
    return SetAttribute(step, shape, datatypes, values)
