"""Readings of a question that differ in one name or one predicate: each is executed, and their answers are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from chattyshared.literals import is_date, is_number
from rdflib import Literal

from chattykg.linking.candidates import EntityCandidate, MentionCandidates
from chattykg.linking.entity_linking import group_links
from chattykg.qir import is_unknown
from chattykg.query.candidates import candidate_queries
from chattykg.query.composition import Query
from chattykg.query.execution import QueryResult, try_queries
from chattykg.query.grounding import QueryContext

# Origin of the numbers below: set by hand on benchmarks/development/qualifiers.
MIN_READING_SHARE = 0.75
"""Share (0..1) of the best query's score that the query of another reading needs."""
MIN_PREDICATE_SHARE = 0.93
"""Share (0..1) of the best query's score from which another predicate is as good."""
MAX_READINGS = 8
"""Readings that are executed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading: the IRI and the label of the thing or predicate that is meant, and the result of its query."""

    iri: str
    label: str
    result: QueryResult

    def answers(self) -> frozenset[str]:
        """Return the answers as texts, so that readings can be compared."""
        if self.result.boolean is not None:
            return frozenset((str(self.result.boolean),))
        column = next(iter(self.result.query.modifier.columns), "").removeprefix("?")
        rows = (row for row in self.result.rows if row)
        return frozenset(str(row[column] if column in row else next(iter(row.values()))) for row in rows)


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A phrase of the question with the readings whose answers differ."""

    phrase: str
    readings: tuple[Reading, ...]

    @property
    def answer_count(self) -> int:
        """The number of different answers."""
        return len({reading.answers() for reading in self.readings})


def find_ambiguity(
    context: QueryContext,
    namesakes: Mapping[str, Sequence[EntityCandidate]],
    queries: Sequence[Query],
    row_limit: int,
) -> Ambiguity | None:
    """Return the first phrase of which two readings have answers that differ; None if there is none.

    ``queries`` are those of the question as it stands, best first. Readings without an answer do not count.

    Raises:
        EndpointError: the KG could not be asked.
    """
    for phrase, candidates in namesakes.items():
        ambiguity = Ambiguity(phrase, tuple(_name_readings(context, phrase, candidates, queries[0], row_limit)))
        if ambiguity.answer_count > 1:
            return ambiguity
    for index, edge in enumerate(queries[0].edges):
        if context.qir.target == edge.relation.ends()[edge.candidate.is_forward]:
            ambiguity = Ambiguity(edge.relation.relation, tuple(_measure_readings(context, index, queries)))
            answers = [reading.answers() for reading in ambiguity.readings]
            if len(answers) > 1 and all(map(_are_disjoint, *zip(*combinations(answers, 2), strict=True))):
                return ambiguity
    return None


def _name_readings(
    context: QueryContext, phrase: str, candidates: Sequence[EntityCandidate], best: Query, row_limit: int
) -> Iterator[Reading]:
    """Yield a reading for each thing that a name may mean, unless a yes-or-no question gives it another name."""
    others = (end for r in context.qir.triples if phrase in r.ends() for end in r.ends() if end != phrase)
    if context.qir.shape == "boolean" and not all(map(is_unknown, others)):
        return  # "Is Paris in France?" tells which
    for candidate in candidates[:MAX_READINGS]:
        links = group_links(MentionCandidates(phrase, (candidate,)), (candidate,))
        narrowed = replace(context, candidate_links={**context.candidate_links, phrase: links})
        queries = candidate_queries(narrowed, limit=1, row_limit=row_limit)
        result = try_queries(queries, context.kg) if queries else None
        if result is None or result.is_empty or queries[0].score < MIN_READING_SHARE * best.score:
            continue
        predicates = {iri for iri, _, _ in candidate.incident_predicates}
        if result.boolean is None or predicates & result.query.predicates():  # rows show that it has a predicate
            yield Reading(str(candidate.term), candidate.label, result)


def _measure_readings(context: QueryContext, index: int, queries: Sequence[Query]) -> Iterator[Reading]:
    """Yield a reading for each predicate with numbers or dates that is about as good as the best at one relation."""
    best = queries[0].edges
    near: dict[str, Query] = {}
    for query in queries:
        rest, others = (edges[:index] + edges[index + 1 :] for edges in (query.edges, best))
        if len(query.edges) == len(best) and rest == others and query.score >= MIN_PREDICATE_SHARE * queries[0].score:
            near.setdefault(query.edges[index].candidate.last_predicate, query)
    for iri, query in [*near.items()][:MAX_READINGS] if len(near) > 1 else ():
        candidate, modifier = query.edges[index].candidate, query.modifier
        is_list = candidate.is_literal and modifier.kind == "rows" and not modifier.is_table
        result = try_queries((query,), context.kg) if is_list else None
        terms = [term for row in result.rows for term in row.values()] if result else []
        if result and terms and all(isinstance(term, Literal) and (is_number(term) or is_date(term)) for term in terms):
            entry = context.kg.vocabulary.predicates.get(iri)
            yield Reading(iri, entry.label if entry else candidate.label, result)


def _are_disjoint(texts: frozenset[str], others: frozenset[str]) -> bool:
    """Tell whether no answer of one reading is one of another; a year agrees with a date of that year."""
    return not any(text.startswith(other) or other.startswith(text) for text, other in product(texts, others))
