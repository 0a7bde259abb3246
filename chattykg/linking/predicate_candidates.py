"""Options: the predicates that may stand for a relation, and what linking may look at to weigh them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chattyshared.kg import KnowledgeGraph

from chattykg.linking.answer_types import ExpectedType
from chattykg.linking.similarity import Similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import Relation


@dataclass(frozen=True, slots=True)
class PredicateCandidate:
    """Predicates of one meaning that may stand for a relation, and which way.

    ``forward``: the relation's subject is the predicate's subject. ``literal``: its objects are literals. ``then`` are
    predicates of a second step, where what is meant lies one vertex farther (a price's amount, a city's country);
    the first step of such is taken against the predicate where it is ``inward`` (the year of a film's premiere).
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
        """The predicate whose objects the option leads to."""
        return self.second_predicates[0] if self.second_predicates else self.predicates[0]


@dataclass(frozen=True, slots=True)
class LinkedRelation:
    """A relation of the QIR with the predicate candidate that stands for it in a query."""

    relation: Relation
    candidate: PredicateCandidate
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class LinkingContext:
    """What linking a relation may look at: the KG, its card, similarity, and what is known of the unknowns.

    ``hints`` are classes that the name of an unknown suggests (``?people``); nothing is excluded by them.
    ``counted`` are unknowns of which it is asked how many there are: a number that says it may stand in their place.
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
