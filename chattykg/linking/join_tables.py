"""Relations that a graph keeps as things of their own: rows of a table that joins two others (an enrolment, a loan)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from chattyshared.kg.vocabulary import PredicateEntry, Vocabulary

from chattykg.linking.answer_types import class_type_fit
from chattykg.linking.candidates import EntityLink
from chattykg.linking.predicate_candidates import LinkingContext, PredicateCandidate
from chattykg.linking.reified_relations import find_naming_predicates
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.qir import Relation

_SAID, _ALONE = 0.85, 0.58
"""What a join is worth whose words are said; and the only way there is between such things, whatever is said."""
_PLAIN = 0.75
_LARGEST = 2_000
"""Predicates of a vocabulary in which joins are looked for: a database has fewer columns that refer to rows."""


@dataclass(frozen=True, slots=True)
class Join:
    """A class whose members stand between two things each: what it is called, and the predicates that lead to them."""

    label: str
    near: PredicateEntry
    far: PredicateEntry


def join_table_candidates(
    relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield what leads from one end to the other through a row that refers to both."""
    fitting = [
        join
        for join in _joins(context)
        if _may_be(relation.subject, join.near, ends, context) and _may_be(relation.object, join.far, ends, context)
    ]
    alone = len({join.near.domains for join in fitting}) == len(fitting) == 1 and not _is_direct(fitting[0], context)
    for join in fitting:
        names = [join.label, *_names(join.near), *_names(join.far)]
        said = 0.0 if is_function_phrase(relation.relation) else max(context.similarity(relation.relation, names))
        score = max(_SAID * said if said >= _PLAIN else 0.0, _ALONE if alone else 0.0)
        if score:
            yield PredicateCandidate(
                (join.near.iri,), join.label, True, score, second_predicates=(join.far.iri,), is_inward=True
            )


def _joins(around: LinkingContext) -> Iterator[Join]:
    """Yield each way through a table that only joins: its rows have no name, and nothing refers to them."""
    vocabulary = around.kg.vocabulary
    if len(vocabulary.predicates) > _LARGEST:
        return
    names = frozenset(find_naming_predicates(around.kg))
    named = {kind for kind, predicate in around.kg.profile.type_labels if predicate in names}
    for kind, columns in _columns(vocabulary).items():
        if kind in vocabulary.classes and kind not in named:
            for near, far in permutations(columns, 2):
                yield Join(vocabulary.classes[kind].label, near, far)


def _columns(vocabulary: Vocabulary) -> Mapping[str, list[PredicateEntry]]:
    found: dict[str, list[PredicateEntry]] = defaultdict(list)
    entries = [
        entry for entry in vocabulary.predicates.values() if entry.object_kind == "iri" and not entry.is_metadata
    ]
    referred = {kind for entry in entries for kind in entry.ranges}
    for entry in entries:
        if entry.is_functional and entry.ranges and len(entry.domains) == 1 and entry.domains[0] not in referred:
            found[entry.domains[0]].append(entry)
    return found


def _may_be(end: str, column: PredicateEntry, ends: Mapping[str, EntityLink], around: LinkingContext) -> bool:
    """Tell whether a column refers to what stands at an end: to this thing, or to things of the kind that is asked."""
    if end in ends:
        stated = (step for each in ends[end].candidates for step in each.incident_predicates)
        return ends[end].kind == "vertex" and any((iri, way) == (column.iri, "in") for iri, way, _ in stated)
    if end in around.classes:
        return bool(around.classes[end].intersection(column.ranges))
    return (
        around.expected_types.get(end) == "person"
        and class_type_fit("person", column.ranges, around.kg.vocabulary) > 0.9
    )


def is_only_connection(
    entry: PredicateEntry, between: tuple[str, str], ends: Mapping[str, EntityLink], context: LinkingContext
) -> bool:
    """Tell whether a predicate alone leads between things of the kinds that stand at two ends, in either direction.

    ``between`` are subject and object of the predicate; the kinds of both must be known.
    """
    one, other = (_kinds(end, ends, context) for end in between)
    if not one or not other or len(context.kg.vocabulary.predicates) > _LARGEST:
        return False
    return [found.iri for found in _leading(one, other, context)] == [entry.iri]


def _kinds(end: str, ends: Mapping[str, EntityLink], around: LinkingContext) -> frozenset[str]:
    if end not in ends:
        return around.classes.get(end, frozenset())
    return frozenset(iri for each in ends[end].candidates for iri in each.classes)


def _leading(one: frozenset[str], other: frozenset[str], around: LinkingContext) -> Iterator[PredicateEntry]:
    """Yield the predicates that lead from things of one kind to those of another, or back."""
    for entry in around.kg.vocabulary.predicates.values():
        if entry.object_kind != "literal" and not entry.is_metadata:
            there = not one.isdisjoint(entry.domains) and not other.isdisjoint(entry.ranges)
            back = not other.isdisjoint(entry.domains) and not one.isdisjoint(entry.ranges)
            if there or back:
                yield entry


def _is_direct(join: Join, around: LinkingContext) -> bool:
    """Tell whether a predicate leads from one of the joined things to the other by itself."""
    return any(True for _ in _leading(frozenset(join.near.ranges), frozenset(join.far.ranges), around))


def _names(entry: PredicateEntry) -> tuple[str, ...]:
    return (entry.label, *entry.alt_labels[:4])
