"""The rephraser agent: a follow-up becomes a question that stands alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from chattyshared.agent import Agent, Cut, agent
from chattyshared.check import Problem
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid

from chattykg.conversation.context import Context
from chattykg.conversation.input import clean
from chattykg.conversation.referent_lookup import referents
from chattykg.state import AgentState, Desk


def is_question(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that there is a question in the reply."""
    if not any(mark.isalnum() for mark in reply["question"]):
        yield Problem("question", "Reply with the whole question; it was empty.")


@lru_cache(maxsize=1)
def prompted() -> Agent:
    """Return the agent of ``answer/rephraser``."""
    return agent("answer/rephraser", is_question, cuts=(Cut("history", latest=True), Cut("referents", latest=True)))


def rephraser(state: AgentState, desk: Desk) -> AgentState:
    """Replace the question by one that stands alone; if no reply can be used, the question goes on as it is."""
    settings = desk.settings
    with desk.timed("understanding"):
        known = referents(state["history"], desk.kg, settings.shown_answers)
        variables = {
            "question": state["question"],
            "history": Context(state["history"], settings.shown_answers),
            "referents": known,
        }
        try:
            reply = desk.ask(prompted(), variables)
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            return {"route": "card", "referents": known}
    return {
        "route": "card",
        "referents": known,
        "standalone": clean(reply.value["question"])[: settings.question_limit],
    }
