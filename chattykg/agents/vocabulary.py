"""The card stage: what of the KG is near the question; no agent, but a plain stage of the graph."""

from __future__ import annotations

from chattykg.linking.vocabulary_card import CANDIDATES, build
from chattykg.state import ENTRANCES, AgentState, Desk


def card(state: AgentState, desk: Desk) -> AgentState:
    """Build the vocabulary card of the question that stands alone, and send it to the first strategy."""
    first, limit = desk.order[0], min(CANDIDATES, desk.settings.vertex_limit)
    with desk.timed("understanding"):
        return {
            "card": build(state["standalone"], desk.kg, limit=limit, names=state.get("names", ())),
            "route": ENTRANCES[first],
            "tried": (first,),
        }
