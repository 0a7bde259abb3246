"""Help beside a refusal: the nearest names, the relations that the graph has, and questions that it answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattyshared.dialogue import Answer
from chattyshared.text import join_texts

from chattykg.state import AgentContext, AgentState
from chattykg.suggestions import main_kinds, main_relations, near_names, near_relations, suggest_questions

_UNHELPED = ("not-a-question", "language")
"""Codes of refusals without a question about the graph."""


def add_help(answer: Answer, state: AgentState, context: AgentContext) -> Answer:
    """Return a refusal with notes of what is near to the question, and with suggestions; other answers unchanged.

    A refusal that names options to choose from needs no other help.

    Raises:
        EndpointError: the KG could not be asked.
    """
    is_helped = answer.reason is None or answer.reason.code in _UNHELPED or bool(answer.options)
    if answer.status != "unknown" or is_helped or "card" not in state:
        return answer
    notes = tuple(_notes(state, context))
    return replace(answer, notes=(*answer.notes, *notes), suggestions=suggest_questions(context.kg, state["card"]))


def _notes(state: AgentState, context: AgentContext) -> Iterator[str]:
    card = state["card"]
    names = near_names(state["standalone"], card, context.kg)
    if names:
        yield f"Did you mean {join_texts(names, 'or')}?"
    thing, relations = near_relations(card, context.kg)
    if thing and relations:
        yield f"Of {thing} the graph states: {', '.join(relations)}."
    elif relations:
        yield f"The nearest relations of the graph are: {', '.join(relations)}."
    if not names and not thing and (kinds := main_kinds(context.kg)):
        about = f"This graph is about {join_texts(kinds)}"
        examples = () if relations else main_relations(context.kg)
        yield f"{about}; it states, for example: {', '.join(examples)}." if examples else f"{about}."
