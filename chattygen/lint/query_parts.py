"""The parts of a query that the rules for dialogues compare: facts, hops, and a list with its conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from chattyshared.sparql.analysis import AlgebraTriple, QueryAnalysis, is_rdf_type
from rdflib import URIRef, Variable

AskedFact = tuple[str, str, str]
"""One fact that a question asks: entity, predicate, and the entity's position (``out``: it is the subject)."""


@dataclass(frozen=True, slots=True)
class ConditionedList:
    """A list, as the triple pattern that leads to it, and the patterns that select its members.

    ``variable`` stands for the members, ``conditions`` are the patterns besides the first and besides classes.
    """

    variable: str
    fact: AskedFact
    base: tuple[AlgebraTriple, ...]
    conditions: tuple[AlgebraTriple, ...]


def relations(query: QueryAnalysis) -> list[AlgebraTriple]:
    """Return the triple patterns that do not state a class."""
    return [p for p in query.patterns if not (is_rdf_type(p[1]) and isinstance(p[2], URIRef))]


def facts_of(query: QueryAnalysis) -> tuple[AskedFact, ...]:
    """Return what a query of one triple asks: one fact, or for an ASK without a variable the fact from either end."""
    triples = relations(query)
    return tuple(_sides(triples[0])) if len(triples) == 1 and query.is_plain else ()


def first_hop(query: QueryAnalysis) -> AskedFact | None:
    """Return the first step of a chain of two triples: from an entity to a bridge that the query does not name."""
    triples = relations(query)
    if len(triples) != 2 or query.negated_patterns or query.syntax_error:
        return None
    asked = {*query.result_variables, *query.counted_variables, *query.compared_variables}
    for first, second in (triples, triples[::-1]):
        bridge = next((str(end) for end in (first[0], first[2]) if isinstance(end, Variable)), "")
        facts = _sides(first)
        far_ends = [str(end) for end in (second[0], second[2]) if str(end) != bridge]
        if bridge and bridge not in asked and facts and len(far_ends) == 1 and far_ends[0] in asked:
            return facts[0]
    return None


def conditioned_lists(query: QueryAnalysis) -> Iterator[ConditionedList]:
    """Yield each way to read a query as a list of an entity with conditions; nothing if no list is asked."""
    triples = relations(query)
    for variable in dict.fromkeys((*query.counted_variables, *query.result_variables)):
        about = [triple for triple in triples if variable in (str(triple[0]), str(triple[2]))]
        classes = [p for p in query.patterns if p not in triples and str(p[0]) == variable]
        for base in about:
            if base not in query.negated_patterns and _sides(base):
                rest = tuple(triple for triple in about if triple is not base)
                yield ConditionedList(variable, _sides(base)[0], (base, *classes), rest)


def _sides(triple: AlgebraTriple) -> list[AskedFact]:
    subject, predicate, end = triple
    if not isinstance(predicate, URIRef):
        return []
    sides: Iterable[tuple[object, str]] = ((subject, "out"), (end, "in"))
    return [(str(term), str(predicate), side) for term, side in sides if not isinstance(term, Variable)]
