"""The direct strategy: the model writes the whole query in one call; a query that fails is sent back to it."""

from __future__ import annotations

from collections.abc import Mapping

from chattyshared.agent import Agent, TruncatableVariable, load_agent
from chattyshared.dialogue import Answer, LinkedTerm, Value
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.sparql.analysis import parse_query_shape
from chattyshared.terms import Term
from rdflib import URIRef

from chattykg.agents.readings import leave_out
from chattykg.direct.attempt import QueryAttempts, QueryOutcome
from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.query.answers import to_value
from chattykg.state import AgentContext, AgentState, make_not_stated_refusal, make_refusal, make_unused_refusal

FIRST_ATTEMPT_CONFIDENCE, REPAIRED_CONFIDENCE = 0.9, 0.7
"""Confidence (0 to 1) in a query that passed at once, and in one that was repaired."""


AGENT = load_agent("answer/direct", truncatable=(TruncatableVariable("briefing"),))


def direct(state: AgentState, context: AgentContext) -> AgentState:
    """Let the model write the query of the standalone question; its result is the answer."""
    with context.measure_time("selection"):
        question, card = state["standalone"], state["card"]
        schema_prompt = build_schema_prompt(context.kg, card)
        attempts = QueryAttempts(
            context.kg, schema_prompt, question, card, context.settings.theta, context.progress.report_query
        )
        variables = {"question": question, "briefing": schema_prompt}
        try:
            context.request_reply(Agent(AGENT.prompt, (attempts.check_reply,), AGENT.truncatable), variables)
        except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
            if attempts.outcome is None:
                return {"answer": _refusal(attempts, str(error))}
        finally:
            context.candidate_queries += attempts.executed_queries
    if attempts.restricting:
        return {"answer": make_unused_refusal(attempts.restricting)}
    if attempts.outcome is None:
        return {"answer": _refusal(attempts)}
    if _confidence(attempts) < context.settings.threshold:
        why = f"the query is too unsure ({_confidence(attempts):.2f})."
        return {"answer": make_refusal("too-unsure", why, sparql=attempts.outcome.sparql)}
    with context.measure_time("execution"):
        answer = _build_answer(attempts, attempts.outcome, context.settings.row_limit)
    unused = attempts.outcome.unused
    return {"answer": leave_out(answer, unused) if unused else answer}


def _confidence(attempts: QueryAttempts) -> float:
    return REPAIRED_CONFIDENCE if attempts.is_repaired else FIRST_ATTEMPT_CONFIDENCE


def _refusal(attempts: QueryAttempts, error: str = "") -> Answer:
    """Return a refusal: the graph does not state it, or no query could be written."""
    if attempts.failure is not None and attempts.failure.rule == "empty":
        return make_not_stated_refusal(attempts.sparql)
    why = attempts.failure.sentence if attempts.failure is not None else error
    return make_refusal("too-unsure", f"no query could be written: {why[:300]}", sparql=attempts.sparql)


def _build_answer(attempts: QueryAttempts, outcome: QueryOutcome, limit: int) -> Answer:
    confidence = _confidence(attempts)
    terms = {term for row in outcome.rows[:limit] for term in row.values() if isinstance(term, URIRef)}
    labels = attempts.kg.labels(terms) if terms else {}
    values, rows = _answer_values(outcome, labels, limit), _answer_rows(outcome, labels, limit)
    is_cut = len(outcome.rows) > limit
    return Answer(
        values=values,
        scores=(confidence,) * len(values),
        rows=rows,
        columns=outcome.columns if rows else (),
        sparql=outcome.sparql,
        confidence=confidence,
        entities=_linked_entities(attempts, outcome.sparql),
        relations=_linked_predicates(attempts, outcome.sparql),
        notes=(f"Only the first {limit:,} answers are given.",) if is_cut else (),
    )


def _answer_values(outcome: QueryOutcome, labels: Mapping[Term, str], limit: int) -> tuple[Value, ...]:
    """Return the truth value, or the distinct terms of the first column in the order of the query."""
    if outcome.truth is not None:
        return (Value("true" if outcome.truth else "false", "boolean"),)
    first = outcome.columns[0]
    terms = dict.fromkeys(row[first] for row in outcome.rows[:limit] if first in row)
    return tuple(to_value(term, labels.get(term, "")) for term in terms)


def _answer_rows(outcome: QueryOutcome, labels: Mapping[Term, str], limit: int) -> tuple[tuple[Value, ...], ...]:
    """Return the rows if the model announced a table of several columns."""
    columns = outcome.columns
    if outcome.shape != "table" or len(columns) < 2:
        return ()
    return tuple(
        tuple(
            to_value(row[name], labels.get(row[name], "")) if name in row else Value("", "literal") for name in columns
        )
        for row in outcome.rows[:limit]
    )


def _linked_entities(attempts: QueryAttempts, sparql: str) -> tuple[LinkedTerm, ...]:
    """Return the mentioned vertices that the query uses."""
    matches = (vertex for vertex in attempts.schema_prompt.vertices if f"<{vertex.iri}>" in sparql)
    return tuple(LinkedTerm(vertex.mention, vertex.iri, vertex.label) for vertex in matches)


def _linked_predicates(attempts: QueryAttempts, sparql: str) -> tuple[LinkedTerm, ...]:
    """Return the predicates of the query; their labels stand for the mentions, which the model does not give."""
    shape, predicates = parse_query_shape(sparql), attempts.kg.vocabulary.predicates
    matches = (predicates[iri] for iri in (shape.predicates if shape else ()) if iri in predicates)
    return tuple(LinkedTerm(entry.label, entry.iri, entry.label) for entry in matches)
