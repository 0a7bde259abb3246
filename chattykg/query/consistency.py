"""Consistency: whether the linked relations of one question agree in the types of what they relate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.language.morphology import AUXILIARY, analyze_phrase, lemma_of, parse_degree, quantities_of
from chattyshared.language.tokenizer import tokenize

from chattykg.linking.answer_types import (
    ExpectedType,
    are_time_classes,
    is_date_predicate,
    may_be_called,
    may_be_of_kind,
    truth_values,
)
from chattykg.linking.candidates import EntityLink
from chattykg.linking.predicate_candidates import LinkedRelation
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, is_unknown
from chattykg.query.grounding import GroundedQIR

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_CLASH_FACTOR = 0.55
"""Factor (0..1) of two relations that need disjoint classes of one unknown."""
_UNKNOWN_AGREEMENT_FACTOR = 0.95
"""Factor (0..1) of two relations of which one has no known class."""
_ECHO_FACTOR = 0.6
"""Factor (0..1) of two phrases that lead to one unknown by the same predicate."""
_MIN_TEXT_SCORE = 0.7
"""Score (0..1) that a predicate needs to state a text that no vertex has as label."""
_SURE_CLASS_SCORE = 0.95
"""Score (0..1) of a class mention from which the question asks for members of the class."""
_ASKED_NOUN = re.compile(r"\bwhich\s+(\w+)", re.IGNORECASE)
_TIME_QUANTITIES = frozenset(("date", "year", "time", "duration"))
_MAX_ROWS = 5_000_000
"""Estimated rows of the largest join that is run."""


@dataclass(frozen=True, slots=True)
class AskedType:
    """What a question asks for: a type, the classes that the noun behind "which" names, and that noun."""

    expected: ExpectedType
    classes: frozenset[str] = frozenset()
    noun: str = ""


def can_stand(edges: Sequence[LinkedRelation], grounded: GroundedQIR, kg: KnowledgeGraph) -> bool:
    """Tell whether linked relations make a query that can be run and whose ends are of the types of its predicates."""
    if not (is_bounded(edges, grounded, kg) and texts_are_stated(edges, grounded)):
        return False
    claims = (edge for edge in edges if grounded.qir.shape == "boolean" and not edge.is_negated)
    return all(_may_hold(edge, grounded.entity_links, kg.vocabulary) for edge in claims)


def is_bounded(edges: Sequence[LinkedRelation], grounded: GroundedQIR, kg: KnowledgeGraph) -> bool:
    """Tell whether the joins of unbound relations stay below `_MAX_ROWS`, by the statistics of the vocabulary.

    Filters do not count: an engine may join before it filters.
    """
    bound = {*grounded.entity_links, *(unknown for unknown, _ in grounded.values)}
    row_counts: dict[str, int] = {}
    for edge in edges:
        entry = kg.vocabulary.predicates.get(edge.candidate.last_predicate)
        end = edge.relation.object if edge.candidate.is_forward else edge.relation.subject
        is_free = not edge.is_negated and not bound & set(edge.relation.ends())
        if entry and is_free and not entry.is_inverse_functional:
            row_counts[end] = row_counts.get(end, 1) * max(1, entry.triple_count)
    return max(row_counts.values(), default=1) <= _MAX_ROWS


def texts_are_stated(edges: Sequence[LinkedRelation], grounded: GroundedQIR) -> bool:
    """Tell whether each text without a vertex is the object of a literal predicate with a sufficient score."""
    return all(
        edge.candidate.is_literal and edge.candidate.is_forward and edge.candidate.score >= _MIN_TEXT_SCORE
        for edge in edges
        if grounded.text_unknowns & set(edge.relation.ends())
    )


def type_agreement(edges: Sequence[LinkedRelation], kg: KnowledgeGraph) -> float:
    """Return how well the relations agree on the types of shared unknowns (0..1; 0: impossible)."""
    uses: dict[str, list[tuple[bool, tuple[str, ...]]]] = {}
    for edge in edges:
        first = kg.vocabulary.predicates.get(edge.candidate.predicates[0])
        last = kg.vocabulary.predicates.get(edge.candidate.last_predicate)
        ends = edge.relation.ends() if edge.candidate.is_forward else edge.relation.ends()[::-1]
        for position, end in enumerate(ends):
            if is_unknown(end):
                entry = last if position else first
                is_outward = bool(position) or edge.candidate.is_inward
                classes = () if entry is None else entry.ranges if is_outward else entry.domains
                uses.setdefault(end, []).append((edge.candidate.is_literal and position == 1, classes))
    fit = _ECHO_FACTOR if any(_is_echo(one, other) for at, one in enumerate(edges) for other in edges[:at]) else 1.0
    for end_uses in uses.values():
        if len({literal for literal, _ in end_uses}) > 1:
            return 0.0
        for (_, one), (_, other) in zip(end_uses, end_uses[1:], strict=False):
            fit *= _class_agreement(one, other, kg)
    return fit


def asked_classes(question: str, card: VocabularyCard) -> frozenset[str]:
    """Return the classes that the noun behind "which" names; none if it names no class for sure."""
    match = _ASKED_NOUN.search(question)
    if match is None:
        return frozenset()
    mentions = [m for m in card.mentions_of_kind("class") if m.start == match.start(1) and m.score >= _SURE_CLASS_SCORE]
    return frozenset(iri for mention in mentions for iri in mention.iris)


def asked_noun(question: str) -> str:
    """Return the lemma of the only noun between "which" and a verb; "" if there is none or more than one."""
    match = _ASKED_NOUN.search(question)
    following = tokenize(question[match.end() :])[:1] if match else ()
    return lemma_of(match[1].lower()) if match and following and following[0].lower in AUXILIARY else ""


def gives_asked_type(edges: Sequence[LinkedRelation], qir: QIR, asked: AskedType, vocabulary: Vocabulary) -> bool:
    """Tell whether what the predicates at the target state may be of the type and of the classes that are asked for.

    A "when" is no person, a "who" or "where" is no number; "which film" is neither a place nor a number unless words
    for the relation lead there.
    """
    expected, classes = asked.expected, asked.classes
    kind = "agent" if expected == "person" else expected
    if qir.shape in ("boolean", "count", "number", "table") or qir.aggregate:
        return True
    if any(unknown == qir.target for unknown, _ in qir.classes):
        classes = frozenset()
    for edge in edges:
        if qir.target not in edge.relation.ends() or edge.is_negated or edge.candidate.is_inward:
            continue
        is_object = (qir.target == edge.relation.object) == edge.candidate.is_forward
        iri = edge.candidate.last_predicate if is_object else edge.candidate.predicates[0]
        entry = vocabulary.predicates.get(iri)
        if entry is None:
            continue
        is_given = edge.relation.relation in vocabulary.predicates  # by the predicate itself: other words name it
        asked_here = classes if is_given or _is_named_by(edge.relation.relation, classes, vocabulary) else frozenset()
        if is_object and edge.candidate.is_literal:
            if truth_values(entry) and is_unknown(edge.relation.subject) and len(edges) == 1:
                return False  # true and false of nothing in particular
            is_other = bool(asked_here) and not _is_named_by(entry.label, classes, vocabulary)
            if (edge.candidate.is_numeric or is_date_predicate(entry)) and (
                expected in ("person", "place") or is_other
            ):
                return False
            continue
        ends = entry.ranges if is_object else entry.domains
        is_other_class = bool(asked_here) and not vocabulary.may_share_members(ends, asked_here)
        is_other_kind = expected == "date" and ends and not are_time_classes(ends, vocabulary)
        is_misnamed = bool(asked.noun) and not classes and not may_be_called(asked.noun, ends, vocabulary)
        if is_misnamed or is_other_class or is_other_kind or not may_be_of_kind(kind, ends, vocabulary):
            return False
    return True


def _may_hold(edge: LinkedRelation, links: Mapping[str, EntityLink], vocabulary: Vocabulary) -> bool:
    """Tell whether the classes of the things that a relation names are among those that its predicate relates."""
    entry = vocabulary.predicates.get(edge.candidate.predicates[0])
    if entry is None or edge.candidate.second_predicates:
        return True
    ends = edge.relation.ends() if edge.candidate.is_forward else edge.relation.ends()[::-1]
    for end, way, kinds in zip(ends, ("out", "in"), (entry.domains, entry.ranges), strict=True):
        link = links.get(end)
        if link is None or link.kind != "vertex" or entry.iri in link.predicates_at(way):
            continue
        classes = frozenset(iri for candidate in link.candidates for iri in candidate.classes)
        is_text = way == "in" and entry.object_kind == "literal"
        if is_text or not vocabulary.may_share_members(classes, kinds):
            return False
    return True


def orders_by_asked_quantity(edges: Sequence[LinkedRelation], qir: QIR, question: str, vocabulary: Vocabulary) -> bool:
    """Tell whether the date by which a query sorts may be what a superlative measures: "most expensive" is no date."""
    tokens = [token.lower for token in tokenize(question)]
    adjectives = [after for word, after in pairwise(tokens) if word in ("most", "least")]
    adjectives += [base for base, degree in map(parse_degree, tokens) if degree == "est"]
    measured = [{noun for noun, _ in quantities_of(adjective)} for adjective in adjectives]
    if qir.order is None or not any(nouns and nouns.isdisjoint(_TIME_QUANTITIES) for nouns in measured):
        return True
    last = (vocabulary.predicates.get(e.candidate.last_predicate) for e in edges if qir.order.by in e.relation.ends())
    return not any(entry and is_date_predicate(entry) for entry in last)


def _is_named_by(phrase: str, classes: frozenset[str], vocabulary: Vocabulary) -> bool:
    """Tell whether all content of a phrase is the name of one of the classes."""
    stems = analyze_phrase(phrase).stems
    names = (vocabulary.classes[iri].label for iri in classes if iri in vocabulary.classes)
    return bool(stems) and any(stems <= analyze_phrase(name).stems for name in names)


def _is_echo(one: LinkedRelation, other: LinkedRelation) -> bool:
    """Tell whether two relations with different phrases lead to one unknown by the same predicate.

    "Who composed the music for X" does not ask for other works of its composer.
    """
    is_same_predicate = one.candidate.predicates == other.candidate.predicates and not (
        one.candidate.second_predicates or other.candidate.second_predicates
    )
    if not is_same_predicate or one.is_negated or other.is_negated or one.relation.relation == other.relation.relation:
        return False
    ends = [e.relation.ends() if e.candidate.is_forward else e.relation.ends()[::-1] for e in (one, other)]
    return any(is_unknown(ends[0][position]) and ends[0][position] == ends[1][position] for position in (0, 1))


def _class_agreement(one: tuple[str, ...], other: tuple[str, ...], kg: KnowledgeGraph) -> float:
    if not one or not other:
        return _UNKNOWN_AGREEMENT_FACTOR
    superclasses, other_superclasses = kg.vocabulary.superclasses(*one), kg.vocabulary.superclasses(*other)
    return _CLASH_FACTOR if other_superclasses.isdisjoint(one) and superclasses.isdisjoint(other) else 1.0
