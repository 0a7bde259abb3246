"""The translator agent: translates a question into the KG's language and makes it stand alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, History
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.language.identification import detect_language

from chattykg.conversation.context import ConversationContext, find_known_names
from chattykg.conversation.input import normalize_question
from chattykg.conversation.language_id import label_language, language_name
from chattykg.conversation.referent_lookup import find_referents
from chattykg.state import AgentContext, AgentState


def check_translation(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that there is a question in the reply, and that it contains the names."""
    if not any(mark.isalnum() for mark in reply["question"]):
        yield Problem("question", "Reply with the whole question; it was empty.")
    for pair in reply["names"]:
        if pair["name"] not in reply["question"]:
            yield Problem("names", f'"{pair["name"]}" does not stand in your question.')


_TRUNCATABLE = (TruncatableVariable("history", keeps_latest=True), TruncatableVariable("referents", keeps_latest=True))
AGENT = load_agent("answer/translator", check_translation, truncatable=_TRUNCATABLE)


def translate_clarification(answer: Answer, tag: str, context: AgentContext) -> Answer:
    """Return an answer whose question back is in the language of a tag; the same answer without a usable reply."""
    clarification = answer.clarification
    if clarification is None or detect_language(clarification.question) == tag:
        return answer
    variables = {
        "question": clarification.question, "history": "", "referents": (), "known": "(none)",
        "language": language_name(tag),
    }  # fmt: skip
    try:
        reply = context.request_reply(AGENT, variables)
    except (ReplyInvalid, ModelRefused, ContextTooLong):
        return answer
    return replace(answer, clarification=replace(clarification, question=normalize_question(reply.value["question"])))


def translator(state: AgentState, context: AgentContext) -> AgentState:
    """Translate the question into the KG's language; without a usable reply it stays as it is, with a note."""
    settings = context.settings
    history: History = state.get("history", ()) if state.get("system_mode") == "multi" else ()
    with context.measure_time("understanding"):
        referents = find_referents(history, context.kg, settings.shown_answers) if history else ()
        variables = {
            "question": state["question"],
            "history": ConversationContext(history, settings.shown_answers, shows_wording=True),
            "referents": referents,
            "known": find_known_names(state["question"], context.kg),
            "language": language_name(label_language(context.kg)),
        }
        try:
            reply = context.request_reply(AGENT, variables)
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            return {"referents": referents, "needs_translation": False, "is_untranslated": True}
    return {
        "referents": referents,
        "standalone": normalize_question(reply.value["question"])[: settings.question_limit],
        "names": tuple((pair["name"], pair["asked"]) for pair in reply.value["names"]),
    }
