"""Second opinions: what becomes of a small model's answer beside that of the embedded rules to the same question."""

from __future__ import annotations

from dataclasses import replace

from chattyshared.dialogue import Answer
from chattyshared.sparql.result_comparison import compare_answers

# Set by hand after one model and 40 paraphrases (demo graph): both agreed 26 times, always right; two answers were
# the model's alone, ten the rules' alone (nine right), and two contradicted each other (the rules were right).
AGREED_CONFIDENCE = 0.95
"""Confidence (0..1) in an answer that both give."""
MODEL_FACTOR, RULES_FACTOR = 0.5, 0.9
"""Factors of the confidence of an answer that only the model gives, and of one that only the rules give, or that the
model contradicts."""
_TELLING = frozenset(("ambiguous", "missing-referent", "not-a-question"))
"""Reasons of the rules that say what the question leaves open: no query can mend that. A word that they do not know the
model may know: it gave no answer to 12 questions without one, where the rules gave one."""
_AGREED = "The model and the embedded rules give this answer."
_ALONE = "Only the model answers this: {why}"
_SILENT = "The embedded rules answer this; the model does not."
_CONTRADICTED = "The embedded rules answer this; the model gives another answer: {other}."
_SHOWN = 3
"""Values of an answer that is not given, which a note tells."""


def weigh_opinions(model: Answer, rules: Answer) -> Answer:
    """Return the answer to a question that a small model and the embedded rules have read.

    What both say is nearly certain. Where one is silent the other speaks, less surely; the model does not where the
    rules understood the question and the graph has nothing for it, or can say what it leaves open. Of two answers that
    of the rules counts, which are right more often, and a note tells the other.
    """
    if model.values and rules.values:
        if not any(compare_answers(model.values, rules.values)):
            confidence = max(AGREED_CONFIDENCE, model.confidence)
            return replace(_with_note(model, _AGREED), confidence=confidence, scores=(confidence,) * len(model.values))
        told = ", ".join(value.label or value.value for value in model.values[:_SHOWN])
        more = ", ..." if len(model.values) > _SHOWN else ""
        return _scale(_with_note(rules, _CONTRADICTED.format(other=told + more)), RULES_FACTOR)
    if rules.values:
        return _scale(_with_note(rules, _SILENT), RULES_FACTOR)
    is_settled = rules.status in ("empty", "clarification") or (rules.reason and rules.reason.code in _TELLING)
    if not model.values or is_settled:
        return rules if is_settled or model.reason is None else model
    why = rules.reason.text if rules.reason else "the rules have no answer."
    return _scale(_with_note(model, _ALONE.format(why=why)), MODEL_FACTOR)


def _with_note(answer: Answer, note: str) -> Answer:
    return replace(answer, notes=(*answer.notes, note))


def _scale(answer: Answer, factor: float) -> Answer:
    scores = tuple(round(score * factor, 4) for score in answer.scores)
    return replace(answer, confidence=round(answer.confidence * factor, 4), scores=scores)
