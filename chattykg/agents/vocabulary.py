"""The vocabulary stage, which asks no model: the vocabulary near the question, or a description of what it names."""

from __future__ import annotations

from dataclasses import replace

from chattyshared.dialogue import Answer
from chattyshared.language.morphology import normalize_text

from chattykg.agents.outcomes import ask_which
from chattykg.conversation.clarification import label_options
from chattykg.conversation.exact_names import quote_exact_names
from chattykg.conversation.input import described_name
from chattykg.linking.label_lexicon import is_unknown_word
from chattykg.linking.vocabulary_card import MAX_CANDIDATES, Mention, VocabularyCard, build_vocabulary_card
from chattykg.query.descriptions import describe_class, describe_graph, describe_vertex
from chattykg.state import AgentContext, AgentState
from chattykg.suggestions import suggest_questions

_NEAR_BEST_SHARE = 0.93
"""Share (0..1) of the best label score from which a name means another thing as well."""


def vocabulary(state: AgentState, context: AgentContext) -> AgentState:
    """Build the vocabulary card of the standalone question; end with a description."""
    limit = min(MAX_CANDIDATES, context.settings.vertex_limit)
    with context.measure_time("understanding"):
        card = build_vocabulary_card(state["standalone"], context.kg, limit=limit, aliases=state.get("names", ()))
        named: AgentState = {}
        if state["strategy"] == "staged":
            standalone, with_all = quote_exact_names(state["standalone"], card, context.kg)
            named = {"standalone": standalone, "with_quoted_names": with_all if with_all != standalone else ""}
            card = build_vocabulary_card(standalone, context.kg, limit=limit, aliases=state.get("names", ()))
            state = {**state, **named}
        described = answer_about_thing(state, card, context)
    return {**named, "card": card, "answer": described}


def answer_about_graph(context: AgentContext) -> Answer:
    """Return the classes of the graph, with questions that it answers.

    Raises:
        EndpointError: the KG could not be asked.
    """
    return replace(describe_graph(context.kg), suggestions=suggest_questions(context.kg))


def answer_about_thing(state: AgentState, card: VocabularyCard, context: AgentContext) -> Answer | None:
    """Return what the graph states of the thing or class that is all that the question names; None for others.

    Raises:
        EndpointError: the KG could not be asked.
    """
    question = state["standalone"]
    name, article = described_name(question)
    start = question.rfind(name)
    mentions = [m for m in card.mentions if name and m.start <= start and start + len(name) <= m.end]
    classes = [m for m in mentions if m.kind == "class" and m.start == start]
    if classes and article.lower() in ("a", "an"):
        return describe_class(name, classes[0].iris[0], context.kg)
    named = next((m for m in mentions if m.kind == "vertex" and m.hits), None)
    if named is None and not mentions and any(is_unknown_word(w, card.language.morphology) for w in name.split()):
        named = _mention_by_words(name, context)
    return _describe_named(named, state, context) if named is not None and not classes else None


def _mention_by_words(name: str, context: AgentContext) -> Mention | None:
    """Return the mention of a name in small letters that is a part of labels ("curie")."""
    words = set(normalize_text(name).split())
    hits = [hit for hit in context.kg.search((name,))[name] if words <= set(normalize_text(hit.label).split())]
    return Mention(name, 0, len(name), "vertex", hits[0].score, hits=tuple(hits)) if hits else None


def _describe_named(mention: Mention, state: AgentState, context: AgentContext) -> Answer | None:
    rejected = state.get("rejected", frozenset())
    hits = {hit.iri: hit for hit in mention.hits if hit.iri not in rejected}
    best = max((hit.score for hit in hits.values()), default=0.0)
    near = [hit for hit in hits.values() if hit.score >= _NEAR_BEST_SHARE * best]
    if len(near) > 1 and context.settings.clarify == "ask":
        return ask_which(mention.text, label_options([(hit.iri, hit.label) for hit in near], context.kg))
    if not near:
        return None
    answer = describe_vertex(mention.text, near[0].iri, near[0].label, context.kg)
    if len(near) == 1 or not answer.values:
        return answer if answer.values else None
    others = f"{len(near)} things have this name; this one is described alone."
    return replace(answer, confidence=round(answer.confidence / len(near), 4), notes=(*answer.notes, others))
