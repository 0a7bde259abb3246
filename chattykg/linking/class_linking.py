"""Class linking: which classes of the KG a class mention means, with all that lies below them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry
from chattyshared.terms import readable

from chattykg.linking.similarity import Similarity, nearness
from chattykg.linking.vocabulary_card import Card
from chattykg.linking.words import plain
from chattykg.query.graph_patterns import MANY_CLASSES

_NEAR = 0.78
_TIED = 0.015
_WHOLE_VOCABULARY = 3_000


@dataclass(frozen=True, slots=True)
class ClassLink:
    """A class mention and its classes: those meant, and with them all their subclasses."""

    text: str
    meant: tuple[str, ...]
    label: str
    within: frozenset[str]
    score: float


def link(text: str, card: Card, kg: KnowledgeGraph, similarity: Similarity) -> ClassLink | None:
    """Link one class mention, or a class's IRI; None if the KG has no class that is near enough."""
    if text in kg.vocabulary.classes:
        return of_classes(text, (text,), 1.0, kg)
    found = _from_card(text, card) or _from_vocabulary(text, card, kg, similarity)
    if not found:
        return None
    best = max(found.values())
    tied = {iri: _named(text, iri, kg) for iri, score in found.items() if score >= best - _TIED}
    meant = tuple(sorted(iri for iri, near in tied.items() if near >= max(tied.values()) - _TIED))[:5]
    return of_classes(text, meant, best, kg)


def _named(text: str, iri: str, kg: KnowledgeGraph) -> float:
    entry = kg.vocabulary.classes.get(iri)
    names = (entry.label, *entry.alt, readable(iri)) if entry else (readable(iri),)
    return max(nearness(text, name) for name in names)


def of_classes(text: str, meant: tuple[str, ...], score: float, kg: KnowledgeGraph) -> ClassLink:
    """Make the link of classes that are known already."""
    entry = kg.vocabulary.classes.get(meant[0])
    within = frozenset(iri for above in meant for iri in kg.vocabulary.subclasses(above))
    return ClassLink(text, meant, entry.label if entry else readable(meant[0]), within, score)


def listed(within: frozenset[str], kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return classes in the order in which a query names them: of too many for one, those with most members first."""
    if len(within) <= MANY_CLASSES:
        return tuple(sorted(within))
    known = kg.vocabulary.classes
    return tuple(sorted(within, key=lambda iri: (-known[iri].count if iri in known else 0, iri)))


def entries(card: Card, kg: KnowledgeGraph) -> Iterable[ClassEntry]:
    """Return the classes to compare with: all, or where there are very many those of the card."""
    known = kg.vocabulary.classes
    return known.values() if len(known) <= _WHOLE_VOCABULARY else card.classes


def _from_card(text: str, card: Card) -> dict[str, float]:
    wanted = plain(text)
    for mention in card.of_kind("class"):
        if plain(mention.text) == wanted and mention.iris:
            scores = mention.scores or (mention.score,) * len(mention.iris)
            return dict(zip(mention.iris, scores, strict=False))
    return {}


def _from_vocabulary(text: str, card: Card, kg: KnowledgeGraph, similarity: Similarity) -> dict[str, float]:
    names = [
        (entry.iri, name)
        for entry in entries(card, kg)
        if not entry.metadata
        for name in dict.fromkeys((entry.label, *entry.alt, readable(entry.iri)))
    ]
    found: dict[str, float] = {}
    for (iri, _), score in zip(names, similarity(text, [name for _, name in names]), strict=True):
        if score >= _NEAR:
            found[iri] = max(score, found.get(iri, 0.0))
    return found
