"""Readings of a question that differ in one name or one predicate: each is executed, and their answers are compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chattyshared.language.morphology import lemma_of
from chattyshared.literals import is_date, is_number
from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattykg.linking.candidates import EntityCandidate, MentionCandidates
from chattykg.linking.entity_linking import group_links
from chattykg.qir import is_unknown
from chattykg.query.candidates import Query, QueryContext, candidate_queries
from chattykg.query.execution import QueryResult, try_queries
from chattykg.query.graph_patterns import FilterCondition
from chattykg.query.solution_modifiers import write_sample_query

# Origin of the numbers below: set by hand on benchmarks/development/qualifiers.
MIN_READING_SHARE = 0.75
"""Share (0..1) of the best query's score that the query of another reading needs."""
MIN_PREDICATE_SHARE = 0.93
"""Share (0..1) of the best query's score from which another predicate is as good."""
MAX_READINGS = 8
"""Readings that are executed."""
MAX_DESCRIBED_ROWS = 200
"""Rows of the answers for the things that a description fits; with more of them it is no description of one."""


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
        return frozenset(str(term) for term in _first_column(self.result))


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
        readings = tuple(_name_readings(context, phrase, candidates, queries[0], row_limit))
        if len({reading.answers() for reading in readings}) > 1:
            return Ambiguity(phrase, readings)
    described = _description_readings(context, queries[0])
    if described is not None:
        return described
    for index, edge in enumerate(queries[0].interpretation.edges):
        if context.qir.target != edge.relation.ends()[edge.candidate.is_forward]:
            continue  # it is not the value that is asked for
        readings = tuple(_predicate_readings(context, index, queries))
        if _are_disjoint(readings):
            return Ambiguity(edge.relation.relation, readings)
    return None


def described_unknowns(context: QueryContext, query: Query) -> Iterator[tuple[str, str, str]]:
    """Yield (unknown, variable, phrase) of what the question describes as the only thing of its kind.

    "The red line" and "line 5" mean one line each; what is asked for itself, sorted or counted may be many.
    """
    qir = query.interpretation.grounded.qir
    if qir.order or qir.having or qir.aggregate or query.alternatives or query.modifier.kind != "select":
        return
    for unknown, text in qir.classes:
        kind = re.escape(text)
        found = re.search(rf"(?i)\b(?:{kind} \d+|the (?:(?!of )[\w-]+ ){{0,2}}{kind}(?! \d| of\b))\b", context.question)
        variable = "?" + re.sub(r"[^A-Za-z0-9]", "", unknown)
        noun = text.lower().split()[-1]
        if found and unknown != qir.target and lemma_of(noun) == noun and variable in query.pattern.variables():
            yield unknown, variable, found[0].lower().removeprefix("the ")


def _description_readings(context: QueryContext, query: Query) -> Ambiguity | None:
    """Return the things that a description of a single one fits, if the answers for them differ."""
    for _, variable, phrase in described_unknowns(context, query):
        target = query.modifier.targets[0]
        rows = context.kg.endpoint.select(write_sample_query(query.pattern, (variable, target), MAX_DESCRIBED_ROWS))
        things = dict.fromkeys(row[variable[1:]] for row in rows if isinstance(row.get(variable[1:]), URIRef))
        if not 1 < len(things) <= MAX_READINGS or len(rows) >= MAX_DESCRIBED_ROWS:
            continue
        labels = context.kg.labels(things)
        results = {thing: QueryResult(query, tuple(r for r in rows if r[variable[1:]] == thing)) for thing in things}
        named = sorted(
            ((labels[thing], str(thing), result) for thing, result in results.items()), key=lambda each: each[:2]
        )
        readings = tuple(Reading(iri, label, result) for label, iri, result in named)
        if len({reading.answers() for reading in readings}) > 1:
            return Ambiguity(phrase, readings)
    return None


def without_things(context: QueryContext, query: Query, rejected: frozenset[str]) -> Query:
    """Return a query whose descriptions of single things fit none that the user did not mean."""
    terms = tuple(URIRef(iri) for iri in sorted(rejected))
    variables = [variable for _, variable, _ in described_unknowns(context, query)]
    excluded = (FilterCondition(variable, "!=", "", "value", excluded_terms=terms) for variable in variables)
    return replace(query, pattern=replace(query.pattern, conditions=(*query.pattern.conditions, *excluded)))


def _name_readings(
    context: QueryContext, phrase: str, candidates: Sequence[EntityCandidate], best: Query, row_limit: int
) -> Iterator[Reading]:
    """Yield a reading for each thing that the phrase may name."""
    if _is_described(context, phrase):
        return
    for candidate in candidates[:MAX_READINGS]:
        links = group_links(MentionCandidates(phrase, (candidate,)), (candidate,))
        narrowed = replace(context, candidate_links={**context.candidate_links, phrase: links})
        queries = candidate_queries(narrowed, limit=1, row_limit=row_limit)
        if not queries or queries[0].score < MIN_READING_SHARE * best.score:
            continue
        result = try_queries(queries, context.kg)
        if result is not None and not result.is_empty and _has_predicate(candidate, result):
            yield Reading(str(candidate.term), candidate.label, result)


def _is_described(context: QueryContext, phrase: str) -> bool:
    """Tell whether a yes-or-no question describes the thing itself by another name ("Is Paris in France?")."""
    relations = [relation for relation in context.qir.triples if phrase in relation.ends()]
    others = [end for relation in relations for end in relation.ends() if end != phrase]
    return context.qir.shape == "boolean" and any(not is_unknown(end) for end in others)


def _has_predicate(candidate: EntityCandidate, result: QueryResult) -> bool:
    """Tell whether the thing has a predicate of a yes-or-no query; other queries show it by their rows."""
    if result.boolean is None:
        return True
    return not result.query.predicates().isdisjoint(iri for iri, _, _ in candidate.incident_predicates)


def _predicate_readings(context: QueryContext, index: int, queries: Sequence[Query]) -> Iterator[Reading]:
    """Yield a reading for each predicate with numbers or dates, if several are as good at one relation."""
    near: dict[tuple[tuple[str, ...], tuple[str, ...]], Query] = {}
    for query in queries:
        if query.score >= MIN_PREDICATE_SHARE * queries[0].score and _differs_at_most_at(index, query, queries[0]):
            candidate = query.interpretation.edges[index].candidate
            near.setdefault((candidate.predicates, candidate.second_predicates), query)
    if len({candidate[0] for candidate in near}) == 1:
        return
    for query in tuple(near.values())[:MAX_READINGS]:
        candidate = query.interpretation.edges[index].candidate
        result = try_queries((query,), context.kg) if candidate.is_literal else None
        if result is not None and _has_measures(result):
            entry = context.kg.vocabulary.predicates.get(candidate.last_predicate)
            yield Reading(candidate.last_predicate, entry.label if entry else candidate.label, result)


def _differs_at_most_at(index: int, query: Query, other: Query) -> bool:
    edges, others = query.interpretation.edges, other.interpretation.edges
    rest, other_rest = (listed[:index] + listed[index + 1 :] for listed in (edges, others))
    return len(edges) == len(others) and rest == other_rest


def _has_measures(result: QueryResult) -> bool:
    """Tell whether a query of a property was answered by numbers or dates only."""
    terms = list(_first_column(result))
    return result.query.modifier.kind == "select" and bool(terms) and all(
        isinstance(term, Literal) and (is_number(term) or is_date(term)) for term in terms
    )  # fmt: skip


def _are_disjoint(readings: Sequence[Reading]) -> bool:
    """Tell whether there are several readings, and no two of them agree; a year agrees with a date of that year."""
    answers = [reading.answers() for reading in readings]
    return len(answers) > 1 and not any(
        text.startswith(other) or other.startswith(text)
        for place, texts in enumerate(answers)
        for others in answers[:place]
        for text in texts
        for other in others
    )


def _first_column(result: QueryResult) -> Iterable[Term]:
    target = (result.query.modifier.targets or ("",))[0].removeprefix("?")
    return [row[target] if target in row else next(iter(row.values())) for row in result.rows if row]
