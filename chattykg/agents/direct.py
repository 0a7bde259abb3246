"""The direct strategy: the model writes the whole query in one call; a query that fails is sent back to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.dialogue import Answer
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.prompt import load_prompt
from chattyshared.sparql.rewriting import rename_iris

from chattykg.agents.outcomes import known_vertices, leave_out, settle_missing_referent, settle_readings
from chattykg.conversation.language_id import label_language, language_name
from chattykg.direct.attempt import QueryAttempts
from chattykg.direct.namesakes import find_name_ambiguity
from chattykg.direct.outcome import QueryOutcome, build_outcome_answer, read_reply
from chattykg.direct.schema_prompt import SchemaPrompt, build_schema_prompt
from chattykg.experience.rendering import render_queries
from chattykg.exploration.escalation import AttemptLog, find_reason_to_explore
from chattykg.state import AgentContext, AgentState, make_not_stated_refusal, make_refusal, make_unused_refusal

FIRST_ATTEMPT_CONFIDENCE, REPAIRED_CONFIDENCE = 0.9, 0.7
"""Confidence (0 to 1) in a query that passed at once, and in one that was repaired."""

_MAX_REFERENT = 60
"""Characters of a phrase that a question back shows."""
_MAX_REFINED_QUESTION, _MAX_REFINED_QUERY = 200, 600
"""Characters of the question before a follow-up, and of its query; a longer query is left out."""


def _is_thing(line: str, _: Any) -> bool:
    return line.startswith("e:")


_CUTS = (TruncatableVariable("briefing", must_keep=_is_thing), TruncatableVariable("examples"))
AGENT = replace(load_agent("answer/direct", truncatable=_CUTS), read_text=read_reply)
LEAN_AGENT = replace(
    load_agent("answer/lean", truncatable=_CUTS),
    prompt=replace(load_prompt("answer/lean"), name=AGENT.name),
    read_text=read_reply,
    is_plain=True,
)
"""The same agent with a prompt for small models, who reply with the bare query."""
SMALL_THETA = 2
"""Attempts of a small model in all."""


def direct(state: AgentState, context: AgentContext) -> AgentState:
    """Let the model write the query of the standalone question; its result is the answer."""
    with context.measure_time("selection"):
        question, card = state["standalone"], state["card"]
        schema_prompt = open_schema_prompt(state, context)
        # The agent, if it comes next, sees what is wrong with a query, and repairs it with more at hand.
        is_agent_next = "agent" in state["remaining_strategies"]
        is_lean, most = context.prompt_size == "lean", context.settings.theta
        most = min(most, SMALL_THETA) if context.model_strategy_of("direct").is_small else most
        theta = 1 if is_agent_next else most
        attempts = QueryAttempts(
            context.kg, schema_prompt, question, card, most, context.progress.report_query, repairs=is_lean
        )
        log, error = AttemptLog(attempts), ""
        asked = replace(LEAN_AGENT if is_lean else AGENT, checks=(log.check_reply,))
        try:
            context.request_reply(asked, query_variables(state, context, schema_prompt), theta=theta)
        except (ReplyInvalid, ModelRefused, ContextTooLong) as failure:
            error = str(failure)
            log.record_failure(failure)
        finally:
            context.candidate_queries += attempts.executed_queries
    is_mended = attempts.is_repaired or (attempts.outcome is not None and bool(attempts.outcome.repairs))
    confidence = REPAIRED_CONFIDENCE if is_mended else FIRST_ATTEMPT_CONFIDENCE
    update = conclude_attempts(attempts, state, context, confidence, error)
    if not is_agent_next:
        return update
    return {**update, "attempt_log": log, "reason_to_explore": find_reason_to_explore(log)}


def open_schema_prompt(state: AgentState, context: AgentContext) -> SchemaPrompt:
    """Return the schema prompt of the standalone question.

    Raises:
        EndpointError: the KG could not be asked.
    """
    rejected, is_foreign = state.get("rejected", frozenset()), bool(_language_note(state, context))
    size = context.prompt_size if state["strategy"] == "direct" else "full"
    return build_schema_prompt(context.kg, state["card"], rejected, is_foreign=is_foreign, size=size)


def query_variables(state: AgentState, context: AgentContext, schema_prompt: SchemaPrompt) -> dict[str, Any]:
    """Return what a prompt for a whole query shows of the question."""
    examples = context.find_examples(state["standalone"], state["card"])
    return {
        "question": describe_question(state, context, schema_prompt),
        "briefing": schema_prompt,
        "examples": render_queries(examples, schema_prompt.query_name, schema_prompt.prefixes),
    }


def describe_question(state: AgentState, context: AgentContext, schema_prompt: SchemaPrompt) -> str:
    """Return the standalone question with what a model must know of its language and of the question before it."""
    return state["standalone"] + _language_note(state, context) + _refined_question(state, schema_prompt)


def _refined_question(state: AgentState, schema_prompt: SchemaPrompt) -> str:
    """Return how a rewritten question was asked, and the one before it with its query; "" for other questions."""
    if "referents" not in state or not state["history"] or state["standalone"] == state["question"]:
        return ""
    exchange = state["history"][-1]
    query = rename_iris(exchange.answer.sparql, schema_prompt.query_name)
    if not (exchange.answer.values and query) or len(query) > _MAX_REFINED_QUERY:
        return ""
    texts = (state["question"], exchange.answer.standalone or exchange.question)
    asked, before = (" ".join(text.replace('"', "'").split())[:_MAX_REFINED_QUESTION] for text in texts)
    return f'\n(It was asked as "{asked}", after "{before}" with the query: {query})'


def conclude_attempts(
    attempts: QueryAttempts, state: AgentState, context: AgentContext, confidence: float, error: str = ""
) -> AgentState:
    """Return the answer of the attempts; ``error`` tells why there is no reply that passed its checks.

    Raises:
        EndpointError: the KG could not be asked.
    """
    outcome = attempts.outcome
    if attempts.missing_referent:
        phrase = attempts.missing_referent[:_MAX_REFERENT]
        return {"answer": settle_missing_referent(phrase, f'What do you mean by "{phrase}"? Please name it.', context)}
    if attempts.restricting:
        return {"answer": make_unused_refusal(attempts.restricting)}
    if outcome is None:
        return {"answer": _refusal(attempts, error)}
    if confidence < context.settings.threshold:
        why = f"the query is too unsure ({confidence:.2f})."
        return {"answer": make_refusal("too-unsure", why, sparql=outcome.sparql)}
    with context.measure_time("execution"):
        answer = _answer_outcome(attempts, outcome, state, context, confidence)
    return {"answer": leave_out(answer, outcome.unused) if outcome.unused and answer.values else answer}


def _answer_outcome(
    attempts: QueryAttempts, outcome: QueryOutcome, state: AgentState, context: AgentContext, confidence: float
) -> Answer:
    """Return the answer of an outcome; of several things of one name the settings say what happens."""
    schema_prompt, question, limit = attempts.schema_prompt, state["standalone"], context.settings.row_limit
    executed, known = attempts.executed_queries, known_vertices(state)
    try:
        found = find_name_ambiguity(outcome, schema_prompt, question, context.kg, attempts.run_query, known)
    finally:
        context.candidate_queries += attempts.executed_queries - executed
    ambiguity, narrowed = found or (None, outcome)
    answer = build_outcome_answer(narrowed, schema_prompt, context.kg, limit, confidence)
    return answer if ambiguity is None else settle_readings(answer, ambiguity, context)


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


def _refusal(attempts: QueryAttempts, error: str = "") -> Answer:
    """Return a refusal: the graph does not state it, or no query could be written."""
    if attempts.failure is not None and attempts.failure.rule == "empty":
        return make_not_stated_refusal(attempts.sparql)
    why = attempts.failure.sentence if attempts.failure is not None else error
    return make_refusal("too-unsure", f"no query could be written: {why[:300]}", sparql=attempts.sparql)
