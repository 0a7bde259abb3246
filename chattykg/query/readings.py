"""Readings of a question that differ in one name or one predicate: each is executed, and their answers are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product

from chattyshared.literals import is_date, is_number
from rdflib import Literal

from chattykg.conversation.clarification import Ambiguity
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


_Reading = tuple[str, str, QueryResult]
"""The IRI and the label of the thing or predicate that is meant, and the result of its query."""


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
        ambiguity = _compare(phrase, _name_readings(context, phrase, candidates, queries[0], row_limit))
        if ambiguity.answer_count > 1:
            return ambiguity
    for index, edge in enumerate(queries[0].edges):
        if context.qir.target == edge.relation.ends()[edge.candidate.is_forward]:
            ambiguity = _compare(edge.relation.relation, _measure_readings(context, index, queries))
            pairs = [*combinations(ambiguity.answers, 2)]
            if pairs and all(_are_disjoint(*pair) for pair in pairs):
                return ambiguity
    return None


def _compare(phrase: str, readings: Iterable[_Reading]) -> Ambiguity:
    read = tuple(readings)
    predicates = frozenset(each for *_, result in read for each in result.query.predicates())
    answers = tuple(_answers(result) for *_, result in read)
    return Ambiguity(phrase, tuple((iri, label) for iri, label, _ in read), answers, predicates)


def _answers(result: QueryResult) -> frozenset[str]:
    """Return the answers as texts, so that readings can be compared."""
    if result.boolean is not None:
        return frozenset((str(result.boolean),))
    column = next(iter(result.query.modifier.columns), "").removeprefix("?")
    rows = (row for row in result.rows if row)
    return frozenset(str(row[column] if column in row else next(iter(row.values()))) for row in rows)


def _name_readings(
    context: QueryContext, phrase: str, candidates: Sequence[EntityCandidate], best: Query, row_limit: int
) -> Iterator[_Reading]:
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
            yield str(candidate.term), candidate.label, result


def _measure_readings(context: QueryContext, index: int, queries: Sequence[Query]) -> Iterator[_Reading]:
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
            yield iri, entry.label if entry else candidate.label, result


def _are_disjoint(texts: frozenset[str], others: frozenset[str]) -> bool:
    """Tell whether no answer of one reading is one of another; a year agrees with a date of that year."""
    return not any(text.startswith(other) or other.startswith(text) for text, other in product(texts, others))
