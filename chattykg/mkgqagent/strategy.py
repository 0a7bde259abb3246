"""The strategy mkgqagent: a model plans the steps, links and queries by tools, and sees one response of the graph."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid

from chattykg.agents.agent import EXPLORED_CONFIDENCE, REPAIRED_CONFIDENCE, conclude_exploration, run_exploration
from chattykg.agents.direct import describe_question
from chattykg.direct.schema_prompt import build_conventions
from chattykg.engines.switches import MkgqagentSwitches
from chattykg.exploration.actions import ANSWER, MAX_SHOWN_CHARACTERS, action_specs, check_action
from chattykg.exploration.graph_names import GraphNames, to_line
from chattykg.exploration.loop import Exploration, ExplorationStep
from chattykg.mkgqagent.feedback import FedBackAttempts
from chattykg.mkgqagent.pool import render_actions, render_plans
from chattykg.state import AgentContext, AgentState
from chattykg.steps import AnswerStep

TOOLS = ("search_entities", "search_predicates", "run", ANSWER)
LAST_STEP = "Answer: decide what is asked for (things, a number, a date, yes or no), and give the query of that form."
"""The step that ends each plan, and all of a plan that failed."""
_ANSWER_ONLY = "Only answer is left. If nothing above gives the answer, answer none."
_ONCE, _FINAL = "You will see once what the graph responds to your answer.", "Your answer is final."
_CONFIRM = (
    "Your query was executed: see the graph's response. If that is what is asked for, answer with the same query; else"
    " answer with a corrected one, or none. This answer is final."
)
_TRUNCATABLE = (TruncatableVariable("examples"), TruncatableVariable("steps", keeps_latest=True))
PLAN = load_agent("mkgqagent/plan", truncatable=_TRUNCATABLE[:1])
ACTION = load_agent("mkgqagent/action", truncatable=_TRUNCATABLE)


def mkgqagent(state: AgentState, context: AgentContext) -> AgentState:
    """Plan, act, and let the graph respond once to the first query; the query after that is the answer."""
    with context.measure_time("selection"):
        switches = context.settings.switches_of(MkgqagentSwitches)
        names = GraphNames(build_conventions(context.kg), context.kg)
        attempts = FedBackAttempts(
            context.kg, names.schema_prompt, state["standalone"], state["card"], context.settings.theta,
            context.progress.report_query, names=names, is_final=not switches.feedback,
        )  # fmt: skip
        exploration = _open_exploration(state, context, switches, attempts)
        why = run_exploration(exploration, context)
    confidence = REPAIRED_CONFIDENCE if attempts.is_corrected else EXPLORED_CONFIDENCE
    return conclude_exploration(exploration, why, state, context, confidence)


def _open_exploration(
    state: AgentState, context: AgentContext, switches: MkgqagentSwitches, attempts: FedBackAttempts
) -> Exploration:
    settings, progress, names = context.settings, context.progress, attempts.names
    question = describe_question(state, context, names.schema_prompt)
    examples = context.find_examples(state["standalone"], state["card"]) if switches.pool != "off" else ()
    shots = render_plans(examples, context.kg) if switches.pool in ("plan", "both") else ""
    variables = {
        "question": question,
        "briefing": names.schema_prompt.lines,
        "examples": render_actions(examples, names.schema_prompt) if switches.pool in ("action", "both") else "",
        "plan": _make_plan(question, shots, context) if switches.plan else "",
    }
    tools = tuple(spec for spec in action_specs() if spec.name in TOOLS)

    def ask(steps: tuple[ExplorationStep, ...], number: int) -> Any:
        left = settings.max_steps - number
        offered = tools if left > 0 else tools[:1]
        asked = replace(ACTION, checks=(partial(check_action, tools=offered),), tools=offered)
        shown = {"steps": steps, "turn": _describe_turn(left, attempts)}
        return context.request_reply(asked, {**variables, **shown}, theta=1).value

    return Exploration(
        context.kg, names, attempts, ask, settings.max_steps + switches.feedback, settings.theta, progress.report_query,
        lambda text: progress.report(AnswerStep("tool", text)),
    )  # fmt: skip


def _make_plan(question: str, shots: str, context: AgentContext) -> str:
    """Ask for a plan once; one that cannot be had leaves its last step."""
    try:
        steps = context.request_reply(PLAN, {"question": question, "examples": shots}, theta=1).value["steps"]
    except (ReplyInvalid, ModelRefused, ContextTooLong):
        steps = []
    lines = [to_line(step, MAX_SHOWN_CHARACTERS) for step in (*steps, LAST_STEP)]
    return "\n".join(("Plan:", *(f"{number}. {line}" for number, line in enumerate(lines, start=1))))


def _describe_turn(left: int, attempts: FedBackAttempts) -> str:
    if attempts.sparql and attempts.is_final:
        return _CONFIRM + (f" You may look up what is missing before ({left} calls)." if left > 0 else "")
    first = f"Your next call (then {left} more)." if left > 0 else _ANSWER_ONLY
    return f"{first} {_FINAL if attempts.is_final else _ONCE}"
