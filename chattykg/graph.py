"""The multi-agent graph: its nodes, its edges and the decisions between them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from chattykg.agents.agent import agent
from chattykg.agents.chat import receive, respond, retry
from chattykg.agents.direct import direct
from chattykg.agents.matching import matching
from chattykg.agents.mkgqagent import mkgqagent
from chattykg.agents.planning import planning
from chattykg.agents.qir import qir
from chattykg.agents.readings import choose_reading
from chattykg.agents.rephrasing import classifier, rephraser, translator
from chattykg.agents.turns import TurnState, answer_part, split_turn
from chattykg.agents.vocabulary import vocabulary
from chattykg.state import ENTRY_NODES, AgentContext, AgentFunction, AgentState
from chattykg.steps import describe_update
from chattykg.triad.strategy import triad

AGENTS: Mapping[str, AgentFunction] = {
    "receive": receive,
    "classifier": classifier,
    "rephraser": rephraser,
    "translator": translator,
    "vocabulary": vocabulary,
    "qir": qir,
    "matching": matching,
    "planning": planning,
    "readings": choose_reading,
    "direct": direct,
    "agent": agent,
    "mkgqagent": mkgqagent,
    "triad": triad,
    "retry": retry,
    "respond": respond,
}
"""The nodes by name. To replace one, hand ``compile_graph`` another function."""

CHATTY_AGENTS = ("classifier", "rephraser", "translator", "qir", "matching", "planning", "direct", "agent")
TRIAD_AGENTS = ("template", "entities", "relations", "query")
MODEL_AGENTS: tuple[str, ...] = (*CHATTY_AGENTS, *TRIAD_AGENTS)
"""The agents that ask a language model; each may have one of its own."""

_MAX_TURN_STEPS = 60
"""More than the parts of a turn can be, each of which may become several."""


def compile_graph(agents: Mapping[str, AgentFunction] = AGENTS) -> Any:
    """Compile the graph of one question, which serves any number of threads; LangGraph is imported here, not before."""
    from langgraph.graph import END, START, StateGraph

    builder: Any = StateGraph(AgentState, context_schema=AgentContext)
    for name, function in agents.items():
        builder.add_node(name, partial(_call_agent, function))
    builder.add_edge(START, "receive")
    builder.add_conditional_edges(
        "receive", after_receive, ["translator", "classifier", "rephraser", "vocabulary", "respond"]
    )
    builder.add_conditional_edges("classifier", after_classifier, ["rephraser", "vocabulary"])
    builder.add_conditional_edges("rephraser", after_rephraser, ["vocabulary", "respond"])
    builder.add_edge("translator", "vocabulary")
    builder.add_conditional_edges(
        "vocabulary", after_vocabulary, ["qir", "direct", "agent", "mkgqagent", "triad", "respond"]
    )
    builder.add_conditional_edges("qir", partial(after_stage, "matching"), ["matching", "retry", "respond"])
    builder.add_conditional_edges("matching", after_matching, ["planning", "readings"])
    builder.add_edge("planning", "readings")
    builder.add_conditional_edges("readings", after_reading, ["matching", "retry", "respond"])
    builder.add_conditional_edges("direct", after_strategy, ["retry", "respond"])
    builder.add_edge("agent", "respond")
    builder.add_edge("mkgqagent", "respond")
    builder.add_edge("triad", "respond")
    builder.add_conditional_edges("retry", strategy_entry, ["qir", "direct", "agent"])
    builder.add_edge("respond", END)
    return builder.compile()


def compile_turn_graph(agents: Mapping[str, AgentFunction] = AGENTS) -> Any:
    """Compile the graph of a turn, which asks that of one question once for each of its parts."""
    from langgraph.graph import END, START, StateGraph

    question_graph = compile_graph(agents)
    builder: Any = StateGraph(TurnState, context_schema=AgentContext)
    builder.add_node("split", lambda state, runtime: split_turn(state, runtime.context))
    builder.add_node("question", lambda state, runtime: answer_part(question_graph, state, runtime.context))
    builder.add_edge(START, "split")
    builder.add_conditional_edges("split", after_part, ["question", END])
    builder.add_conditional_edges("question", after_part, ["question", END])
    return builder.compile().with_config(recursion_limit=_MAX_TURN_STEPS)


def after_part(state: TurnState) -> str:
    """Go on with the next part of a turn."""
    return "question" if state["parts"] else "__end__"


def after_receive(state: AgentState) -> str:
    """Choose by language and conversation; the direct strategy needs no classifier, its rephraser decides alone."""
    if state.get("answer") is not None:
        return "respond"
    if state.get("needs_translation"):
        return "translator"
    if not state.get("needs_context"):
        return "vocabulary"
    return "classifier" if state["strategy"] == "staged" else "rephraser"


def after_classifier(state: AgentState) -> str:
    """Send a follow-up question to the rephraser."""
    return "rephraser" if state.get("is_follow_up") else "vocabulary"


def after_rephraser(state: AgentState) -> str:
    """Leave a question that became several to the graph of the turn, which answers one after the other."""
    return "respond" if state.get("questions") else "vocabulary"


def after_vocabulary(state: AgentState) -> str:
    """Enter the strategy, unless the question asks for a description or refers to something that nobody named."""
    return strategy_entry(state) if state.get("answer") is None else "respond"


def strategy_entry(state: AgentState) -> str:
    """Enter the strategy that is to be tried now."""
    return ENTRY_NODES[state["strategy"]]


def after_stage(following: str, state: AgentState) -> str:
    """Go on with the next stage of a strategy, unless this one ended it with an answer."""
    return following if state.get("answer") is None else after_strategy(state)


def after_matching(state: AgentState) -> str:
    """Build queries, unless a mention of this reading has no link."""
    return "planning" if state.get("answer") is None else "readings"


def after_reading(state: AgentState) -> str:
    """Go on with the next reading of the question, if one is open."""
    return "matching" if state["readings"] else after_strategy(state)


def after_strategy(state: AgentState) -> str:
    """Retry with the next strategy: with the agent if the direct one leaves something to be looked up, with another if
    there are no values."""
    answer = state["answer"]
    if "agent" in state["remaining_strategies"]:
        return "retry" if state.get("reason_to_explore") else "respond"
    is_empty = answer is None or answer.status in ("empty", "unknown")
    is_open = state["remaining_strategies"] or state.get("with_quoted_names")
    return "retry" if is_empty and is_open else "respond"


def render_mermaid(agents: Mapping[str, AgentFunction] = AGENTS) -> str:
    """Return the graph as the text of a Mermaid diagram, one node or edge a line."""
    return str(compile_graph(agents).get_graph().draw_mermaid()).strip()


def _call_agent(function: AgentFunction, state: AgentState, runtime: Any) -> AgentState:
    context: AgentContext = runtime.context
    context.progress.check_stop()
    update = function(state, context)
    for step in describe_update(state["question"], update):
        context.progress.report(step)
    return update
