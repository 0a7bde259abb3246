"""The chat agent: takes the question in, sends it on its way, and hands the answer back."""

from __future__ import annotations

from dataclasses import replace

from chattyshared.dialogue import Answer, Reason

from chattykg.agents.language_routing import by_language
from chattykg.conversation.input import clean, remarks
from chattykg.conversation.referent_lookup import link_texts
from chattykg.conversation.small_talk import reply_to, without_courtesies
from chattykg.query.answers import repairs
from chattykg.state import ENTRANCES, AgentState, Desk, not_stated, unanswered


def chat(state: AgentState, desk: Desk) -> AgentState:
    """Open a turn, or close it when there is an answer or no strategy is left to try.

    With a history the turn goes to the classifier; before a query in one call straight to the rephraser, which leaves
    as it is what stands alone. A question in another language than the KG's goes to the translator, which does both.
    A courtesy is answered as one, and is no part of the history.
    """
    if "answer" in state:
        return _closed(state, desk)
    question = clean(state["question"])
    if not any(mark.isalnum() for mark in question):
        return {"route": "end", "standalone": "", "answer": unanswered("not-a-question", "there is no question.")}
    courtesy = reply_to(question)
    if courtesy:
        replied = Answer(reason=Reason("not-a-question", courtesy))
        return {"route": "end", "standalone": question, "answer": replied}
    limit = desk.settings.question_limit
    if len(question) > limit:
        said = f"the question is too long: {len(question)} characters, and at most {limit} are read."
        return {"route": "end", "standalone": question[:limit], "answer": unanswered("not-a-question", said)}
    history = without_courtesies(state.get("history", ()))
    in_conversation = state.get("system_mode") == "multi" and bool(history)
    if in_conversation:
        with desk.timed("understanding"):
            history = link_texts(history, desk.kg)
    opened: AgentState = {"question": question, "standalone": question, "route": "card", "history": history}
    if in_conversation:
        opened["route"] = "classifier" if desk.order[0] == "staged" else "rephraser"
    return {**opened, **by_language(question, history if in_conversation else (), desk)}


def _closed(state: AgentState, desk: Desk) -> AgentState:
    """End with an answer; without one go on with the next strategy, or say why the first found nothing."""
    answer, earlier = state["answer"], state.get("given_up")
    if answer.values:
        notes = (*repairs(answer.entities), *answer.notes, *remarks(state["question"], state.get("card")))
        return {"route": "end", "answer": replace(answer, notes=notes)}
    if answer.reason is None and answer.status == "unknown":  # rows came back, and nothing is bound in them
        answer = replace(answer, reason=not_stated().reason)
    if earlier is not None:
        answer = _joined(earlier, answer)
    tried = state.get("tried", desk.order[:1])
    left = [strategy for strategy in desk.order if strategy not in tried]
    if not left or "card" not in state:
        return {"route": "end", "answer": answer}
    return {"route": ENTRANCES[left[0]], "tried": (*tried, left[0]), "given_up": answer}


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
