"""The card stage: what of the KG is near the question; no agent, but a plain stage of the graph."""

from __future__ import annotations

from chattykg.linking.vocabulary_card import MAX_CANDIDATES, build_vocabulary_card
from chattykg.state import ENTRY_NODES, AgentContext, AgentState


def vocabulary(state: AgentState, context: AgentContext) -> AgentState:
    """Build the vocabulary card of the question that stands alone, and send it to the first strategy."""
    first, limit = context.strategies[0], min(MAX_CANDIDATES, context.settings.vertex_limit)
    with context.measure_time("understanding"):
        return {
            "card": build_vocabulary_card(state["standalone"], context.kg, limit=limit, aliases=state.get("names", ())),
            "route": ENTRY_NODES[first],
            "tried": (first,),
        }
