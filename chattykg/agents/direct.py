"""The direct strategy: the model writes the whole query in one call; it is tried, and sent back if it failed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from chattyshared.agent import Agent, Cut, agent
from chattyshared.dialogue import Answer, Linked, Value
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.query_shape import shape_of
from chattyshared.terms import Term
from rdflib import URIRef

from chattykg.direct.attempt import Outcome, Trial
from chattykg.direct.schema_prompt import brief
from chattykg.query.answers import value
from chattykg.state import AgentState, Desk, not_stated, unanswered

SURE, MENDED = 0.9, 0.7
"""Confidence in a query that was right at once, and in one that was mended."""


@lru_cache(maxsize=1)
def _prompted() -> Agent:
    return agent("answer/direct", cuts=(Cut("briefing"),))


def direct(state: AgentState, desk: Desk) -> AgentState:
    """Let the model write the query of the question that stands alone; what it gives is the answer."""
    with desk.timed("selection"):
        trial = Trial(desk.kg, brief(desk.kg, state["card"]), desk.settings.theta)
        variables = {"question": state["standalone"], "briefing": trial.briefing}
        try:
            desk.ask(Agent(_prompted().prompt, (trial.problems,), _prompted().cuts), variables)
        except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
            if trial.outcome is None:
                return {"route": "chat", "answer": _silence(trial, str(error))}
        finally:
            desk.candidate_queries += trial.executed
    if trial.outcome is None:
        return {"route": "chat", "answer": _silence(trial)}
    if _sure(trial) < desk.settings.threshold:
        said = f"the query is too unsure ({_sure(trial):.2f})."
        return {"route": "chat", "answer": unanswered("too-unsure", said, sparql=trial.outcome.sparql)}
    with desk.timed("execution"):
        return {"route": "chat", "answer": _answer(trial, trial.outcome, desk.settings.row_limit)}


def _sure(trial: Trial) -> float:
    return MENDED if trial.mended else SURE


def _silence(trial: Trial, error: str = "") -> Answer:
    """Tell a graph that is silent from a query that could not be written."""
    if trial.failure is not None and trial.failure.rule == "empty":
        return not_stated(trial.sparql)
    why = trial.failure.sentence if trial.failure is not None else error
    return unanswered("too-unsure", f"no query could be written: {why[:300]}", sparql=trial.sparql)


def _answer(trial: Trial, outcome: Outcome, limit: int) -> Answer:
    sure = _sure(trial)
    terms = {term for row in outcome.rows[:limit] for term in row.values() if isinstance(term, URIRef)}
    named = trial.kg.labels(terms) if terms else {}
    values = _values(outcome, named, limit)
    is_cut = len(outcome.rows) > limit
    return Answer(
        values=values,
        scores=(sure,) * len(values),
        rows=_table(outcome, named, limit),
        sparql=outcome.sparql,
        confidence=sure,
        entities=_entities(trial, outcome.sparql),
        relations=_relations(trial, outcome.sparql),
        notes=(f"Only the first {limit:,} answers are given.",) if is_cut else (),
    )


def _values(outcome: Outcome, named: Mapping[Term, str], limit: int) -> tuple[Value, ...]:
    """Return the truth, or what stands in the first column, each once, in the order of the query."""
    if outcome.truth is not None:
        return (Value("true" if outcome.truth else "false", "boolean"),)
    first = outcome.columns[0]
    terms = dict.fromkeys(row[first] for row in outcome.rows[:limit] if first in row)
    return tuple(value(term, named.get(term, "")) for term in terms)


def _table(outcome: Outcome, named: Mapping[Term, str], limit: int) -> tuple[tuple[Value, ...], ...]:
    """Return the rows where several columns were asked for."""
    columns = outcome.columns
    if outcome.shape != "table" or len(columns) < 2:
        return ()
    return tuple(
        tuple(value(row[name], named.get(row[name], "")) if name in row else Value("", "literal") for name in columns)
        for row in outcome.rows[:limit]
    )


def _entities(trial: Trial, sparql: str) -> tuple[Linked, ...]:
    """Return the vertices of the question that stand in the query."""
    found = (vertex for vertex in trial.briefing.vertices if f"<{vertex.iri}>" in sparql)
    return tuple(Linked(vertex.mention, vertex.iri, vertex.label) for vertex in found)


def _relations(trial: Trial, sparql: str) -> tuple[Linked, ...]:
    """Return the predicates that stand in the query, each under its label: the model does not say what it read."""
    shape, known = shape_of(sparql), trial.kg.vocabulary.predicates
    found = (known[iri] for iri in (shape.predicates if shape else ()) if iri in known)
    return tuple(Linked(entry.label, entry.iri, entry.label) for entry in found)
