"""The classifier agent: does a question stand alone, or does it lean on what was said before?"""

from __future__ import annotations

from functools import lru_cache

from chattyshared.agent import Agent, Cut, agent
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid

from chattykg.conversation.context import Context, with_nouns
from chattykg.state import AgentState, Desk


@lru_cache(maxsize=1)
def prompted() -> Agent:
    """Return the agent of ``answer/classifier``."""
    return agent("answer/classifier", cuts=(Cut("history", latest=True),))


def classifier(state: AgentState, desk: Desk) -> AgentState:
    """Send a follow-up to the rephraser and any other question on; in doubt a question stands alone."""
    context = Context(with_nouns(state["history"], desk.kg), desk.settings.shown_answers)
    with desk.timed("understanding"):
        try:
            reply = desk.ask(prompted(), {"question": state["question"], "history": context})
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            return {"route": "card"}
    return {"route": "rephraser" if reply.value["kind"] == "follow-up" else "card"}
