"""The planning agent: candidate queries are made, selected by their predicates, validated and run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from chattyshared.agent import Agent, Cut, agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, CandidateQuery
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph

from chattykg.linking.coverage import unheard
from chattykg.linking.relation_phrases import is_bare, is_placed
from chattykg.query.answers import answer, entities, repairs
from chattykg.query.candidates import Asked, Query, build, merged
from chattykg.query.execution import run, witness
from chattykg.query.graph_patterns import relaxed
from chattykg.query.predicate_selection import Relations, choices_of
from chattykg.state import AgentState, Desk, not_stated, nothing_fits, unanswered

LISTED = 10
"""Candidate queries that an answer lists."""
_ALIKE = 0.93
_SPOKEN, _TIED = 0.6, 0.97
_COMPARING = frozenset(("<", "<=", ">", ">="))


def is_listed(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the predicates chosen are among those that were shown (the query validator); none may fit."""
    relations: Relations = variables["relations"]
    for number in reply["predicates"]:
        if not 1 <= number <= relations.size:
            yield Problem("membership", f"There is no predicate {number}.")


@lru_cache(maxsize=1)
def prompted() -> Agent:
    """Return the agent of ``answer/planning`` with its validator."""
    return agent("answer/planning", is_listed, cuts=(Cut("relations"),))


def planning(state: AgentState, desk: Desk) -> AgentState:
    """Make candidate queries from QIR and links, let the predicates be filtered, run the best, and answer."""
    settings = desk.settings
    asked = Asked(state["standalone"], state["qir"], state["linked"], state["card"], desk.kg, desk.similarity)
    missed = unheard(asked.question, asked.qir, asked.card, asked.linked)
    if missed:
        said = ", ".join(f'"{text[:60]}"' for text in missed[:5])
        why = f"it is not clear what {said} means in it."
        return {"route": "chat", "answer": unanswered("unknown-qualifier", why, unused=missed)}
    with desk.timed("linking"):
        queries = build(asked, limit=settings.query_limit, rows=settings.row_limit)
    if not queries:
        return {"route": "chat", "answer": unanswered("unknown-relation", _why(state))}
    torn = _torn(queries)
    if torn:
        return {"route": "chat", "answer": unanswered("ambiguous", f"it may mean as well {' or '.join(torn)}.")}
    if queries[0].score < settings.threshold:
        said = f"the best reading of the question is too unsure ({queries[0].score:.2f})."
        return {"route": "chat", "answer": unanswered("too-unsure", said)}
    with desk.timed("selection"):
        ordered = _select(asked, queries, desk)
    if not ordered:
        said = "none of the predicates that are near to the question gives what is asked."
        return {"route": "chat", "answer": unanswered("unknown-relation", said)}
    with desk.timed("execution"):
        result = run(ordered, desk.kg)
        desk.candidate_queries += result.executed if result is not None else 0
        if result is None or (result.is_empty and result.query.form.kind not in ("count", "having count")):
            found = _silent(ordered[0], desk)
        else:
            found = answer(result, witness(result, desk.kg), desk.kg, settings.row_limit)
    candidates = tuple(CandidateQuery(query.text, min(1.0, query.score)) for query in ordered[:LISTED])
    return {"route": "chat", "answer": replace(found, candidates=candidates)}


def _silent(query: Query, desk: Desk) -> Answer:
    """Say that nothing fits where the graph states each part of what is asked, else that it does not state it."""
    compared = [c for c in query.body.conditions if c.operator in _COMPARING and c.value]
    rest = replace(query.body, conditions=tuple(c for c in query.body.conditions if c not in compared))
    if compared and not query.form.having and desk.kg.endpoint.ask(f"ASK {{ {rest.text()} }}"):
        said = " and ".join(f"{c.operator} {c.value[:60]}" for c in compared)
        found = nothing_fits(f"the graph states such values, and none of them fits the condition ({said}).", query.text)
    elif _is_stated_apart(query, desk.kg):
        found = nothing_fits("nothing in the graph fits all that the question asks together.", query.text)
    else:
        found = not_stated(query.text)
    confidence = round(min(1.0, query.score), 4) if found.status == "empty" else 0.0
    return replace(found, confidence=confidence, notes=(*found.notes, *repairs(entities(query))))


def _is_stated_apart(query: Query, kg: KnowledgeGraph) -> bool:
    """Tell whether a query has results without one of the things that it names, or without what must not hold."""
    wider = " UNION ".join(f"{{ {body.text()} }}" for body in relaxed(query.body))
    return bool(wider) and not query.form.having and kg.endpoint.ask(f"ASK {{ {wider} }}")


def _select(asked: Asked, queries: Sequence[Query], desk: Desk) -> list[Query]:
    """Return the queries to run, best first: the first is over the union of the chosen synonyms; none if none fits."""
    shown = choices_of(queries, desk.kg)
    chosen = shown.near_best()
    if not shown.is_settled:
        try:
            reply = desk.ask(prompted(), {"question": asked.question, "relations": shown})
            chosen = frozenset(reply.value["predicates"])
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            chosen = shown.near_best()
    if shown.size and not chosen:
        return []
    kept = shown.among(queries, chosen)
    rest = [query for query in queries if query not in kept]
    if not kept:
        return rest
    best = kept[0]
    union = [query for query in kept if query.score >= _ALIKE * best.score]
    first = merged(best, union, asked, desk.settings.row_limit)
    return [first, *(query for query in (*kept, *rest) if query.text != first.text)]


def _torn(queries: Sequence[Query]) -> tuple[str, ...]:
    """Return the predicates between which nothing decides: no words were said for the relation, and no class."""
    best = queries[0]
    classed = {end for end, _ in best.choice.classes}
    for place, edge in enumerate(best.choice.edges):
        said = is_bare(edge.relation.relation) and not classed & set(edge.relation.ends())
        if not (said or is_placed(edge.relation.relation)) or edge.option.score >= _SPOKEN:
            continue
        alike = [q.choice.edges[place].option for q in queries if q.score >= _TIED * best.score and _same(q, best)]
        labels = dict.fromkeys(f'"{option.label}"' for option in alike)
        if len(labels) > 1:
            return tuple(labels)[:4]
    return ()


def _same(query: Query, other: Query) -> bool:
    return query.choice.grounded.qir is other.choice.grounded.qir


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
