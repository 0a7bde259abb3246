"""The agent strategy: the model looks into the graph by tools, step by step, and answers with a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.errors import ContextTooLong, ModelRefused

from chattykg.agents.direct import conclude_attempts, open_schema_prompt, query_variables
from chattykg.direct.attempt import QueryAttempts
from chattykg.exploration.actions import ANSWER, Action, action_specs, check_action
from chattykg.exploration.escalation import AttemptLog
from chattykg.exploration.graph_names import GraphNames, to_line
from chattykg.exploration.loop import Exploration, ExplorationStep, explore
from chattykg.state import AgentContext, AgentState, make_refusal
from chattykg.steps import AnswerStep

EXPLORED_CONFIDENCE, REPAIRED_CONFIDENCE, DOUBTFUL_CONFIDENCE = 0.8, 0.7, 0.5
"""Confidence (0 to 1) in an answer that passed at once, in one that was repaired, and in a doubtful one that nothing
better replaced. Set by hand."""
_MAX_REASON = 200
"""Characters of what was wrong with a reply that the reason of a refusal tells."""

AGENT = load_agent(
    "answer/agent",
    check_action,
    truncatable=(
        TruncatableVariable("briefing"),
        TruncatableVariable("examples"),
        TruncatableVariable("steps", keeps_latest=True),
    ),
)


def agent(state: AgentState, context: AgentContext) -> AgentState:
    """Let the model explore the graph, from what a direct attempt has seen; its accepted answer counts."""
    with context.measure_time("selection"):
        log = state.get("attempt_log")
        attempts = log.attempts if log else _open_attempts(state, context)
        attempts.doubts_each, attempts.theta = True, attempts.attempts + context.settings.max_steps
        exploration = _open_exploration(state, context, attempts, log)
        why = run_exploration(exploration, context)
    confidence = REPAIRED_CONFIDENCE if exploration.is_repaired else EXPLORED_CONFIDENCE
    return conclude_exploration(exploration, why, state, context, confidence)


def run_exploration(exploration: Exploration, context: AgentContext) -> str:
    """Run the loop; return why it led to no answer, if it did not."""
    executed = exploration.attempts.executed_queries
    try:
        return _describe_failure(exploration, explore(exploration))
    except (ModelRefused, ContextTooLong) as failure:
        return str(failure)
    finally:
        context.candidate_queries += exploration.attempts.executed_queries - executed + exploration.executed_queries


def conclude_exploration(
    exploration: Exploration, why: str, state: AgentState, context: AgentContext, confidence: float
) -> AgentState:
    """Return the answer that was accepted, with its confidence, or a doubtful one; ``why`` there is none otherwise."""
    attempts = exploration.attempts
    if exploration.is_answered:
        return {**conclude_attempts(attempts, state, context, confidence), "earlier_answer": None}
    if attempts.outcome is not None:
        return conclude_attempts(attempts, state, context, DOUBTFUL_CONFIDENCE)
    return {"answer": make_refusal("too-unsure", why, sparql=attempts.sparql)}


def _open_attempts(state: AgentState, context: AgentContext) -> QueryAttempts:
    schema_prompt = open_schema_prompt(state, context)
    steps, report = context.settings.max_steps, context.progress.report_query
    return QueryAttempts(context.kg, schema_prompt, state["standalone"], state["card"], steps, report)


def _open_exploration(
    state: AgentState, context: AgentContext, attempts: QueryAttempts, log: AttemptLog | None
) -> Exploration:
    names = GraphNames(attempts.schema_prompt, context.kg)
    variables = query_variables(state, context, attempts.schema_prompt)
    earlier = _show_attempts(log, state.get("reason_to_explore", "")) if log else ()
    max_steps = context.settings.max_steps

    def ask(steps: tuple[ExplorationStep, ...], number: int) -> Any:
        tools = action_specs() if number < max_steps else action_specs()[:1]
        shown = {"steps": (*earlier, *steps), "turn": _describe_turn(max_steps - number, bool(earlier or steps))}
        return context.request_reply(replace(AGENT, tools=tools), {**variables, **shown}, theta=1).value

    progress = context.progress
    return Exploration(
        context.kg, names, attempts, ask, max_steps, context.settings.theta, progress.report_query,
        lambda text: progress.report(AnswerStep("tool", text)),
    )  # fmt: skip


def _show_attempts(log: AttemptLog, reason: str) -> tuple[ExplorationStep, ...]:
    """Return what was tried before as steps; the last one has what is to be looked up."""
    count = len(log.entries)
    return tuple(
        ExplorationStep(
            0,
            Action(ANSWER, entry.reply).as_prompt_text(),
            reason if number == count else " ".join(problem.sentence for problem in entry.problems),
        )
        for number, entry in enumerate(log.entries, start=1)
    )


def _describe_failure(exploration: Exploration, steps: Sequence[ExplorationStep]) -> str:
    """Return why the steps led to no answer: what was wrong with the last reply, or with the last query."""
    if exploration.is_stuck:
        said = to_line(steps[-1].observation, _MAX_REASON)
        return f"the last {exploration.refused} replies of the model were no new calls of its tools: {said}"
    failure = exploration.attempts.failure
    last = f": {to_line(failure.sentence, _MAX_REASON)}" if failure and exploration.answers else "."
    return f"no query was found in {len(steps)} steps{last}"


def _describe_turn(steps_left: int, has_steps: bool) -> str:
    if not steps_left:
        return "This is your last call: only answer is left. If nothing above gives the answer, answer none."
    return f"Your next call (then {steps_left} more)" if has_steps else f"Your first call (then {steps_left} more)"
