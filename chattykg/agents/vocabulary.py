"""The vocabulary stage: the part of the KG's vocabulary that is near the question. It asks no model."""

from __future__ import annotations

from chattykg.linking.vocabulary_card import MAX_CANDIDATES, build_vocabulary_card
from chattykg.state import AgentContext, AgentState


def vocabulary(state: AgentState, context: AgentContext) -> AgentState:
    """Build the vocabulary card of the standalone question."""
    limit = min(MAX_CANDIDATES, context.settings.vertex_limit)
    with context.measure_time("understanding"):
        card = build_vocabulary_card(state["standalone"], context.kg, limit=limit, aliases=state.get("names", ()))
    return {"card": card}
