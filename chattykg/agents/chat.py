"""The chat agent: takes a question in, starts another strategy after an empty result, and hands the answer out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattyshared.dialogue import Answer, History, Reason
from chattyshared.text import join_texts

from chattykg.agents.language_routing import route_by_language
from chattykg.agents.rephrasing import translate_clarification
from chattykg.agents.vocabulary import answer_about_graph
from chattykg.conversation.clarification import resolve_clarification
from chattykg.conversation.input import (
    asks_about_graph,
    drop_small_talk,
    multi_question_warning,
    reply_to_small_talk,
    split_questions,
)
from chattykg.conversation.referents import link_text_answers
from chattykg.filtering import verify_answer
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.presentation.completion import (
    complete_answer,
    explain_emptiness,
    record_proposals,
    withdraw_unstated_denial,
)
from chattykg.query.answers import spelling_notes
from chattykg.state import AgentContext, AgentState, make_not_stated_refusal, make_refusal
from chattykg.suggestions import main_kinds, main_relations, near_names, near_relations, suggest_questions

_UNTRANSLATED = "The model gave no usable translation: the question was read as it stands."
_UNHELPED = ("not-a-question", "language")
"""Codes of refusals without a question about the graph."""


def receive(state: AgentState, context: AgentContext) -> AgentState:
    """Open a turn: answer what is no question, else say what the question needs before it is read.

    Small talk gets a reply of its own and is no part of the history. A question in another language than the KG's
    needs translation. A question that follows others needs its context.
    """
    question = state["question"]
    if not any(character.isalnum() for character in question):
        return {"standalone": "", "answer": make_refusal("not-a-question", "there is no question.")}
    if asks_about_graph(question):
        return {"standalone": question, "answer": answer_about_graph(context)}
    reply = reply_to_small_talk(question)
    if reply:
        return {"standalone": question, "answer": Answer(reason=Reason("not-a-question", reply))}
    history = drop_small_talk(state.get("history", ()))
    in_conversation = state.get("system_mode") == "multi" and bool(history)
    if in_conversation:
        with context.measure_time("understanding"):
            history = link_text_answers(history, context.kg)
    first, *others = context.strategies
    strategies: AgentState = {"strategy": first, "remaining_strategies": tuple(others)}
    if in_conversation:
        with context.measure_time("understanding"):
            resolved = _resolve_reply(question, history, context)
        if resolved is not None:
            return {**strategies, **resolved}
    opened: AgentState = {
        "question": question,
        "standalone": question,
        "history": history,
        "needs_context": in_conversation,
    }
    return {**strategies, **opened, **route_by_language(question, history if in_conversation else (), context)}


def retry(state: AgentState, context: AgentContext) -> AgentState:
    """Give up a strategy that found no values or only doubtful ones, and start the next one.

    A question is read once more with names in quotes that look like numbers or sentences.

    Doubtful values are left to the next strategy, which may withdraw them.
    """
    if standalone := state.get("with_quoted_names"):
        card = build_vocabulary_card(standalone, context.kg, aliases=state.get("names", ()))
        named: AgentState = {"standalone": standalone, "with_quoted_names": "", "card": card, "answer": None}
        return {**named, "earlier_answer": _merge_with_earlier(state)}
    following, *others = state["remaining_strategies"]
    update: AgentState = {"strategy": following, "remaining_strategies": tuple(others), "answer": None}
    has_values = state["answer"] is not None and bool(state["answer"].values)
    return update if has_values else {**update, "earlier_answer": _merge_with_earlier(state)}


def respond(state: AgentState, context: AgentContext) -> AgentState:
    """Close the turn: verify and complete the answer of any strategy, and record what the linker proposed."""
    if (found := state["answer"]) is not None:
        with context.measure_time("selection"):
            state = {**state, "answer": verify_answer(found, state["standalone"], context)}
    answer = _close(state, context)
    return {"answer": record_proposals(answer, state.get("card"), state.get("linked"))}


def _close(state: AgentState, context: AgentContext) -> Answer:
    """Add notes and a sentence to an answer with values; without values say why no strategy found any."""
    answer = state["answer"]
    untranslated = (_UNTRANSLATED,) if state.get("is_untranslated") else ()
    if answer is not None:
        with context.measure_time("execution"):
            answer = withdraw_unstated_denial(answer, context.kg)
    if answer is None or not answer.values:
        without_values = _merge_with_earlier({**state, "answer": answer})
        with context.measure_time("execution"):
            without_values = explain_emptiness(without_values, context.kg)
        answer = add_help(replace(without_values, notes=(*without_values.notes, *untranslated)), state, context)
        return _ask_in_language(answer, state, context)
    notes = (
        *untranslated,
        *(f"{label} is meant." for label in state.get("meant", ())),
        *spelling_notes(answer.entities),
        *answer.notes,
        *multi_question_warning(state["question"]),
    )
    with context.measure_time("execution"):
        answer = complete_answer(answer, context.kg, context.settings.row_limit)
    return replace(answer, notes=notes)


def _ask_in_language(answer: Answer, state: AgentState, context: AgentContext) -> Answer:
    """Put a question back into the language of the question, where a model may translate it."""
    tag = state.get("foreign_language", "")
    can_translate = context.settings.translate != "never" and context.model_strategy_of("translator").is_promptable
    is_asked = answer.status == "clarification"
    return translate_clarification(answer, tag, context) if tag and is_asked and can_translate else answer


def _merge_with_earlier(state: AgentState) -> Answer:
    """Return the answer without values of this strategy, merged with that of the strategy before it."""
    answer, earlier = state["answer"] or Answer(), state.get("earlier_answer")
    if answer.reason is None and answer.status == "unknown":  # rows came back, and nothing is bound in them
        answer = replace(answer, reason=make_not_stated_refusal().reason)
    return answer if earlier is None else _merge_empty_answers(earlier, answer)


def _merge_empty_answers(earlier: Answer, later: Answer) -> Answer:
    """Merge two answers without values: an empty result counts more than a refusal, else the earlier one does."""
    first, second = (later, earlier) if later.status == "empty" else (earlier, later)
    reasons = (second.reason.text,) if second.reason is not None else ()
    return replace(
        first,
        notes=(*first.notes, *reasons, *second.notes),
        unused=first.unused or second.unused,
        sparql=first.sparql or second.sparql,
    )


def _resolve_reply(reply: str, history: History, context: AgentContext) -> AgentState | None:
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
    questions = split_questions(resolution.question) if context.strategies[0] == "staged" else ()
    return (
        {**state, **chosen, "questions": questions, "answer": Answer()} if len(questions) > 1 else {**state, **chosen}
    )


def add_help(answer: Answer, state: AgentState, context: AgentContext) -> Answer:
    """Return a refusal with notes of what is near to the question, and with suggestions; other answers unchanged.

    A refusal that names options to choose from needs no other help.

    Raises:
        EndpointError: the KG could not be asked.
    """
    is_helped = answer.reason is None or answer.reason.code in _UNHELPED or bool(answer.options)
    if answer.status != "unknown" or is_helped or "card" not in state:
        return answer
    notes = tuple(_help_notes(state, context))
    return replace(answer, notes=(*answer.notes, *notes), suggestions=suggest_questions(context.kg, state["card"]))


def _help_notes(state: AgentState, context: AgentContext) -> Iterator[str]:
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
    if unread := context.kg.ontology_note():
        yield unread
