"""The translator agent: a question in another language than the KG's becomes one in it, that stands alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from chattyshared.agent import Agent, Cut, agent
from chattyshared.check import Problem
from chattyshared.dialogue import History
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid

from chattykg.conversation.context import Context
from chattykg.conversation.input import clean
from chattykg.conversation.language_id import label_language, name_of
from chattykg.conversation.referent_lookup import referents
from chattykg.state import AgentState, Desk


def is_translated(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that there is a question in the reply, and that the names are names in it."""
    if not any(mark.isalnum() for mark in reply["question"]):
        yield Problem("question", "Reply with the whole question; it was empty.")
    for pair in reply["names"]:
        if pair["name"] not in reply["question"]:
            yield Problem("names", f'"{pair["name"]}" does not stand in your question.')


@lru_cache(maxsize=1)
def prompted() -> Agent:
    """Return the agent of ``answer/translator``."""
    cuts = (Cut("history", latest=True), Cut("referents", latest=True))
    return agent("answer/translator", is_translated, cuts=cuts)


def translator(state: AgentState, desk: Desk) -> AgentState:
    """Put the question into the KG's language; if no reply can be used, the question goes on as it is."""
    settings = desk.settings
    history: History = state.get("history", ()) if state.get("system_mode") == "multi" else ()
    with desk.timed("understanding"):
        known = referents(history, desk.kg, settings.shown_answers) if history else ()
        variables = {
            "question": state["question"],
            "history": Context(history, settings.shown_answers),
            "referents": known,
            "language": name_of(label_language(desk.kg)),
        }
        try:
            reply = desk.ask(prompted(), variables)
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            return {"route": "card", "referents": known}
    return {
        "route": "card",
        "referents": known,
        "standalone": clean(reply.value["question"])[: settings.question_limit],
        "names": tuple((pair["name"], pair["asked"]) for pair in reply.value["names"]),
    }
