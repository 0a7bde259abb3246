"""The direct strategy: the model writes the whole query in one call; a query that fails is sent back to it."""

from __future__ import annotations

from chattyshared.agent import Agent, TruncatableVariable, load_agent
from chattyshared.dialogue import Answer
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid

from chattykg.agents.readings import leave_out
from chattykg.conversation.language_id import label_language, language_name
from chattykg.direct.answer_building import build_outcome_answer
from chattykg.direct.attempt import QueryAttempts
from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.experience.rendering import render_queries
from chattykg.state import AgentContext, AgentState, make_not_stated_refusal, make_refusal, make_unused_refusal

FIRST_ATTEMPT_CONFIDENCE, REPAIRED_CONFIDENCE = 0.9, 0.7
"""Confidence (0 to 1) in a query that passed at once, and in one that was repaired."""


AGENT = load_agent("answer/direct", truncatable=(TruncatableVariable("briefing"), TruncatableVariable("examples")))


def direct(state: AgentState, context: AgentContext) -> AgentState:
    """Let the model write the query of the standalone question; its result is the answer."""
    with context.measure_time("selection"):
        question, card = state["standalone"], state["card"]
        schema_prompt = build_schema_prompt(context.kg, card)
        attempts = QueryAttempts(
            context.kg, schema_prompt, question, card, context.settings.theta, context.progress.report_query
        )
        variables = {
            "question": question + _language_note(state, context),
            "briefing": schema_prompt,
            "examples": render_queries(context.find_examples(question, card), schema_prompt.prefixed_name),
        }
        try:
            context.request_reply(Agent(AGENT.prompt, (attempts.check_reply,), AGENT.truncatable), variables)
        except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
            if attempts.outcome is None:
                return {"answer": _refusal(attempts, str(error))}
        finally:
            context.candidate_queries += attempts.executed_queries
    if attempts.restricting:
        return {"answer": make_unused_refusal(attempts.restricting)}
    if attempts.outcome is None:
        return {"answer": _refusal(attempts)}
    if _confidence(attempts) < context.settings.threshold:
        why = f"the query is too unsure ({_confidence(attempts):.2f})."
        return {"answer": make_refusal("too-unsure", why, sparql=attempts.outcome.sparql)}
    with context.measure_time("execution"):
        answer = build_outcome_answer(
            attempts.outcome, schema_prompt, context.kg, context.settings.row_limit, _confidence(attempts)
        )
    unused = attempts.outcome.unused
    return {"answer": leave_out(answer, unused) if unused else answer}


def _language_note(state: AgentState, context: AgentContext) -> str:
    """Return what a model must know of the language of a question that was not translated; "" for others."""
    asked = state.get("foreign_language", "")
    if not asked or state.get("needs_translation"):
        return ""
    labels = language_name(label_language(context.kg))
    return (
        f"\n(The question is in {language_name(asked)}, the labels are in {labels}: a name that is not listed may be"
        f" written otherwise in {labels}; match that.)"
    )


def _confidence(attempts: QueryAttempts) -> float:
    return REPAIRED_CONFIDENCE if attempts.is_repaired else FIRST_ATTEMPT_CONFIDENCE


def _refusal(attempts: QueryAttempts, error: str = "") -> Answer:
    """Return a refusal: the graph does not state it, or no query could be written."""
    if attempts.failure is not None and attempts.failure.rule == "empty":
        return make_not_stated_refusal(attempts.sparql)
    why = attempts.failure.sentence if attempts.failure is not None else error
    return make_refusal("too-unsure", f"no query could be written: {why[:300]}", sparql=attempts.sparql)
