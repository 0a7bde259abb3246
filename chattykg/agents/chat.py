"""The chat agent: takes the question in, sends it on its way, and hands the answer back."""

from __future__ import annotations

from dataclasses import replace

from chattyshared.dialogue import Answer, Reason

from chattykg.agents.language_routing import route_by_language
from chattykg.conversation.input import multi_question_warning, normalize_question
from chattykg.conversation.referent_lookup import link_text_answers
from chattykg.conversation.small_talk import drop_small_talk, reply_to_small_talk
from chattykg.query.answers import spelling_notes
from chattykg.state import ENTRY_NODES, AgentContext, AgentState, make_not_stated_refusal, make_refusal


def chat(state: AgentState, context: AgentContext) -> AgentState:
    """Open a turn, or close it when there is an answer or no strategy is left to try.

    With a history the turn goes to the classifier; before a query in one call straight to the rephraser, which leaves
    as it is what stands alone. A question in another language than the KG's goes to the translator, which does both.
    A courtesy is answered as one, and is no part of the history.
    """
    if "answer" in state:
        return _closed(state, context)
    question = normalize_question(state["question"])
    if not any(mark.isalnum() for mark in question):
        return {"route": "end", "standalone": "", "answer": make_refusal("not-a-question", "there is no question.")}
    courtesy = reply_to_small_talk(question)
    if courtesy:
        replied = Answer(reason=Reason("not-a-question", courtesy))
        return {"route": "end", "standalone": question, "answer": replied}
    limit = context.settings.question_limit
    if len(question) > limit:
        said = f"the question is too long: {len(question)} characters, and at most {limit} are read."
        return {"route": "end", "standalone": question[:limit], "answer": make_refusal("not-a-question", said)}
    history = drop_small_talk(state.get("history", ()))
    in_conversation = state.get("system_mode") == "multi" and bool(history)
    if in_conversation:
        with context.measure_time("understanding"):
            history = link_text_answers(history, context.kg)
    opened: AgentState = {"question": question, "standalone": question, "route": "card", "history": history}
    if in_conversation:
        opened["route"] = "classifier" if context.strategies[0] == "staged" else "rephraser"
    return {**opened, **route_by_language(question, history if in_conversation else (), context)}


def _closed(state: AgentState, desk: AgentContext) -> AgentState:
    """End with an answer; without one go on with the next strategy, or say why the first found nothing."""
    answer, earlier = state["answer"], state.get("given_up")
    if answer.values:
        notes = (
            *spelling_notes(answer.entities),
            *answer.notes,
            *multi_question_warning(state["question"], state.get("card")),
        )
        return {"route": "end", "answer": replace(answer, notes=notes)}
    if answer.reason is None and answer.status == "unknown":  # rows came back, and nothing is bound in them
        answer = replace(answer, reason=make_not_stated_refusal().reason)
    if earlier is not None:
        answer = _joined(earlier, answer)
    tried = state.get("tried", desk.strategies[:1])
    left = [strategy for strategy in desk.strategies if strategy not in tried]
    if not left or "card" not in state:
        return {"route": "end", "answer": answer}
    return {"route": ENTRY_NODES[left[0]], "tried": (*tried, left[0]), "given_up": answer}


def _joined(earlier: Answer, later: Answer) -> Answer:
    """Return what two strategies found that have no values: that nothing fits, else the reason of the earlier one."""
    first, second = (later, earlier) if later.status == "empty" else (earlier, later)
    also = (second.reason.text,) if second.reason is not None else ()
    return replace(
        first,
        notes=(*first.notes, *also, *second.notes),
        unused=first.unused or second.unused,
        sparql=first.sparql or second.sparql,
    )
