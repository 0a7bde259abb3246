"""The classifier agent: is a question a follow-up, or does it stand alone?"""

from __future__ import annotations

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid

from chattykg.conversation.context import ConversationContext, find_known_words, with_class_labels
from chattykg.engines.switches import ChattySwitches
from chattykg.state import AgentContext, AgentState

AGENT = load_agent("answer/classifier", truncatable=(TruncatableVariable("history", keeps_latest=True),))


def classifier(state: AgentState, context: AgentContext) -> AgentState:
    """Tell whether the question is a follow-up; without a usable reply it stands alone."""
    if not context.settings.switches_of(ChattySwitches).classifier:
        return {"is_follow_up": True}
    conversation = ConversationContext(with_class_labels(state["history"], context.kg), context.settings.shown_answers)
    with context.measure_time("understanding"):
        known = find_known_words(state["question"], state["history"], context.kg)
        variables = {"question": state["question"], "history": conversation, "known": known}
        try:
            reply = context.request_reply(AGENT, variables)
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            return {"is_follow_up": False, "known_words": known}
    return {"is_follow_up": reply.value["kind"] == "follow-up", "known_words": known}
