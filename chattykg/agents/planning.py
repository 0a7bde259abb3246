"""The planning agent: builds candidate queries, selects them by their predicates and runs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, CandidateQuery, ClarificationOption
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.inflection import add_indefinite_article
from chattyshared.text import join_texts

from chattykg.agents.outcomes import MAX_JOINED, MIN_QUERY_SCORE, ask_which, settle_readings
from chattykg.agents.readings import refuse
from chattykg.engines.switches import ChattySwitches
from chattykg.linking.candidates import EntityCandidate
from chattykg.linking.coverage import uncovered_mentions, unknown_first
from chattykg.linking.relation_phrases import is_function_phrase, is_locative_phrase
from chattykg.linking.similarity import similarity_in
from chattykg.query.answers import build_answer, linked_entities, spelling_notes
from chattykg.query.candidates import candidate_queries
from chattykg.query.composition import Query
from chattykg.query.confidence import ParseEvidence, extract_features, load_confidence_model
from chattykg.query.evidence import fetch_evidence
from chattykg.query.execution import execute_queries, try_queries
from chattykg.query.graph_patterns import relax_pattern
from chattykg.query.grounding import QueryContext
from chattykg.query.judgement import Refusal, all_predicates, judge_missing, judge_query
from chattykg.query.predicate_selection import PredicateChoices, predicate_choices
from chattykg.query.readings import find_ambiguity
from chattykg.query.units import kept_units, unit_note
from chattykg.state import (
    AgentContext,
    AgentState,
    make_empty_answer,
    make_not_stated_refusal,
    make_refusal,
)
from chattykg.steps import AnswerStep

MAX_LISTED_CANDIDATES = 10
"""Candidate queries that an answer lists."""
_CLEAR_SCORE, _TIE_RATIO = 0.6, 0.97
"""Predicate score (0 to 1) that needs no words of the question; ratio to the best score from which on queries tie."""
_CLEAR_COUNT_SCORE = 0.7
"""Predicate score (0 to 1) that each relation of a count of 0 needs; set by hand on the development sets."""
_MAX_TIED = 4
"""Predicates that a refusal or a clarification names."""
_MEASURES = ("number", "text number", "date", "mixed date")
"""Readings of values of which others than the one asked for are stated: a text may be written otherwise."""
_COMPARISONS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", "=": ""}


def check_predicates(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the predicates chosen are among those that were shown (the query validator); none may fit."""
    relations: PredicateChoices = variables["relations"]
    for number in reply["predicates"]:
        if not 1 <= number <= relations.choice_count:
            yield Problem("membership", f"There is no predicate {number}.")


AGENT = load_agent("answer/planning", check_predicates, truncatable=(TruncatableVariable("relations"),))


def planning(state: AgentState, context: AgentContext) -> AgentState:
    """Build candidate queries from QIR and links, let the model filter the predicates, and run the best."""
    settings = context.settings
    similarity = similarity_in(state["card"].language, context.similarity)
    query_context = QueryContext(
        state["standalone"], state["qir"], state["linked"], state["card"], context.kg, similarity
    )
    uncovered = uncovered_mentions(
        query_context.question, query_context.qir, query_context.card, query_context.candidate_links
    )
    if uncovered:
        return {"answer": replace(refuse(Refusal("uncovered", uncovered[:5])), unused=uncovered)}
    with context.measure_time("linking"):
        queries = candidate_queries(query_context, limit=settings.query_limit, row_limit=settings.row_limit)
    rejected = state.get("rejected", frozenset())
    queries = tuple(query for query in queries if rejected.isdisjoint(all_predicates(query)))
    if not queries:
        return {"answer": refuse(judge_missing(state["standalone"], state["qir"], state["card"]), state["card"])}
    ambiguous = _ambiguous_predicates(queries)
    if ambiguous:
        labels = [one.label for one in ambiguous]
        question, why = ask_which("", ambiguous), f"it may mean as well {join_texts(labels, 'or', MAX_JOINED)}."
        unclear = make_refusal("ambiguous", why, clarification=question.clarification)
        return {"answer": question if settings.clarify == "ask" else unclear}
    readings = state.get("readings", ())
    refusal = judge_query(state["standalone"], readings, queries[0], context.kg, min_score=MIN_QUERY_SCORE)
    if refusal is not None:
        return {"answer": refuse(replace(refusal, words=unknown_first(refusal.words, state["card"])), state["card"])}
    with context.measure_time("selection"):
        ordered = _select_queries(query_context, queries, context)
    if not ordered:
        return {"answer": refuse(Refusal("no-predicate"))}
    with context.measure_time("execution"):
        features, answer = _execute(state, context, query_context, ordered)
        ambiguity = find_ambiguity(query_context, state.get("namesakes", {}), queries, settings.row_limit)
        if ambiguity is not None and (answer.reason is None or settings.clarify != "best"):
            answer = settle_readings(answer, ambiguity, context)
        elif ambiguity is None:
            answer = replace(answer, notes=(*answer.notes, *_namesake_notes(answer, state.get("namesakes", {}))))
    candidates = tuple(CandidateQuery(query.sparql, min(1.0, query.score)) for query in ordered[:MAX_LISTED_CANDIDATES])
    return {"answer": replace(answer, candidates=candidates), "features": features}


def _execute(
    state: AgentState, context: AgentContext, query_context: QueryContext, queries: Sequence[Query]
) -> tuple[Mapping[str, float], Answer]:
    """Run the queries and return the answer, with the features of its confidence."""
    context.progress.report_query(queries[0].sparql)
    result = execute_queries(queries, context.kg)
    context.candidate_queries += result.request_count
    opened, left_out = _without_empty_classes(queries[0], context.kg) if result.is_empty else (queries[0], ())
    if left_out and (found := try_queries((opened,), context.kg)) is not None and not found.is_empty:
        result, context.candidate_queries = found, context.candidate_queries + 1
    else:
        left_out = ()
    history = state.get("history", ()) if state.get("is_follow_up") else ()
    is_rewritten = bool(history) and state["standalone"] != state["question"]
    reading = ParseEvidence(state.get("parse_score", 1.0), bool(history), is_rewritten)
    features = extract_features(query_context, queries, result, reading)
    confidence = round(load_confidence_model().estimate(features), 4)
    if result.is_empty and not _counts_none(result.query, context.kg):
        return features, _empty_answer(queries[0], context, confidence)
    context.progress.report(AnswerStep("check", "Checking the result"))
    answer = build_answer(result, context.kg, context.settings.row_limit, confidence)
    if answer.confidence < context.settings.threshold:
        return features, replace(refuse(Refusal("unsure", (), f"{answer.confidence:.2f}")), sparql=answer.sparql)
    if not answer.values:
        return features, make_refusal("not-stated", "what the graph states there has no name.", sparql=answer.sparql)
    links = result.query.grounded.entity_links
    ends = {end for relation in result.query.qir.triples for end in relation.ends()}
    named = {str(term) for end in ends & links.keys() for term in links[end].terms}
    if {value.value for value in answer.values} <= named:
        return features, make_not_stated_refusal(answer.sparql)  # what the question names itself
    witness = fetch_evidence(answer.sparql, answer.values, context.kg, is_trusted=True)
    kinds = map(add_indefinite_article, left_out)
    notes = (f"The graph states nothing to be {kind}: the kind is left out." for kind in kinds)
    asked = [e.candidate for e in result.query.edges if result.query.qir.target in e.relation.ends()]
    units = (kept_units(each, context.kg) for each in asked if each.is_literal)
    told = (unit_note(each, query_context.question, result.query.qir) for each in units)
    return features, replace(answer, witness=witness, notes=(*notes, *filter(None, told), *answer.notes))


def _namesake_notes(answer: Answer, namesakes: Mapping[str, Sequence[EntityCandidate]]) -> Iterator[str]:
    """Yield that other things of the same kind and name have no answer ("two customers are called so")."""
    for text, candidates in namesakes.items() if answer.values else ():
        used = [each for each in candidates if f"<{each.term}>" in answer.sparql]
        alike = {(each.label.casefold(), kind) for each in used for kind in each.types[:1]}
        others = [each for each in candidates if each not in used and (each.label.casefold(), *each.types[:1]) in alike]
        if others:
            yield f'{len(others)} more {used[0].types[0]} called "{text[:60]}": nothing is stated there.'


def _without_empty_classes(query: Query, kg: KnowledgeGraph) -> tuple[Query, tuple[str, ...]]:
    """Return a query without the classes that have no thing, only a definition in the ontology, and their names."""
    vocabulary, classes = kg.vocabulary, kg.vocabulary.classes
    used = {iri for iri, entry in classes.items() if entry.instance_count}
    empty = [each for each in query.pattern.types if used.isdisjoint(vocabulary.subclasses(*each[1]))]
    if not query.pattern.patterns:
        return query, ()
    kept = tuple(each for each in query.pattern.types if each not in empty)
    names = dict.fromkeys(vocabulary.spoken_names.get(iris[0], "") for _, iris in empty)
    return replace(query, pattern=replace(query.pattern, types=kept)), tuple(names)


def _empty_answer(query: Query, context: AgentContext, confidence: float) -> Answer:
    """Return an empty answer if the graph states each part of the question, else a refusal."""
    bodies = query.pattern.bodies
    conditions = [c for body in bodies for c in body.conditions if c.operator in _COMPARISONS and c.value]
    comparisons = [c for c in conditions if c.operator != "=" or c.reading in _MEASURES]
    relaxed = (replace(b, conditions=tuple(c for c in b.conditions if c not in comparisons)) for b in bodies)
    wider = " UNION ".join(f"{{ {body.to_sparql()} }}" for body in relaxed)
    if comparisons and not query.modifier.having and context.kg.endpoint.ask(f"ASK {{ {wider} }}"):
        units = (getattr(c.reading, "unit", "") for c in comparisons)
        each = (f"{_COMPARISONS[c.operator]} {c.value[:60]} {u}" for c, u in zip(comparisons, units, strict=True))
        told = dict.fromkeys(map(str.strip, each))
        why = f"the graph states such values, and none of them is {' and '.join(told)}."
        answer = make_empty_answer(query.sparql, why)
    elif _is_stated_separately(query, context.kg):
        answer = make_empty_answer(query.sparql)
    else:
        answer = make_not_stated_refusal(query.sparql)
    return replace(
        answer,
        confidence=confidence if answer.status == "empty" else 0.0,
        notes=(*answer.notes, *spelling_notes(linked_entities(query))),
    )


def _counts_none(query: Query, kg: KnowledgeGraph) -> bool:
    """Tell whether a count of 0 is a number: the relations are linked clearly, and the graph states such things."""
    is_count = query.modifier.is_number and all(function == "count" for function, *_ in query.modifier.aggregates)
    is_clear = all(edge.candidate.score >= _CLEAR_COUNT_SCORE for edge in query.edges)
    is_restricted = bool(query.modifier.having or query.pattern.conditions) or _is_stated_separately(query, kg)
    return is_count and is_clear and is_restricted


def _is_stated_separately(query: Query, kg: KnowledgeGraph) -> bool:
    """Tell whether a query has results without one of its named terms, or without its negation."""
    wider = " UNION ".join(f"{{ {body.to_sparql()} }}" for body in relax_pattern(query.pattern))
    return bool(wider) and not query.modifier.having and kg.endpoint.ask(f"ASK {{ {wider} }}")


def _select_queries(query_context: QueryContext, queries: Sequence[Query], context: AgentContext) -> list[Query]:
    """Return the queries to run, those of the chosen predicates first; empty if no predicate fits."""
    choices = predicate_choices(queries, context.kg)
    chosen = choices.select_near_best()
    if not choices.is_unambiguous and context.settings.switches_of(ChattySwitches).selection:
        try:
            reply = context.request_reply(AGENT, {"question": query_context.question, "relations": choices})
            chosen = frozenset(reply.value["predicates"])
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            chosen = choices.select_near_best()
    if choices.choice_count and not chosen:
        return []
    kept = choices.filter_queries(queries, chosen)
    return [*kept, *(query for query in queries if query not in kept)]


def _ambiguous_predicates(queries: Sequence[Query]) -> tuple[ClarificationOption, ...]:
    """Return the predicates that tie because the question gives no words for the relation; else ()."""
    best = queries[0]
    classed = {end for end, _ in best.classes}
    for index, edge in enumerate(best.edges):
        is_vague = is_function_phrase(edge.relation.relation) and not classed & set(edge.relation.ends())
        if not (is_vague or is_locative_phrase(edge.relation.relation)) or edge.candidate.score >= _CLEAR_SCORE:
            continue
        tied = [q.edges[index].candidate for q in queries if q.score >= _TIE_RATIO * best.score and q.qir is best.qir]
        iris = {candidate.label: candidate.last_predicate for candidate in reversed(tied)}
        if len(iris) > 1:
            labels = dict.fromkeys(candidate.label for candidate in tied)
            return tuple(ClarificationOption(label, iris[label]) for label in labels)[:_MAX_TIED]
    return ()
