"""Doubts: what is suspicious about the result of a query that ran, and may still be right."""

from __future__ import annotations

from collections.abc import Sequence

from chattyshared.check import Problem
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import parse_number

from chattykg.direct.mismatches import QueryConditions, find_mismatches, find_order_mismatches, named_iris
from chattykg.direct.outcome import QueryOutcome
from chattykg.direct.schema_prompt import SchemaPrompt
from chattykg.linking.coverage import texts_outside_query
from chattykg.linking.vocabulary_card import VocabularyCard

MAX_REASONS = 3
"""Sentences that tell why a result is doubted."""
MAX_TEXTS = 4
"""Texts of a query that are searched in the graph."""
_ADVICE = "If the query is right all the same, send it again."


def find_doubt(
    outcome: QueryOutcome, question: str, card: VocabularyCard, schema_prompt: SchemaPrompt, kg: KnowledgeGraph
) -> Problem | None:
    """Return what is suspicious about a result, None if nothing is; at most one request.

    Raises:
        EndpointError: the KG could not be asked.
    """
    iris = named_iris(outcome.sparql)
    named = " ".join((outcome.sparql, *iris, *(each.label for each in schema_prompt.vertices if each.iri in iris)))
    if missing := texts_outside_query(question, card, named, outcome.unused):
        advice = 'express it, or list it in "unused"'
        return Problem("unused", f"The query does not express {', '.join(missing[:4])} of the question: {advice}.")
    if outcome.shape != "table" and len(outcome.columns) > 1:
        reason = f"The shape is {outcome.shape}, but the query gives several columns: {outcome.render_first_row()}."
        return Problem("shape", f"{reason} Select the answer itself and nothing else, or say table.")
    if outcome.is_nameless:
        return Problem("shape", "The query gives blank nodes only: select what is stated of them, a label or a value.")
    if outcome.is_negative:
        given = "The answer is no" if outcome.truth is False else "The answer is 0"
        reasons = explain_mismatches(outcome.sparql, schema_prompt, kg)
        return (
            Problem("mismatch", f"{given}, perhaps because the query cannot match: {reasons} {_ADVICE}")
            if reasons
            else None
        )
    conditions = QueryConditions.read(outcome.sparql)
    reasons = _join(
        (
            *find_mismatches(conditions, schema_prompt, kg, is_negated_only=True),
            *find_order_mismatches(conditions, schema_prompt, kg),
        )
    )
    return Problem("mismatch", f"The query may not do what it seems to: {reasons} {_ADVICE}") if reasons else None


def explain_mismatches(sparql: str, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> str:
    """Return why a query cannot match anything, by the schema and by the texts in the graph; "" if nothing tells.

    Raises:
        EndpointError: the KG could not be asked.
    """
    conditions = QueryConditions.read(sparql)
    return _join(find_mismatches(conditions, schema_prompt, kg) or _unmatched_texts(conditions, schema_prompt, kg))


def explain_schema_mismatches(sparql: str, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> str:
    """Return why a query cannot match anything, by the schema alone; "" if nothing tells."""
    return _join(find_mismatches(QueryConditions.read(sparql), schema_prompt, kg))


def _join(sentences: Sequence[str]) -> str:
    return " ".join(sentences[:MAX_REASONS])


def _unmatched_texts(conditions: QueryConditions, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return a sentence for each text of a query that stands nowhere in the graph, or under other predicates."""
    texts = [text for text in conditions.texts() if parse_number(text) is None][:MAX_TEXTS]  # a number has no spelling
    used = {str(predicate) for _, predicate, _ in conditions.patterns}
    sentences = []
    for text, hits in kg.search_literals(texts, limit=MAX_REASONS, whole_only=True).items() if texts else ():
        predicates = dict.fromkeys(iri for hit in hits for iri in hit.predicates)
        if not predicates:
            sentences.append(f'No text of the graph is "{text[:60]}".')
        elif used.isdisjoint(predicates):
            names = ", ".join(map(schema_prompt.prefixed_name, list(predicates)[:MAX_REASONS]))
            sentences.append(f'The text "{text[:60]}" stands under {names}.')
    return tuple(sentences)
