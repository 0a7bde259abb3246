"""The vocabulary stage: the part of the KG's vocabulary that is near the question. It asks no model."""

from __future__ import annotations

from chattykg.agents.description import answer_about_thing
from chattykg.agents.outcomes import settle_missing_referent
from chattykg.conversation.missing_referents import find_missing_referent
from chattykg.linking.vocabulary_card import MAX_CANDIDATES, VocabularyCard, build_vocabulary_card
from chattykg.state import AgentContext, AgentState


def vocabulary(state: AgentState, context: AgentContext) -> AgentState:
    """Build the vocabulary card of the standalone question; end with a description, or with a question that refers to
    nothing.
    """
    limit = min(MAX_CANDIDATES, context.settings.vertex_limit)
    with context.measure_time("understanding"):
        card = build_vocabulary_card(state["standalone"], context.kg, limit=limit, aliases=state.get("names", ()))
        described = answer_about_thing(state, card, context)
    if described is not None:
        return {"card": card, "answer": described}
    pronoun = _find_missing_referent(state, card)
    if pronoun:
        question = f'What do you mean by "{pronoun}"? Please name it.'
        return {"card": card, "answer": settle_missing_referent(pronoun, question, context)}
    return {"card": card}


def _find_missing_referent(state: AgentState, card: VocabularyCard) -> str:
    """Return the pronoun that refers to nothing; "" in a language that the rules do not read, and where the model that
    writes the query judges that itself.
    """
    is_unread = state.get("foreign_language") not in (None, "", card.language.tag)
    if (is_unread and not state.get("needs_translation")) or state["strategy"] != "staged":
        return ""
    return find_missing_referent(state["standalone"], card, has_referents=bool(state.get("referents")))
