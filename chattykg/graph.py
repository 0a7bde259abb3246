"""The multi-agent graph: nodes and edges, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from chattykg.agents.card import card
from chattykg.agents.chat import chat
from chattykg.agents.classifier import classifier
from chattykg.agents.matching import matching
from chattykg.agents.planning import planning
from chattykg.agents.qir import qir
from chattykg.agents.rephraser import rephraser
from chattykg.state import AgentFunction, AgentState, Desk

AGENTS: Mapping[str, AgentFunction] = {
    "chat": chat,
    "classifier": classifier,
    "rephraser": rephraser,
    "card": card,
    "qir": qir,
    "matching": matching,
    "planning": planning,
}
"""The agents by name; any of them is replaced by handing another function to ``compiled``."""

ROUTES: Mapping[str, tuple[str, ...]] = {
    "chat": ("classifier", "card", "end"),
    "classifier": ("rephraser", "card"),
    "rephraser": ("card",),
    "card": ("qir",),
    "qir": ("matching", "chat"),
    "matching": ("planning", "chat"),
    "planning": ("chat",),
}
"""Where each agent may send the state."""


def compiled(agents: Mapping[str, AgentFunction] = AGENTS) -> Any:
    """Compile the graph; one compiled graph serves any number of threads. LangGraph is imported here, not before."""
    from langgraph.graph import END, START, StateGraph

    builder: Any = StateGraph(AgentState, context_schema=Desk)
    for name, function in agents.items():
        builder.add_node(name, partial(_seated, function))
    builder.add_edge(START, "chat")
    for name, following in ROUTES.items():
        ends = {route: END if route == "end" else route for route in following}
        builder.add_conditional_edges(name, _route, ends)
    return builder.compile()


def _seated(function: AgentFunction, state: AgentState, runtime: Any) -> AgentState:
    return function(state, runtime.context)


def _route(state: AgentState) -> str:
    return state["route"]
