"""Outcomes that all strategies share: answers that leave words out, that may mean several things, or that ask back.

``Settings.clarify`` decides what becomes of an ambiguous question: ``ask`` asks back, ``best`` keeps the answer with a
note and less confidence, ``refuse`` gives no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chattyshared.dialogue import Answer, Clarification, ClarificationOption
from chattyshared.text import join_texts

from chattykg.conversation.clarification import Ambiguity, label_options
from chattykg.conversation.referents import spoken_vertices
from chattykg.state import AgentContext, AgentState, make_refusal, make_unused_refusal

_SHOWN_PHRASE = 60
"""Characters of a phrase that a question shows."""
MAX_JOINED = 4
"""Options that a sentence names; a list shows all."""
MIN_QUERY_SCORE = 0.3
"""Score (0..1) of the best candidate query from which queries are run."""
UNUSED_FACTOR = 0.7
"""Factor of the confidence for each word that an answer leaves out of account; set by hand."""


def settle_readings(answer: Answer, ambiguity: Ambiguity, context: AgentContext) -> Answer:
    """Return the answer to a question of which a phrase means one of some terms, with answers that differ.

    Raises:
        EndpointError: the KG could not be asked.
    """
    options = label_options(ambiguity.terms, context.kg, hidden=ambiguity.predicates)
    phrase, answer_count = ambiguity.phrase, ambiguity.answer_count
    question = ask_which(phrase, options)
    if context.settings.clarify == "ask":
        return replace(question, sparql=answer.sparql)
    may_mean = f'"{phrase[:_SHOWN_PHRASE]}" may mean {join_texts([one.label for one in options], "or", MAX_JOINED)}'
    if context.settings.clarify == "refuse":
        why = f"{may_mean}, and the answers differ."
        return make_refusal("ambiguous", why, clarification=question.clarification)
    used = {linked.iri for linked in (*answer.entities, *answer.relations)}
    taken = [one for one in options if one.iri in used]
    is_for = (
        join_texts([one.label for one in taken], "and", MAX_JOINED) if 0 < len(taken) < len(options) else "all of them"
    )
    note = f"{may_mean}, and the answers differ; this one is for {is_for}."
    scores = tuple(round(score / answer_count, 4) for score in answer.scores)
    confidence = round(answer.confidence / answer_count, 4)
    notes, clarification = (*answer.notes, note), question.clarification
    return replace(answer, confidence=confidence, scores=scores, notes=notes, clarification=clarification)


def settle_missing_referent(phrase: str, question: str, context: AgentContext) -> Answer:
    """Return the answer to a question that refers to something nobody named; ``question`` asks for its name."""
    if context.settings.clarify == "ask":
        return Answer(without_values="clarification", clarification=Clarification(question))
    return make_refusal("missing-referent", f'it is not said what "{phrase}" refers to.')


def ask_which(phrase: str, options: Sequence[ClarificationOption]) -> Answer:
    """Return the question back: which of some things, or predicates, a phrase means."""
    question = f'Which one do you mean by "{phrase[:_SHOWN_PHRASE]}"?' if phrase else "Which one do you mean?"
    return Answer(without_values="clarification", clarification=Clarification(question, tuple(options)))


def leave_out(answer: Answer, words: tuple[str, ...]) -> Answer:
    """Return an answer that tells which words it leaves out of account, and is less sure; too unsure is a refusal."""
    note = f"This leaves out of account: {', '.join(dict.fromkeys(words))}."
    factor = UNUSED_FACTOR ** len(words)
    confidence = round(answer.confidence * factor, 4)
    if answer.candidates and answer.candidates[0].score * factor < MIN_QUERY_SCORE:
        return make_unused_refusal(words)
    return replace(answer, notes=(*answer.notes, note), unused=words, confidence=confidence)


def known_vertices(state: AgentState) -> frozenset[str]:
    """Return the vertices that earlier turns speak of; none where each question stands alone."""
    return spoken_vertices(state.get("history", ()) if state.get("system_mode") == "multi" else ())
