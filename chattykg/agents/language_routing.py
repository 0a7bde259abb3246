"""What becomes of a question in another language than the KG's, or than those that its reader reads."""

from __future__ import annotations

from chattyshared.dialogue import History

from chattykg.conversation.language_id import content_words, detect_conversation_language, label_language, language_name
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card
from chattykg.state import ENTRY_NODES, AgentContext, AgentState, make_refusal


def route_by_language(question: str, history: History, context: AgentContext) -> AgentState:
    """Say where a question goes for its language's sake; nothing ({}) where its language is no matter.

    A model translates it into the KG's language, unless the KG knows each of its words as it stands. Rules read English
    only: of other languages they take a question of names and labels, and no other, since they would guess.

    Raises:
        EndpointError: the KG could not be asked.
    """
    tag = detect_conversation_language(question, history)
    if not tag:
        return {}
    is_read = context.model_strategy_of(ENTRY_NODES[context.strategies[0]]).reads_language(tag)
    is_foreign = tag != label_language(context.kg)
    if is_read and not is_foreign:
        return {}
    card = build_vocabulary_card(question, context.kg)
    if is_read and _are_known(content_words(question, tag), card):
        return {}
    if is_foreign and context.model_strategy_of("translator").reads_language(tag):
        return {"needs_translation": True}
    if is_read:
        return {}
    words = content_words(question, tag, light_only=True)
    if _are_known(words, card):
        return {"needs_context": False, "standalone": _to_keywords(question, words, card)}
    why = f"the question seems to be in {language_name(tag)}, and the embedded rules read English only."
    return {"answer": make_refusal("language", why)}


def _are_known(words: tuple[tuple[int, int], ...], card: VocabularyCard) -> bool:
    """Tell whether each of some words stands in a name, a value or a label that the KG has."""
    return bool(words) and all(any(m.start <= start and end <= m.end for m in card.mentions) for start, end in words)


def _to_keywords(question: str, words: tuple[tuple[int, int], ...], card: VocabularyCard) -> str:
    """Return a question without its light words; those within a name or a value stay."""
    name_spans = [(m.start, m.end) for m in card.mentions if m.kind in ("vertex", "value")]
    kept = sorted({*words, *name_spans})
    inner = [span for span in kept if not any(o != span and o[0] <= span[0] and span[1] <= o[1] for o in kept)]
    return " ".join(question[start:end] for start, end in inner)
