"""Predicate candidates of a relation, their possible directions, and the context that relation linking reads."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.morphology import analyze_phrase, head_lemma_of
from chattyshared.language.wordnet import noun_kinds

from chattykg.linking.answer_types import ExpectedType, may_be_of_kind
from chattykg.linking.candidates import EntityLink
from chattykg.linking.similarity import LexicalSimilarity, Similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.linking.vocabulary_index import VocabularyIndex, vocabulary_index
from chattykg.qir import Relation, is_unknown

# Origin of the number below: set by hand on the development sets; benchmarks/calibrate.py varies it.
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


def drop_reversed(
    candidates: Sequence[PredicateCandidate],
    relation: Relation,
    ends: Mapping[str, EntityLink],
    context: LinkingContext,
) -> Iterator[PredicateCandidate]:
    """Yield the candidates of one relation without those whose direction is impossible if the reverse is possible.

    A candidate is dropped only if the same predicate is a candidate in the other direction: domains and ranges sampled
    from a large KG are no proof, but they tell the two directions apart.
    """
    one_step = {(o.predicates, o.is_forward) for o in candidates if not o.second_predicates}
    both_ways = [o for o in candidates if not o.second_predicates and (o.predicates, not o.is_forward) in one_step]
    possible = {(o.predicates, o.is_forward) for o in both_ways if _is_possible(o, relation, ends, context)}
    for o in candidates:
        is_reversed = (o.predicates, o.is_forward) not in possible and (o.predicates, not o.is_forward) in possible
        if o.second_predicates or not is_reversed:
            yield o


def drop_role_holders(
    candidates: Sequence[PredicateCandidate], relation: Relation, context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the candidates of one relation without those that lead from a person to what is none but should be one.

    "Who directed James Cameron?" and "the director of James Cameron" ask for none of the films that he directed. An
    unknown with a class is not compared.
    """
    vocabulary = context.kg.vocabulary
    for candidate in candidates:
        entry = vocabulary.predicates.get(candidate.predicates[0])
        if entry is None or candidate.second_predicates or not _names_person(relation, entry, candidate, context):
            yield candidate
            continue
        is_subject = is_unknown(relation.ends()[0]) == candidate.is_forward
        ends = (entry.domains, entry.ranges) if is_subject else (entry.ranges, entry.domains)
        if may_be_of_kind("person", ends[0], vocabulary) or not may_be_of_kind("person", ends[1], vocabulary):
            yield candidate


def _names_person(
    relation: Relation, entry: PredicateEntry, candidate: PredicateCandidate, context: LinkingContext
) -> bool:
    """Tell whether the one unknown of a relation is a person: by its question word, or by the noun of both names."""
    unknowns = [end for end in relation.ends() if is_unknown(end)]
    if len(unknowns) != 1 or unknowns[0] in context.classes:
        return False
    noun = head_lemma_of(relation.relation)
    is_role = unknowns[0] == relation.ends()[1] and not candidate.is_forward and noun_kinds(noun) == ("person",)
    return context.expected_types.get(unknowns[0]) == "person" or (is_role and head_lemma_of(entry.label) == noun)


def _is_possible(
    candidate: PredicateCandidate, relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext
) -> bool:
    """Tell whether the predicate of a candidate may connect the ends in its direction."""
    entry = context.kg.vocabulary.predicates.get(candidate.predicates[0])
    if entry is None:
        return True
    subject, object_ = relation.ends() if candidate.is_forward else relation.ends()[::-1]
    return _may_be_subject(subject, entry, ends, context) and _may_be_object(object_, entry, ends, context)


def _may_be_subject(end: str, entry: PredicateEntry, ends: Mapping[str, EntityLink], context: LinkingContext) -> bool:
    if end in ends:
        link = ends[end]
        return (entry.iri, "out") in link.incident_predicates() or (
            link.kind != "value" and context.kg.vocabulary.may_share_members(_link_classes(link), entry.domains)
        )
    if context.expected_types.get(end) in ("date", "measure") and end not in context.counted_unknowns:
        return False  # a date or a measure is never a subject
    return context.kg.vocabulary.may_share_members(_unknown_classes(end, context), entry.domains)


def _may_be_object(end: str, entry: PredicateEntry, ends: Mapping[str, EntityLink], context: LinkingContext) -> bool:
    has_class = is_unknown(end) and bool(_unknown_classes(end, context)) and end not in context.counted_unknowns
    if entry.object_kind == "literal":
        return not has_class and (end not in ends or ends[end].kind != "vertex")
    if end in ends:
        link = ends[end]
        return (
            (entry.iri, "in") in link.incident_predicates()
            or link.kind == "value"
            or context.kg.vocabulary.may_share_members(_link_classes(link), entry.ranges)
        )
    return not has_class or context.kg.vocabulary.may_share_members(_unknown_classes(end, context), entry.ranges)


def _unknown_classes(end: str, context: LinkingContext) -> frozenset[str]:
    """Return the classes of an unknown, or else those whose label is its name (``?ship``)."""
    stated = context.classes.get(end)
    if stated:
        return stated
    hinted, classes = context.hinted_classes.get(end, frozenset()), context.kg.vocabulary.classes
    stems = analyze_phrase(end.strip("?_0123456789")).stems
    is_name = any(iri in classes and analyze_phrase(classes[iri].label).stems == stems for iri in hinted)
    return hinted if is_name else frozenset()


def _link_classes(link: EntityLink) -> frozenset[str]:
    """Return the classes of all candidates of a link; none if one candidate has none."""
    listed = [candidate.classes for candidate in link.candidates]
    return frozenset(iri for classes in listed for iri in classes) if all(listed) else frozenset()
