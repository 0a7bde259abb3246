"""The rephraser agent: a follow-up becomes a question that stands alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid

from chattykg.conversation.context import ConversationContext, find_known_words
from chattykg.conversation.input import normalize_question, split_questions
from chattykg.conversation.referent_lookup import find_referents
from chattykg.state import AgentContext, AgentState


def check_question(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that there is a question in the reply."""
    if not any(mark.isalnum() for mark in reply["question"]):
        yield Problem("question", "Reply with the whole question; it was empty.")


AGENT = load_agent(
    "answer/rephraser",
    check_question,
    truncatable=(
        TruncatableVariable("history", keeps_latest=True),
        TruncatableVariable("referents", keeps_latest=True),
    ),
)


def rephraser(state: AgentState, context: AgentContext) -> AgentState:
    """Rewrite the question as a standalone one; without a usable reply it stays as it is."""
    settings = context.settings
    with context.measure_time("understanding"):
        referents = find_referents(state["history"], context.kg, settings.shown_answers)
        known = state.get("known_words") or find_known_words(state["question"], state["history"], context.kg)
        variables = {
            "question": state["question"],
            "history": ConversationContext(state["history"], settings.shown_answers),
            "referents": referents,
            "known": known,
        }
        try:
            reply = context.request_reply(AGENT, variables)
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            return {"referents": referents}
    standalone = normalize_question(reply.value["question"])[: settings.question_limit]
    parts = split_questions(standalone) if state["strategy"] == "staged" else ()
    if len(parts) > 1:  # a written query answers all questions of a turn
        return {"referents": referents, "standalone": standalone, "parts": parts, "answer": Answer()}
    return {"referents": referents, "standalone": standalone}
