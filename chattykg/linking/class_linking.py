"""Class linking: which classes of the KG a class mention means, with all that lies below them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry
from chattyshared.language.morphology import normalize_text
from chattyshared.terms import iri_to_words

from chattykg.linking.similarity import Similarity, lexical_similarity
from chattykg.linking.vocabulary_card import VocabularyCard

MAX_CLASSES = 1_000
"""The most classes that a query names for one vertex: strict engines refuse some thousands of terms."""
_NEAR = 0.78
_TIED = 0.015
_WHOLE_VOCABULARY = 3_000


@dataclass(frozen=True, slots=True)
class ClassLink:
    """A class mention and its classes: those meant, and with them all their subclasses."""

    text: str
    classes: tuple[str, ...]
    label: str
    classes_with_subclasses: frozenset[str]
    score: float


def link_class(text: str, card: VocabularyCard, kg: KnowledgeGraph, similarity: Similarity) -> ClassLink | None:
    """Link one class mention, or a class's IRI; None if the KG has no class that is near enough."""
    if text in kg.vocabulary.classes:
        return make_class_link(text, (text,), 1.0, kg)
    found = _from_card(text, card) or _from_vocabulary(text, card, kg, similarity)
    if not found:
        return None
    best = max(found.values())
    tied = {iri: _named(text, iri, kg) for iri, score in found.items() if score >= best - _TIED}
    meant = tuple(sorted(iri for iri, near in tied.items() if near >= max(tied.values()) - _TIED))[:5]
    return make_class_link(text, meant, best, kg)


def _named(text: str, iri: str, kg: KnowledgeGraph) -> float:
    entry = kg.vocabulary.classes.get(iri)
    names = (entry.label, *entry.alt_labels, iri_to_words(iri)) if entry else (iri_to_words(iri),)
    return max(lexical_similarity(text, name) for name in names)


def make_class_link(text: str, meant: tuple[str, ...], score: float, kg: KnowledgeGraph) -> ClassLink:
    """Make the link of classes that are known already."""
    entry = kg.vocabulary.classes.get(meant[0])
    within = frozenset(iri for above in meant for iri in kg.vocabulary.subclasses(above))
    return ClassLink(text, meant, entry.label if entry else iri_to_words(meant[0]), within, score)


def order_classes(within: frozenset[str], kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return classes in the order in which a query names them: of too many for one, those with most members first."""
    if len(within) <= MAX_CLASSES:
        return tuple(sorted(within))
    known = kg.vocabulary.classes
    return tuple(sorted(within, key=lambda iri: (-known[iri].instance_count if iri in known else 0, iri)))


def classes_to_compare(card: VocabularyCard, kg: KnowledgeGraph) -> Iterable[ClassEntry]:
    """Return the classes to compare with: all, or where there are very many those of the card."""
    known = kg.vocabulary.classes
    return known.values() if len(known) <= _WHOLE_VOCABULARY else card.classes


def _from_card(text: str, card: VocabularyCard) -> dict[str, float]:
    wanted = normalize_text(text)
    for mention in card.mentions_of_kind("class"):
        if normalize_text(mention.text) == wanted and mention.iris:
            scores = mention.scores or (mention.score,) * len(mention.iris)
            return dict(zip(mention.iris, scores, strict=False))
    return {}


def _from_vocabulary(text: str, card: VocabularyCard, kg: KnowledgeGraph, similarity: Similarity) -> dict[str, float]:
    names = [
        (entry.iri, name)
        for entry in classes_to_compare(card, kg)
        if not entry.is_metadata
        for name in dict.fromkeys((entry.label, *entry.alt_labels, iri_to_words(entry.iri)))
    ]
    found: dict[str, float] = {}
    for (iri, _), score in zip(names, similarity(text, [name for _, name in names]), strict=True):
        if score >= _NEAR:
            found[iri] = max(score, found.get(iri, 0.0))
    return found
