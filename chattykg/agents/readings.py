"""The choice among the readings of an ambiguous question: by their scores and by what the graph holds of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chattyshared.dialogue import Answer
from chattyshared.language.morphology import analyze_phrase

from chattykg.agents.outcomes import leave_out
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, QuestionReading, is_unknown
from chattykg.query.judgement import Refusal
from chattykg.state import AgentContext, AgentState, make_refusal, without_labels

# Origin of the numbers below: benchmarks/fit_grammar.py fits them together with the weights of the rules.
QUERY_WEIGHT = 5.6
"""Weight of the score (0 to 1) of a reading's best query."""
EMPTY_COST, REFUSED_COST = 2.5, 2.3
"""Cost of a reading whose query has no result, and of one that has no query."""

UNUSED_COST = 1.2
"""Cost of each word that a reading leaves out of account; set by hand."""


def refuse(refusal: Refusal, card: VocabularyCard | None = None) -> Answer:
    """Return a refusal of the table as an answer; words that the graph does not know are unused.

    Words of labels on the card are known, and it is only unclear what they mean.
    """
    unused = refusal.words if refusal.kind in ("unknown-words", "unchecked", "uncovered", "no-statement") else ()
    if refusal.kind == "unknown-words" and card is not None:
        unknown = without_labels(refusal.words, card)
        refusal = replace(refusal, words=unknown) if unknown else replace(refusal, kind="uncovered")
    return make_refusal(refusal.code, refusal.sentence, unused=unused)


def open_reading(state: AgentState, readings: Sequence[QuestionReading]) -> AgentState:
    """Go on with the first of some readings."""
    first = readings[0]
    return {"qir": first.qir, "readings": tuple(readings), "answer": None, "parse_score": _parse_score(state, first)}


def _parse_score(state: AgentState, reading: QuestionReading) -> float:
    """Return how well a question parses (0..1): the score of the reading for each of its words."""
    return max(0.0, min(1.0, 0.5 + reading.score / max(1, len(state["standalone"].split()))))


def choose_reading(state: AgentState, context: AgentContext) -> AgentState:
    """Keep the better one of this reading and the best so far; open the next one if it may be better still."""
    reading, *others = state["readings"]
    answer = state["answer"] or Answer()
    if reading.unused and answer.values:
        answer = leave_out(answer, reading.unused)
    total = reading.score + fit_of(answer) - UNUSED_COST * len(answer.values and reading.unused)
    best, best_total = state.get("best_reading") or (answer, total)
    if total > best_total:
        best, best_total = answer, total
    others = [other for other in others if len(other.unused) <= len(reading.unused)]
    is_boolean = reading.qir.shape == "boolean"
    others = [other for other in others if (other.qir.shape == "boolean") == is_boolean]
    is_denied = is_boolean and any(value.value == "false" for value in answer.values)
    if answer.values and not is_denied:
        others = [other for other in others if _content(other.qir) != _content(reading.qir)]
    if others and others[0].score + QUERY_WEIGHT > best_total:
        return {**open_reading(state, others), "best_reading": (best, best_total)}
    return {"answer": best, "readings": (), "best_reading": None}


def _content(qir: QIR) -> tuple[object, ...]:
    """Return what a reading says, without its classes and prepositions: readings that share it differ in form only."""
    phrases = frozenset(
        (analyze_phrase(t.relation).content_lemmas, t in qir.negated)
        for t in (*qir.triples, *qir.negated)
        if not is_function_phrase(t.relation)
    )
    filters = frozenset((f.operator, f.value) for f in qir.filters if not is_unknown(f.value))
    counts = frozenset((h.operator, h.value) for h in qir.having)
    order = replace(qir.order, by="") if qir.order else None
    shape = qir.shape if qir.shape in ("boolean", "count") else ""
    return (
        bool(qir.either),
        shape,
        phrases,
        frozenset(qir.entities()),
        filters,
        counts,
        order,
        qir.aggregate,
        len(qir.targets),
    )


def fit_of(answer: Answer) -> float:
    """Return how well the graph fits a reading, given the answer that it led to."""
    if answer.status == "clarification":
        return QUERY_WEIGHT
    query_score = answer.candidates[0].score if answer.candidates else 0.0
    return QUERY_WEIGHT * query_score - EMPTY_COST * (not answer.values) - REFUSED_COST * (answer.reason is not None)
