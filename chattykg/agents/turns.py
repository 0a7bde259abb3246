"""The nodes of a turn: it is split into its questions, which are answered one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypedDict

from chattyshared.dialogue import Answer, Exchange, History

from chattykg.conversation.exact_names import quote_names_at
from chattykg.conversation.input import (
    asks_question,
    find_boundaries,
    normalize_question,
    split_questions,
    split_sentences,
)
from chattykg.query.answers import join_answers
from chattykg.state import AgentContext, AgentState, EngineResult, SystemMode, make_refusal


@dataclass(frozen=True, slots=True)
class TurnPart:
    """A question of a turn, or a statement before it; ``chosen`` is a part that stands alone, with what is meant in it
    by the reply to a clarification."""

    text: str
    is_statement: bool = False
    chosen: AgentState | None = None


class TurnState(TypedDict, total=False):
    """A turn with the conversation before it, its parts that are left, and the results of its questions."""

    question: str
    history: History
    system_mode: SystemMode
    parts: tuple[TurnPart, ...]
    results: tuple[EngineResult, ...]


def split_turn(state: TurnState, context: AgentContext) -> TurnState:
    """Split a turn into its questions; sentences before them belong to the conversation.

    Whatever reads a turn gets it on one line, and not longer than the limit. A model that writes the query reads it as
    a whole.
    """
    question, limit = normalize_question(state["question"]), context.settings.question_limit
    if len(question) > limit:
        why = f"the question is too long: {len(question)} characters, and at most {limit} are read."
        refusal = replace(make_refusal("not-a-question", why), standalone=question[:limit])
        return {"parts": (), "results": (EngineResult(refusal),)}
    if context.strategies[0] != "staged":
        return {"parts": (TurnPart(question),), "results": ()}
    if len(split_questions(question)) > 1 or len(split_sentences(question)) > 1:
        question = quote_names_at(question, find_boundaries(question), context.kg)
    is_talk = bool(state["history"]) and state["system_mode"] == "multi"
    *statements, last = (is_talk and split_sentences(question)) or (question,)
    if any(asks_question(statement) for statement in statements):
        statements, last = [], question
    parts = (*(TurnPart(each, is_statement=True) for each in statements), *map(TurnPart, split_questions(last)))
    return {"parts": parts, "results": ()}


def answer_part(graph: Any, state: TurnState, context: AgentContext) -> TurnState:
    """Answer the next part of a turn by the graph of one question.

    What follows a statement refers to what it was understood as, unless that is the question itself.
    """
    (part, *others), history = state["parts"], state["history"]
    opening: AgentState = {**(part.chosen or {}), "question": part.text, "system_mode": state["system_mode"]}
    opening["history"] = () if part.chosen else history
    final: AgentState = graph.invoke(opening, context=context)
    if texts := final.get("questions"):
        chosen: AgentState = {"meant": final.get("meant", ()), "rejected": final.get("rejected", frozenset())}
        return {"parts": (*(TurnPart(text, chosen=chosen) for text in texts), *others)}
    answer = replace(final["answer"] or Answer(), standalone=final.get("standalone", ""))
    result, said = EngineResult(answer, final.get("qir"), final.get("features", {})), (Exchange(part.text, answer),)
    if not part.is_statement:
        return {"parts": tuple(others), "history": (*history, *said), "results": (*state["results"], result)}
    if answer.standalone == " ".join(each.text for each in others):  # what was meant, and the question again
        return {"parts": (), "results": (result,)}
    return {"parts": tuple(others), "history": history if answer.standalone in ("", part.text) else (*history, *said)}


def join_results(results: tuple[EngineResult, ...]) -> EngineResult:
    """Return the results of the questions of a turn as one, with the representation of the first one."""
    return replace(results[0], answer=join_answers([each.answer for each in results]))
