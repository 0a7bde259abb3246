"""Answers of the strategies in which a model writes the query: values, rows and links of an outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from chattyshared.dialogue import Answer, LinkedTerm, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import to_value
from chattyshared.sparql.analysis import parse_query_shape
from chattyshared.terms import Term
from rdflib import URIRef

from chattykg.direct.outcome import QueryOutcome
from chattykg.direct.schema_prompt import SchemaPrompt
from chattykg.state import make_empty_answer


def build_outcome_answer(
    outcome: QueryOutcome, schema_prompt: SchemaPrompt, kg: KnowledgeGraph, row_limit: int, confidence: float
) -> Answer:
    """Return the answer of an outcome: an empty one if it has no rows; one request, for labels.

    Raises:
        EndpointError: the KG could not be asked.
    """
    if outcome.is_empty:
        empty = make_empty_answer(outcome.sparql)
        return replace(
            empty,
            confidence=confidence,
            entities=_linked_entities(schema_prompt, outcome.sparql),
            relations=_linked_predicates(kg, outcome.sparql),
        )
    terms = {term for row in outcome.rows[:row_limit] for term in row.values() if isinstance(term, URIRef)}
    labels = kg.labels(terms) if terms else {}
    values, rows = _answer_values(outcome, labels, row_limit), _answer_rows(outcome, labels, row_limit)
    is_cut = len(outcome.rows) > row_limit
    mended = f"The query of the model was mended: {', '.join(outcome.repairs)}."
    return Answer(
        values=values,
        scores=(confidence,) * len(values),
        rows=rows,
        columns=outcome.columns if rows else (),
        sparql=outcome.sparql,
        confidence=confidence,
        entities=_linked_entities(schema_prompt, outcome.sparql),
        relations=_linked_predicates(kg, outcome.sparql),
        notes=(
            *[mended] * bool(outcome.repairs),
            *[f"Only the first {row_limit:,} answers are given."] * is_cut,
        ),
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


def _linked_entities(schema_prompt: SchemaPrompt, sparql: str) -> tuple[LinkedTerm, ...]:
    """Return the mentioned vertices that the query uses."""
    matches = (vertex for vertex in schema_prompt.vertices if f"<{vertex.iri}>" in sparql)
    return tuple(LinkedTerm(vertex.mention, vertex.iri, vertex.label) for vertex in matches)


def _linked_predicates(kg: KnowledgeGraph, sparql: str) -> tuple[LinkedTerm, ...]:
    """Return the predicates of the query; their labels stand for the mentions, which the model does not give."""
    shape, predicates = parse_query_shape(sparql), kg.vocabulary.predicates
    matches = (predicates[iri] for iri in (shape.predicates if shape else ()) if iri in predicates)
    return tuple(LinkedTerm(entry.label, entry.iri, entry.label) for entry in matches)
