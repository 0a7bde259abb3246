"""The multi-agent graph: nodes and edges, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from chattykg.agents.chat import chat
from chattykg.agents.classifier import classifier
from chattykg.agents.direct import direct
from chattykg.agents.matching import matching
from chattykg.agents.planning import planning
from chattykg.agents.qir import qir
from chattykg.agents.rephraser import rephraser
from chattykg.agents.translator import translator
from chattykg.agents.vocabulary import vocabulary
from chattykg.state import AgentContext, AgentFunction, AgentState

AGENTS: Mapping[str, AgentFunction] = {
    "chat": chat,
    "classifier": classifier,
    "rephraser": rephraser,
    "translator": translator,
    "card": vocabulary,
    "qir": qir,
    "matching": matching,
    "planning": planning,
    "direct": direct,
}
"""The agents by name; any of them is replaced by handing another function to ``compiled``."""

MODEL_AGENTS = ("classifier", "rephraser", "translator", "qir", "matching", "planning", "direct")
"""The agents that ask a language model; each may have one of its own."""

ROUTES: Mapping[str, tuple[str, ...]] = {
    "chat": ("classifier", "rephraser", "translator", "card", "qir", "direct", "end"),
    "classifier": ("rephraser", "card"),
    "rephraser": ("card",),
    "translator": ("card",),
    "card": ("qir", "direct"),
    "qir": ("matching", "chat"),
    "matching": ("planning", "chat"),
    "planning": ("chat",),
    "direct": ("chat",),
}
"""Where each agent may send the state."""


def compile_graph(agents: Mapping[str, AgentFunction] = AGENTS) -> Any:
    """Compile the graph; one compiled graph serves any number of threads. LangGraph is imported here, not before."""
    from langgraph.graph import END, START, StateGraph

    builder: Any = StateGraph(AgentState, context_schema=AgentContext)
    for name, function in agents.items():
        builder.add_node(name, partial(_seated, function))
    builder.add_edge(START, "chat")
    for name, following in ROUTES.items():
        ends = {route: END if route == "end" else route for route in following}
        builder.add_conditional_edges(name, _route, ends)
    return builder.compile()


def render_mermaid(agents: Mapping[str, AgentFunction] = AGENTS) -> str:
    """Return the graph as the text of a Mermaid diagram, one node or route a line."""
    return str(compile_graph(agents).get_graph().draw_mermaid()).strip()


def _seated(function: AgentFunction, state: AgentState, runtime: Any) -> AgentState:
    return function(state, runtime.context)


def _route(state: AgentState) -> str:
    return state["route"]
