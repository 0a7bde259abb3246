"""Clarification: what the user's reply to a question back means, and what happens to a question with several readings.

``Settings.clarify`` decides: ``ask`` asks back, ``best`` keeps the answer with a note and less confidence, ``refuse``
gives no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chattyshared.dialogue import Answer, Clarification, ClarificationOption, History

from chattykg.conversation.clarification import label_options, resolve_clarification
from chattykg.conversation.input import split_questions
from chattykg.query.readings import Ambiguity
from chattykg.state import AgentContext, AgentState, make_refusal

_SHOWN_PHRASE = 60
"""Characters of a phrase that a question shows."""
_MAX_JOINED = 4
"""Options that a sentence names; a list shows all."""


def resolve_reply(reply: str, history: History, context: AgentContext) -> AgentState | None:
    """Return the state in which the question before a clarification is answered; None if the reply is no reply.

    Raises:
        EndpointError: the KG could not be asked.
    """
    resolution = resolve_clarification(reply, history, context.kg)
    if resolution is None:
        return None
    state: AgentState = {"question": resolution.question, "standalone": resolution.question, "history": history}
    if resolution.topic is not None:
        earlier = history[:-1]  # the question without its referent is asked again, behind the thing that was named
        return {**state, "history": (*earlier, resolution.topic), "needs_context": True}
    chosen: AgentState = {"needs_context": False, "meant": resolution.meant, "rejected": resolution.rejected}
    parts = split_questions(resolution.question) if context.strategies[0] == "staged" else ()
    return {**state, **chosen, "parts": parts, "answer": Answer()} if len(parts) > 1 else {**state, **chosen}


def settle_ambiguity(answer: Answer, ambiguity: Ambiguity, context: AgentContext) -> Answer:
    """Return the answer to a question with several readings, as the settings want it.

    Raises:
        EndpointError: the KG could not be asked.
    """
    hidden = frozenset(iri for reading in ambiguity.readings for iri in reading.result.query.predicates())
    terms = tuple((reading.iri, reading.label) for reading in ambiguity.readings)
    return settle_readings(answer, ambiguity.phrase, terms, ambiguity.answer_count, hidden, context)


def settle_readings(
    answer: Answer,
    phrase: str,
    terms: Sequence[tuple[str, str]],
    answer_count: int,
    hidden: frozenset[str],
    context: AgentContext,
) -> Answer:
    """Return the answer to a question of which a phrase means one of some terms, given by IRI and label.

    ``answer_count`` is the number of different answers; ``hidden`` are the predicates of what was asked, which no
    option may show.

    Raises:
        EndpointError: the KG could not be asked.
    """
    options = label_options(terms, context.kg, hidden=hidden)
    question = ask_which(phrase, options)
    if context.settings.clarify == "ask":
        return replace(question, sparql=answer.sparql)
    may_mean = f'"{phrase[:_SHOWN_PHRASE]}" may mean {join_labels(options)}'
    if context.settings.clarify == "refuse":
        why = f"{may_mean}, and the answers differ."
        return make_refusal("ambiguous", why, clarification=question.clarification)
    used = {linked.iri for linked in (*answer.entities, *answer.relations)}
    taken = [one for one in options if one.iri in used]
    is_for = join_labels(taken, "and") if 0 < len(taken) < len(options) else "all of them"
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


def join_labels(options: Sequence[ClarificationOption], conjunction: str = "or") -> str:
    """Return the labels of options as a phrase: "A, B or C"."""
    labels = [one.label for one in options]
    if len(labels) > _MAX_JOINED:
        labels = [*labels[: _MAX_JOINED - 1], f"{len(labels) - _MAX_JOINED + 1} more"]
    return f" {conjunction} ".join((", ".join(labels[:-1]), labels[-1])) if len(labels) > 1 else "".join(labels)
