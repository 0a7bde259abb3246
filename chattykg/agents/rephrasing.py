"""The agents that make a question stand alone: the classifier of follow-ups, the rephraser and the translator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, History
from chattyshared.language.identification import detect_language

from chattykg.conversation.context import ConversationContext, find_known_names, find_known_words, with_class_labels
from chattykg.conversation.input import normalize_question, split_questions
from chattykg.conversation.language_id import label_language, language_name
from chattykg.conversation.referents import find_referents
from chattykg.engines.switches import ChattySwitches
from chattykg.state import AgentContext, AgentState

_TRUNCATABLE = (TruncatableVariable("history", keeps_latest=True), TruncatableVariable("referents", keeps_latest=True))
CLASSIFIER = load_agent("answer/classifier", truncatable=_TRUNCATABLE[:1])


def classifier(state: AgentState, context: AgentContext) -> AgentState:
    """Tell whether the question is a follow-up; without a usable reply it stands alone."""
    if not context.settings.switches_of(ChattySwitches).classifier:
        return {"is_follow_up": True}
    conversation = ConversationContext(with_class_labels(state["history"], context.kg), context.settings.shown_answers)
    with context.measure_time("understanding"):
        known = find_known_words(state["question"], state["history"], context.kg)
        variables = {"question": state["question"], "history": conversation, "known": known}
        reply = context.try_reply(CLASSIFIER, variables) or {"kind": ""}
    return {"is_follow_up": reply["kind"] == "follow-up", "known_words": known}


def check_question(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that there is a question in the reply."""
    if not any(mark.isalnum() for mark in reply["question"]):
        yield Problem("question", "Reply with the whole question; it was empty.")


REPHRASER = load_agent("answer/rephraser", check_question, truncatable=_TRUNCATABLE)


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
        reply = context.try_reply(REPHRASER, variables)
    if reply is None:
        return {"referents": referents}
    standalone = normalize_question(reply["question"])[: settings.question_limit]
    questions = split_questions(standalone) if state["strategy"] == "staged" else ()
    if len(questions) > 1:  # a written query answers all questions of a turn
        return {"referents": referents, "standalone": standalone, "questions": questions, "answer": Answer()}
    return {"referents": referents, "standalone": standalone}


def check_translation(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that there is a question in the reply, and that it contains the names."""
    yield from check_question(reply, variables)
    for pair in reply["names"]:
        if pair["name"] not in reply["question"]:
            yield Problem("names", f'"{pair["name"]}" does not stand in your question.')


TRANSLATOR = load_agent("answer/translator", check_translation, truncatable=_TRUNCATABLE)


def translate_clarification(answer: Answer, tag: str, context: AgentContext) -> Answer:
    """Return an answer whose question back is in the language of a tag; the same answer without a usable reply."""
    clarification = answer.clarification
    if clarification is None or detect_language(clarification.question) == tag:
        return answer
    variables = {
        "question": clarification.question, "history": "", "referents": (), "known": "(none)",
        "language": language_name(tag),
    }  # fmt: skip
    if (reply := context.try_reply(TRANSLATOR, variables)) is None:
        return answer
    return replace(answer, clarification=replace(clarification, question=normalize_question(reply["question"])))


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
        reply = context.try_reply(TRANSLATOR, variables)
    if reply is None:
        return {"referents": referents, "needs_translation": False, "is_untranslated": True}
    return {
        "referents": referents,
        "standalone": normalize_question(reply["question"])[: settings.question_limit],
        "names": tuple((pair["name"], pair["asked"]) for pair in reply["names"]),
    }
