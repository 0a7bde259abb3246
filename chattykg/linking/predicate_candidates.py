"""Options: the predicates that may stand for a relation, and what linking may look at to weigh them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chattyshared.kg import KnowledgeGraph

from chattykg.linking.answer_types import Expected
from chattykg.linking.similarity import Similarity
from chattykg.linking.vocabulary_card import Card


@dataclass(frozen=True, slots=True)
class Option:
    """Predicates of one meaning that may stand for a relation, and which way.

    ``forward``: the relation's subject is the predicate's subject. ``literal``: its objects are literals. ``then`` are
    predicates of a second step, where what is meant lies one vertex farther (a price's amount, a city's country);
    the first step of such is taken against the predicate where it is ``inward`` (the year of a film's premiere).
    """

    predicates: tuple[str, ...]
    label: str
    forward: bool
    score: float
    literal: bool = False
    numeric: bool = False
    then: tuple[str, ...] = ()
    inward: bool = False

    @property
    def last(self) -> str:
        """The predicate whose objects the option leads to."""
        return self.then[0] if self.then else self.predicates[0]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What linking a relation may look at: the KG, its card, similarity, and what is known of the unknowns.

    ``hints`` are classes that the name of an unknown suggests (``?people``); nothing is excluded by them.
    ``counted`` are unknowns of which it is asked how many there are: a number that says it may stand in their place.
    """

    kg: KnowledgeGraph
    card: Card
    similarity: Similarity
    expected: Mapping[str, Expected] = field(default_factory=dict)
    classes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    class_words: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, frozenset[str]] = field(default_factory=dict)
    counted: frozenset[str] = frozenset()
    is_boolean: bool = False
    shared: frozenset[str] = frozenset()
