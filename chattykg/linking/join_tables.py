"""Join tables: relations that a graph states as rows that refer to two other things (an enrolment, a loan)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from chattyshared.kg.vocabulary import PredicateEntry, Vocabulary
from chattyshared.language.morphology import head_lemma_of, label_stems_of
from chattyshared.language.wordnet import noun_kinds

from chattykg.linking.answer_types import class_type_fit
from chattykg.linking.candidates import EntityLink
from chattykg.linking.predicate_candidates import LinkingContext, PredicateCandidate
from chattykg.linking.reified_relations import find_naming_predicates
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.qir import Relation

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_NAMED_WEIGHT = 0.85
"""Weight (0..1) of the label similarity of a join."""
_ONLY_JOIN_SCORE = 0.58
"""Score (0..1) of the only connection between two classes if the phrase does not name it."""
_MIN_LABEL_SIMILARITY = 0.75
"""Similarity (0..1) from which a phrase names a join or one of its columns."""
_MIN_PERSON_FIT = 0.9
"""Fit (0..1, exclusive) of the classes of a column from which it refers to people."""
_MAX_PREDICATES = 2_000
"""Predicates of the largest vocabulary that is searched for joins: an exported database has fewer."""
_MAX_ALTERNATIVE_LABELS = 4
"""Alternative labels of a column that are compared."""


@dataclass(frozen=True, slots=True)
class Join:
    """A class whose members refer to things: its label, and the predicates that lead to two of them.

    ``is_pure`` tells that they refer to nothing else.
    """

    label: str
    near: PredicateEntry
    far: PredicateEntry
    is_pure: bool


def join_table_candidates(
    relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the candidates that lead from one end to the other through a row that refers to both."""
    joins = [
        join
        for join in _joins(context)
        if _may_refer_to(relation.subject, join.near, ends, context)
        and _may_refer_to(relation.object, join.far, ends, context)
    ]
    pure = [join for join in joins if join.is_pure]
    is_only_join = len(pure) == 1 and not any(
        True for _ in _connecting(frozenset(pure[0].near.ranges), frozenset(pure[0].far.ranges), context)
    )
    for join in joins:
        names = [join.label, *_role_names(join.near, context), *_role_names(join.far, context)]
        similarity = 0.0 if is_function_phrase(relation.relation) else max(context.similarity(relation.relation, names))
        score = max(
            _NAMED_WEIGHT * similarity if similarity >= _MIN_LABEL_SIMILARITY else 0.0,
            _ONLY_JOIN_SCORE if is_only_join and join.is_pure else 0.0,
        )
        if score:
            yield PredicateCandidate(
                (join.near.iri,), join.label, True, score, second_predicates=(join.far.iri,), is_inward=True
            )


def _joins(context: LinkingContext) -> Iterator[Join]:
    """Yield each way through a join table, whose rows have no label and are referred to by nothing."""
    vocabulary = context.kg.vocabulary
    if len(vocabulary.predicates) > _MAX_PREDICATES:
        return
    names = frozenset(find_naming_predicates(context.kg))
    named_classes = {kind for kind, predicate in context.kg.profile.type_labels if predicate in names}
    for kind, columns in _columns(vocabulary).items():
        if kind in vocabulary.classes and kind not in named_classes:
            for near, far in permutations(columns, 2):
                yield Join(vocabulary.classes[kind].label, near, far, len(columns) == 2)


def _columns(vocabulary: Vocabulary) -> Mapping[str, list[PredicateEntry]]:
    columns: dict[str, list[PredicateEntry]] = defaultdict(list)
    entries = [e for e in vocabulary.predicates.values() if e.object_kind == "iri" and not e.is_metadata]
    referred_classes = {kind for entry in entries for kind in entry.ranges}
    for entry in entries:
        if entry.is_functional and entry.ranges and len(entry.domains) == 1:
            if entry.domains[0] not in referred_classes:
                columns[entry.domains[0]].append(entry)
    return columns


def _may_refer_to(end: str, column: PredicateEntry, ends: Mapping[str, EntityLink], context: LinkingContext) -> bool:
    """Tell whether a column refers to an end: to the linked vertex, or to the class of the unknown."""
    if end in ends:
        incident = (step for each in ends[end].candidates for step in each.incident_predicates)
        return ends[end].kind == "vertex" and any((iri, way) == (column.iri, "in") for iri, way, _ in incident)
    if end in context.classes:
        return bool(context.classes[end].intersection(column.ranges))
    return context.expected_types.get(end) == "person" and (
        class_type_fit("person", column.ranges, context.kg.vocabulary) > _MIN_PERSON_FIT
        or any(_names_people(iri, context.kg.vocabulary) for iri in column.ranges)
    )


def _names_people(iri: str, vocabulary: Vocabulary) -> bool:
    """Tell whether the label of a class is a noun for people ("member")."""
    entry = vocabulary.classes.get(iri)
    return entry is not None and noun_kinds(head_lemma_of(entry.label))[:1] == ("person",)


def is_only_connection(
    entry: PredicateEntry, between: tuple[str, str], ends: Mapping[str, EntityLink], context: LinkingContext
) -> bool:
    """Tell whether a predicate alone connects things of the classes of two ends, in either direction.

    ``between`` are subject and object of the predicate; the classes of both must be known.
    """
    one, other = (_kinds(end, ends, context) for end in between)
    if not one or not other or len(context.kg.vocabulary.predicates) > _MAX_PREDICATES:
        return False
    return [found.iri for found in _connecting(one, other, context)] == [entry.iri]


def _kinds(end: str, ends: Mapping[str, EntityLink], context: LinkingContext) -> frozenset[str]:
    if end not in ends:
        return context.classes.get(end, frozenset())
    return frozenset(iri for each in ends[end].candidates for iri in each.classes)


def _connecting(one: frozenset[str], other: frozenset[str], context: LinkingContext) -> Iterator[PredicateEntry]:
    """Yield the predicates between things of two classes, in either direction."""
    for entry in context.kg.vocabulary.predicates.values():
        if entry.object_kind != "literal" and not entry.is_metadata:
            is_forward = not one.isdisjoint(entry.domains) and not other.isdisjoint(entry.ranges)
            is_backward = not other.isdisjoint(entry.domains) and not one.isdisjoint(entry.ranges)
            if is_forward or is_backward:
                yield entry


def _role_names(column: PredicateEntry, context: LinkingContext) -> tuple[str, ...]:
    """Return the names of a column without those that only repeat the class it refers to, which tell no role."""
    classes = context.kg.vocabulary.classes
    kinds = frozenset(
        stem
        for iri in column.ranges
        if iri in classes
        for name in classes[iri].names_in("")
        for stem in label_stems_of(name)
    )
    names = (column.label, *column.alt_labels[:_MAX_ALTERNATIVE_LABELS])
    return tuple(name for name in names if not kinds or not kinds.issuperset(label_stems_of(name)))
