"""The planning agent: candidate queries are made, selected by their predicates, validated and run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, CandidateQuery
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph

from chattykg.linking.coverage import uncovered_mentions
from chattykg.linking.relation_phrases import is_function_phrase, is_locative_phrase
from chattykg.query.answers import build_answer, linked_entities, spelling_notes
from chattykg.query.candidates import Query, QueryContext, candidate_queries, union_query
from chattykg.query.execution import execute_queries, fetch_witness
from chattykg.query.graph_patterns import relax_pattern
from chattykg.query.predicate_selection import PredicateChoices, predicate_choices
from chattykg.state import AgentContext, AgentState, make_empty_answer, make_not_stated_refusal, make_refusal

MAX_LISTED_CANDIDATES = 10
"""Candidate queries that an answer lists."""
_ALIKE = 0.93
_SPOKEN, _TIED = 0.6, 0.97
_COMPARING = frozenset(("<", "<=", ">", ">="))


def check_predicates(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the predicates chosen are among those that were shown (the query validator); none may fit."""
    relations: PredicateChoices = variables["relations"]
    for number in reply["predicates"]:
        if not 1 <= number <= relations.choice_count:
            yield Problem("membership", f"There is no predicate {number}.")


AGENT = load_agent("answer/planning", check_predicates, truncatable=(TruncatableVariable("relations"),))


def planning(state: AgentState, context: AgentContext) -> AgentState:
    """Make candidate queries from QIR and links, let the predicates be filtered, run the best, and answer."""
    settings = context.settings
    asked = QueryContext(
        state["standalone"], state["qir"], state["linked"], state["card"], context.kg, context.similarity
    )
    missed = uncovered_mentions(asked.question, asked.qir, asked.card, asked.candidate_links)
    if missed:
        said = ", ".join(f'"{text[:60]}"' for text in missed[:5])
        why = f"it is not clear what {said} means in it."
        return {"answer": make_refusal("unknown-qualifier", why, unused=missed)}
    with context.measure_time("linking"):
        queries = candidate_queries(asked, limit=settings.query_limit, row_limit=settings.row_limit)
    if not queries:
        return {"answer": make_refusal("unknown-relation", _why(state))}
    torn = _torn(queries)
    if torn:
        return {"answer": make_refusal("ambiguous", f"it may mean as well {' or '.join(torn)}.")}
    if queries[0].score < settings.threshold:
        said = f"the best reading of the question is too unsure ({queries[0].score:.2f})."
        return {"answer": make_refusal("too-unsure", said)}
    with context.measure_time("selection"):
        ordered = _select(asked, queries, context)
    if not ordered:
        said = "none of the predicates that are near to the question gives what is asked."
        return {"answer": make_refusal("unknown-relation", said)}
    with context.measure_time("execution"):
        result = execute_queries(ordered, context.kg)
        context.candidate_queries += result.request_count if result is not None else 0
        if result is None or (result.is_empty and result.query.modifier.kind not in ("count", "having count")):
            found = _silent(ordered[0], context)
        else:
            found = build_answer(result, fetch_witness(result, context.kg), context.kg, settings.row_limit)
    candidates = tuple(CandidateQuery(query.sparql, min(1.0, query.score)) for query in ordered[:MAX_LISTED_CANDIDATES])
    return {"answer": replace(found, candidates=candidates)}


def _silent(query: Query, desk: AgentContext) -> Answer:
    """Say that nothing fits where the graph states each part of what is asked, else that it does not state it."""
    compared = [c for c in query.pattern.conditions if c.operator in _COMPARING and c.value]
    rest = replace(query.pattern, conditions=tuple(c for c in query.pattern.conditions if c not in compared))
    if compared and not query.modifier.having and desk.kg.endpoint.ask(f"ASK {{ {rest.to_sparql()} }}"):
        said = " and ".join(f"{c.operator} {c.value[:60]}" for c in compared)
        found = make_empty_answer(
            f"the graph states such values, and none of them fits the condition ({said}).", query.sparql
        )
    elif _is_stated_apart(query, desk.kg):
        found = make_empty_answer("nothing in the graph fits all that the question asks together.", query.sparql)
    else:
        found = make_not_stated_refusal(query.sparql)
    confidence = round(min(1.0, query.score), 4) if found.status == "empty" else 0.0
    return replace(found, confidence=confidence, notes=(*found.notes, *spelling_notes(linked_entities(query))))


def _is_stated_apart(query: Query, kg: KnowledgeGraph) -> bool:
    """Tell whether a query has results without one of the things that it names, or without what must not hold."""
    wider = " UNION ".join(f"{{ {body.to_sparql()} }}" for body in relax_pattern(query.pattern))
    return bool(wider) and not query.modifier.having and kg.endpoint.ask(f"ASK {{ {wider} }}")


def _select(asked: QueryContext, queries: Sequence[Query], desk: AgentContext) -> list[Query]:
    """Return the queries to run, best first: the first is over the union of the chosen synonyms; none if none fits."""
    shown = predicate_choices(queries, desk.kg)
    chosen = shown.select_near_best()
    if not shown.is_unambiguous:
        try:
            reply = desk.request_reply(AGENT, {"question": asked.question, "relations": shown})
            chosen = frozenset(reply.value["predicates"])
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            chosen = shown.select_near_best()
    if shown.choice_count and not chosen:
        return []
    kept = shown.filter_queries(queries, chosen)
    rest = [query for query in queries if query not in kept]
    if not kept:
        return rest
    best = kept[0]
    union = [query for query in kept if query.score >= _ALIKE * best.score]
    first = union_query(best, union, asked, desk.settings.row_limit)
    return [first, *(query for query in (*kept, *rest) if query.sparql != first.sparql)]


def _torn(queries: Sequence[Query]) -> tuple[str, ...]:
    """Return the predicates between which nothing decides: no words were said for the relation, and no class."""
    best = queries[0]
    classed = {end for end, _ in best.interpretation.classes}
    for place, edge in enumerate(best.interpretation.edges):
        said = is_function_phrase(edge.relation.relation) and not classed & set(edge.relation.ends())
        if not (said or is_locative_phrase(edge.relation.relation)) or edge.candidate.score >= _SPOKEN:
            continue
        alike = [
            q.interpretation.edges[place].candidate for q in queries if q.score >= _TIED * best.score and _same(q, best)
        ]
        labels = dict.fromkeys(f'"{option.label}"' for option in alike)
        if len(labels) > 1:
            return tuple(labels)[:4]
    return ()


def _same(query: Query, other: Query) -> bool:
    return query.interpretation.grounded.qir is other.interpretation.grounded.qir


def _why(state: AgentState) -> str:
    phrases = ", ".join(f'"{phrase[:60]}"' for phrase in state["qir"].relations() if phrase)
    classes = ", ".join(f'"{name[:60]}"' for _, name in state["qir"].classes)
    if phrases:
        return f"the graph has nothing that fits {phrases}."
    if classes:
        return f"the graph has nothing that fits {classes}."
    if state["qir"].shape == "boolean":
        return "the question names nothing in the graph that could be true or false."
    return "the graph has nothing that fits."
