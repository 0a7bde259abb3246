"""Routing of questions in a language that is not the KG's, or that the model does not read."""

from __future__ import annotations

from chattyshared.dialogue import History
from chattyshared.language.identification import UNTAGGED

from chattykg.conversation.language_id import (
    content_words,
    detect_conversation_language,
    label_language,
    language_name,
)
from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card
from chattykg.state import ENTRY_NODES, AgentContext, AgentState, make_refusal

MIN_NAMED_SHARE = 0.9
"""Share (0 to 1) of the predicates that a prompt names from which a question in another language is read as it is; set
by hand."""


def route_by_language(question: str, history: History, context: AgentContext) -> AgentState:
    """Return what the language of a question changes in the state; {} if it changes nothing.

    ``Settings.translate`` says whether a model translates the question into the KG's language: with ``auto``
    unless it can be read as it is. The rules do not translate: they read a language in which the KG labels its
    predicates. A model that does not read the language gets only questions of known names and labels, without their
    function words.

    Raises:
        EndpointError: the KG could not be asked.
    """
    tag = detect_conversation_language(question, history)
    if not tag:
        return {}
    foreign: AgentState = {"foreign_language": "" if tag == label_language(context.kg) else tag}
    return foreign | _route(question, tag, context, stands_alone=not history)


def _route(question: str, tag: str, context: AgentContext, *, stands_alone: bool) -> AgentState:
    """Return how a question in a language goes on: translated, as it is, as keywords, or with a refusal.

    A later question may owe words to the conversation that the graph does not know.
    """
    strategy = context.model_strategy_of(ENTRY_NODES[context.strategies[0]])
    is_foreign = tag != label_language(context.kg)
    is_labelled = strategy.is_promptable or not is_foreign or tag in (UNTAGGED, *context.kg.vocabulary.languages)
    is_read = strategy.reads_language(tag) and is_labelled
    mode = context.settings.translate
    translator = context.model_strategy_of("translator")
    can_translate = mode != "never" and is_foreign and translator.is_promptable and translator.reads_language(tag)
    if can_translate and mode == "always":
        return {"needs_translation": True}
    if is_read and not (is_foreign and strategy.is_promptable and can_translate):
        return {}
    card = build_vocabulary_card(question, context.kg)
    names = sorted({(mention.start, mention.end) for mention in card.mentions})
    is_known = stands_alone and _are_known(content_words(question, tag, names), card)
    if is_read and (is_known or _is_readable(tag, card, context)):
        return {}
    if can_translate:
        return {"needs_translation": True}
    if is_read:
        return {}
    words = content_words(question, tag, names, light_only=True)
    if _are_known(words, card):
        return {"needs_context": False, "standalone": _to_keywords(question, words, card)}
    read = "English, and German where the graph has German labels"
    why = f"the question seems to be in {language_name(tag)}, and the embedded rules read {read}"
    return {"answer": make_refusal("language", f"{why}; a language model (--model) reads other languages.")}


def _is_readable(tag: str, card: VocabularyCard, context: AgentContext) -> bool:
    """Tell whether a model reads a question in another language than the KG's without a translation.

    It does where the vocabulary is linked by its labels in that language, where a model that writes the query is shown
    nearly all of it by name, or where it searches the vocabulary itself.
    """
    if card.language.tag == tag and tag in context.kg.vocabulary.languages:
        return True
    strategy = context.strategies[0]
    if strategy == "direct":
        return build_schema_prompt(context.kg, card).named_share >= MIN_NAMED_SHARE
    return strategy in ("agent", "mkgqagent")


def _are_known(words: tuple[tuple[int, int], ...], card: VocabularyCard) -> bool:
    """Tell whether each of some words lies in a mention of the card; false without words."""
    return bool(words) and all(any(m.start <= start and end <= m.end for m in card.mentions) for start, end in words)


def _to_keywords(question: str, words: tuple[tuple[int, int], ...], card: VocabularyCard) -> str:
    """Return a question without its light words; those within a name or a value stay."""
    name_spans = [(m.start, m.end) for m in card.mentions if m.kind in ("vertex", "value")]
    kept = sorted({*words, *name_spans})
    inner = [span for span in kept if not any(o != span and o[0] <= span[0] and span[1] <= o[1] for o in kept)]
    return " ".join(question[start:end] for start, end in inner)
