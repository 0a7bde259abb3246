"""Predicate candidates of a relation, the context that relation linking reads, and the weights of its score."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import islice

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry

from chattykg.linking.answer_types import ExpectedType, is_numeric_predicate
from chattykg.linking.similarity import LexicalSimilarity, Similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.linking.vocabulary_index import VocabularyIndex, vocabulary_index
from chattykg.qir import Relation

WEIGHTS: dict[str, float] = tomllib.loads(files("chattydata").joinpath("linking.toml").read_text(encoding="utf-8"))
"""The weights of the score, by name."""
# Origin of the numbers below: set by hand, for speed.
_MAX_COMPARED = 2_000
"""Predicates of a vocabulary that are all compared without an index; of a larger one only those of the card are."""
_MAX_NEAR = 300
"""Predicates near to a phrase that are compared; of more only those of the card are."""
_MAX_FREQUENT = 100
"""Most frequent predicates that may stand for a phrase without content."""


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


def make_candidate(entry: PredicateEntry, is_forward: bool, score: float) -> PredicateCandidate:
    """Return the candidate of one predicate."""
    is_literal = entry.object_kind == "literal"
    is_numeric = is_literal and is_numeric_predicate(entry)
    return PredicateCandidate((entry.iri,), entry.label, is_forward, score, is_literal, is_numeric)


@dataclass(frozen=True, slots=True)
class LinkedRelation:
    """A relation of the QIR with the predicate candidate that stands for it in a query."""

    relation: Relation
    candidate: PredicateCandidate
    is_negated: bool = False

    def is_path_over(self, predicates: Set[str]) -> bool:
        """Tell whether the relation is a path of two steps by some predicates."""
        steps = {*self.candidate.predicates, *self.candidate.second_predicates}
        return bool(self.candidate.second_predicates) and steps <= predicates


@dataclass(frozen=True, slots=True)
class LinkingContext:
    """Input of relation linking: the KG, its card, a similarity, and what is known of the unknowns.

    ``hinted_classes`` are those that the name of an unknown suggests (``?people``); they exclude nothing.
    ``counted_unknowns`` are those that the question counts: a predicate that states the number may replace them.
    ``shared_unknowns`` are those in which several relations meet. ``label_scores`` keeps the scores of predicates by
    what was compared with them.
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
    label_scores: dict[Hashable, dict[str, float]] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def _index(self) -> VocabularyIndex | None:
        """The index of the names of predicates; None if the similarity is another than it serves."""
        is_served = isinstance(self.similarity, LexicalSimilarity)
        return vocabulary_index(self.kg, "predicate", self.card.language.tag) if is_served else None

    def predicates_to_compare(
        self, phrases: Sequence[str] = (), classes: Set[str] | None = None
    ) -> Collection[PredicateEntry]:
        """Return the predicates that may be similar to some phrases, or all (of the card, if there are very many).

        With ``classes`` (of the ends), also those between their things, and the most frequent ones.
        """
        predicates, index = self.kg.vocabulary.predicates, self._index if phrases else None
        if index is None:
            return predicates.values() if len(predicates) <= _MAX_COMPARED else self.card.predicates
        found = index.near(phrases)
        if len(found) > _MAX_NEAR:
            found = found.intersection(entry.iri for entry in self.card.predicates)
        if classes is not None:
            found |= index.at_classes(classes).union(islice(predicates, _MAX_FREQUENT))
        return [entry for iri, entry in predicates.items() if iri in found]

    def keep_near(self, phrases: Sequence[str], entries: Sequence[PredicateEntry]) -> Sequence[PredicateEntry]:
        """Return those of some predicates that may be similar to a phrase."""
        index = self._index
        near = index.near(phrases) if index else ()
        return [entry for entry in entries if entry.iri in near] if index else entries
