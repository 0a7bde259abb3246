"""Class linking: the classes of the KG that a class mention refers to, with their subclasses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry
from chattyshared.language.morphology import normalize_text
from chattyshared.terms import iri_to_words

from chattykg.linking.similarity import LexicalSimilarity, Similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.linking.vocabulary_index import vocabulary_index

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_CLASSES = 1_000
"""Classes that a query names for one variable at most: strict engines refuse some thousands of terms."""
_MIN_SIMILARITY = 0.78
"""Similarity (0..1) of a mention and a class label from which the class is a candidate."""
_TIE_MARGIN = 0.015
"""Classes within this score difference of the best one are linked together."""
_MAX_TIED = 5
"""Classes that one mention is linked to at most, subclasses not counted."""
_MAX_COMPARED = 3_000
"""Classes of a vocabulary that are all compared; of a larger one only those of the card are."""


@dataclass(frozen=True, slots=True)
class ClassLink:
    """A class mention with its classes, and these together with all their subclasses."""

    text: str
    classes: tuple[str, ...]
    label: str
    classes_with_subclasses: frozenset[str]
    score: float


def link_class(text: str, card: VocabularyCard, kg: KnowledgeGraph, similarity: Similarity) -> ClassLink | None:
    """Link one class mention, or a class IRI; None if no class of the KG is similar enough."""
    if text in kg.vocabulary.classes:
        return make_class_link(text, (text,), 1.0, kg)
    scores = _from_card(text, card) or _from_vocabulary(text, card, kg, similarity)
    best = max(scores.values(), default=0.0)
    classes = tuple(sorted(iri for iri, score in scores.items() if score >= best - _TIE_MARGIN))[:_MAX_TIED]
    return make_class_link(text, classes, best, kg) if classes else None


def make_class_link(text: str, meant: tuple[str, ...], score: float, kg: KnowledgeGraph) -> ClassLink:
    """Return the link of classes that are known already."""
    entry = kg.vocabulary.classes.get(meant[0])
    within = frozenset(iri for above in meant for iri in kg.vocabulary.subclasses(above))
    return ClassLink(text, meant, entry.label if entry else iri_to_words(meant[0]), within, score)


def order_classes(iris: frozenset[str], kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return classes in the order of a query: sorted, or largest first if they are too many for one query."""
    if len(iris) <= MAX_CLASSES:
        return tuple(sorted(iris))
    known = kg.vocabulary.classes
    return tuple(sorted(iris, key=lambda iri: (-known[iri].instance_count if iri in known else 0, iri)))


def classes_to_compare(
    text: str, card: VocabularyCard, kg: KnowledgeGraph, similarity: Similarity
) -> Iterable[ClassEntry]:
    """Return the classes to compare a mention with: near ones, or all (of the card, if there are very many)."""
    classes = kg.vocabulary.classes
    if isinstance(similarity, LexicalSimilarity):
        near = vocabulary_index(kg, "class", card.language.tag).near([text])
        return [entry for iri, entry in classes.items() if iri in near]
    return classes.values() if len(classes) <= _MAX_COMPARED else card.classes


def _from_card(text: str, card: VocabularyCard) -> dict[str, float]:
    normalized = normalize_text(text)
    for mention in card.mentions_of_kind("class"):
        if normalize_text(mention.text) == normalized and mention.iris:
            scores = mention.scores or (mention.score,) * len(mention.iris)
            return dict(zip(mention.iris, scores, strict=False))
    return {}


def _from_vocabulary(text: str, card: VocabularyCard, kg: KnowledgeGraph, similarity: Similarity) -> dict[str, float]:
    names = [
        (entry.iri, name)
        for entry in classes_to_compare(text, card, kg, similarity)
        if not entry.is_metadata
        for name in dict.fromkeys((*entry.names_in(card.language.tag), iri_to_words(entry.iri)))
    ]
    scores: dict[str, float] = {}
    for (iri, _), score in zip(names, similarity(text, [name for _, name in names]), strict=True):
        if score >= _MIN_SIMILARITY:
            scores[iri] = max(score, scores.get(iri, 0.0))
    return scores
