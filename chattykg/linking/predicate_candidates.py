"""Predicate candidates of a relation, and the context that relation linking reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry

from chattykg.linking.answer_types import ExpectedType
from chattykg.linking.similarity import Similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import Relation

# Origin of the number below: set by hand on the development sets; benchmarks/calibrate.py varies it.
_MAX_COMPARED = 2_000
"""Predicates of a vocabulary that are all compared; of a larger one only those of the card are."""


@dataclass(frozen=True, slots=True)
class PredicateCandidate:
    """Synonymous predicates that may stand for a relation, with their direction.

    ``is_forward``: the subject of the relation is the subject of the predicate. ``is_literal``: its objects are
    literals. ``second_predicates`` are those of a second step (the amount of a price, the country of a city);
    ``is_inward``: the first of two steps is taken against the predicate (the year of a film's premiere).
    """

    predicates: tuple[str, ...]
    label: str
    is_forward: bool
    score: float
    is_literal: bool = False
    is_numeric: bool = False
    second_predicates: tuple[str, ...] = ()
    is_inward: bool = False

    @property
    def last_predicate(self) -> str:
        """The predicate of the last step."""
        return self.second_predicates[0] if self.second_predicates else self.predicates[0]


@dataclass(frozen=True, slots=True)
class LinkedRelation:
    """A relation of the QIR with the predicate candidate that stands for it in a query."""

    relation: Relation
    candidate: PredicateCandidate
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class LinkingContext:
    """Input of relation linking: the KG, its card, a similarity, and what is known of the unknowns.

    ``hinted_classes`` are those that the name of an unknown suggests (``?people``); they exclude nothing.
    ``counted_unknowns`` are those that the question counts: a predicate that states the number may replace them.
    ``shared_unknowns`` are those in which several relations meet.
    """

    kg: KnowledgeGraph
    card: VocabularyCard
    similarity: Similarity
    expected_types: Mapping[str, ExpectedType] = field(default_factory=dict)
    classes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    class_words: Mapping[str, str] = field(default_factory=dict)
    hinted_classes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    counted_unknowns: frozenset[str] = frozenset()
    is_boolean: bool = False
    shared_unknowns: frozenset[str] = frozenset()

    def predicates_to_compare(self) -> Collection[PredicateEntry]:
        """Return the predicates to compare a relation with: all, or those of the card if there are very many."""
        predicates = self.kg.vocabulary.predicates
        return predicates.values() if len(predicates) <= _MAX_COMPARED else self.card.predicates
