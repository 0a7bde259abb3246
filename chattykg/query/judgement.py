"""Judgement: whether a reading and the links of its relations say what the question says, and can be true.

The one place where a query is refused: by what it denies, by the types of what it relates, and by its size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.languages import language_of
from chattyshared.language.morphology import analyze_phrase, normalize_text, parse_degree, quantities_of
from chattyshared.language.tokenizer import tokenize

from chattykg.linking.answer_types import (
    ExpectedType,
    are_time_classes,
    is_date_predicate,
    may_be_of_kind,
    truth_values,
)
from chattykg.linking.predicate_candidates import LinkedRelation
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, is_unknown
from chattykg.query.grounding import GroundedQIR

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_CLASH_FACTOR = 0.55
"""Factor (0..1) of two relations that need disjoint classes of one unknown."""
_UNKNOWN_AGREEMENT_FACTOR = 0.95
"""Factor (0..1) of two relations of which one has no known class."""
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
    """What a question asks for: a type, and the classes that the noun behind "which" names.

    ``is_measured``: a superlative of the question measures something else than time ("most expensive").
    """

    expected: ExpectedType
    classes: frozenset[str] = frozenset()
    is_measured: bool = False


def drops_negation(question: str, qir: QIR) -> bool:
    """Tell whether a question has a word of negation that neither a name nor a condition of its QIR stands for.

    What stands before the first question word belongs to no condition ("if you don't mind, who ...").
    """
    if qir.negated or qir.filters or qir.having:
        return False
    texts = (*qir.entities(), *qir.relations(), *(name for _, name in qir.classes))
    said = {word for text in texts for word in normalize_text(text).split()}
    language = language_of(question)
    words = [token.lower for token in tokenize(question)]
    words = words[next((at for at, word in enumerate(words) if word in language.asking_words), 0) :]
    negations = language.words("closed_classes", "negations")
    return any(word.endswith("n't") or word in negations and word not in said for word in words)


def asked_classes(question: str, card: VocabularyCard) -> frozenset[str]:
    """Return the classes that the noun behind "which" names; none if it names no class for sure."""
    match = _ASKED_NOUN.search(question)
    mentions = card.mentions_of_kind("class") if match else ()
    sure = [m for m in mentions if match and m.start == match.start(1) and m.score >= _SURE_CLASS_SCORE]
    return frozenset(iri for mention in sure for iri in mention.iris)


def is_measured(question: str) -> bool:
    """Tell whether a superlative of a question measures something else than time."""
    tokens = [token.lower for token in tokenize(question)]
    adjectives = [after for word, after in pairwise(tokens) if word in ("most", "least")]
    adjectives += [base for base, degree in map(parse_degree, tokens) if degree == "est"]
    measured = ({noun for noun, _ in quantities_of(adjective)} for adjective in adjectives)
    return any(nouns and nouns.isdisjoint(_TIME_QUANTITIES) for nouns in measured)


def judge_links(edges: Sequence[LinkedRelation], grounded: GroundedQIR, asked: AskedType, kg: KnowledgeGraph) -> float:
    """Return how well linked relations agree in the types of what they relate (0..1; 0: no query can say so)."""
    is_claim = grounded.qir.shape == "boolean"
    is_possible = (
        _is_bounded(edges, grounded, kg)
        and _states_texts(edges, grounded)
        and all(_may_hold(edge, grounded, kg) for edge in edges if is_claim and not edge.is_negated)
        and _gives_asked(edges, grounded.qir, asked, kg)
        and not (asked.is_measured and _orders_by_date(edges, grounded.qir, kg))
    )
    return _agree(edges, kg) if is_possible else 0.0


def _steps(edge: LinkedRelation, kg: KnowledgeGraph) -> Iterator[tuple[str, PredicateEntry | None, bool]]:
    """Yield both ends of a relation, each with the predicate there, and whether it is the predicate's object."""
    candidate = edge.candidate
    ends = edge.relation.ends() if candidate.is_forward else edge.relation.ends()[::-1]
    yield ends[0], kg.vocabulary.predicates.get(candidate.predicates[0]), candidate.is_inward
    yield ends[1], kg.vocabulary.predicates.get(candidate.last_predicate), True


def _is_bounded(edges: Sequence[LinkedRelation], grounded: GroundedQIR, kg: KnowledgeGraph) -> bool:
    """Tell whether the joins of unbound relations stay below `_MAX_ROWS`, by the statistics of the vocabulary.

    Filters do not count: an engine may join before it filters.
    """
    bound = {*grounded.entity_links, *(unknown for unknown, _ in grounded.values)}
    row_counts: dict[str, int] = {}
    for edge in edges:
        _, (end, entry, _) = _steps(edge, kg)
        is_free = not edge.is_negated and not bound & set(edge.relation.ends())
        if entry and is_free and not entry.is_inverse_functional:
            row_counts[end] = row_counts.get(end, 1) * max(1, entry.triple_count)
    return max(row_counts.values(), default=1) <= _MAX_ROWS


def _states_texts(edges: Sequence[LinkedRelation], grounded: GroundedQIR) -> bool:
    """Tell whether each text without a vertex is the object of a literal predicate with a sufficient score."""
    return all(
        edge.candidate.is_literal and edge.candidate.is_forward and edge.candidate.score >= _MIN_TEXT_SCORE
        for edge in edges
        if grounded.text_unknowns & set(edge.relation.ends())
    )


def _may_hold(edge: LinkedRelation, grounded: GroundedQIR, kg: KnowledgeGraph) -> bool:
    """Tell whether the classes of the things that a relation names are among those that its predicate relates."""
    for end, entry, is_object in _steps(edge, kg) if not edge.candidate.second_predicates else ():
        link = grounded.entity_links.get(end)
        if entry is None or link is None or link.kind != "vertex":
            continue
        if entry.iri in link.predicates_at("in" if is_object else "out"):
            continue
        classes = frozenset(iri for candidate in link.candidates for iri in candidate.classes)
        kinds = entry.ranges if is_object else entry.domains
        if is_object and entry.object_kind == "literal" or not kg.vocabulary.may_share_members(classes, kinds):
            return False
    return True


def _gives_asked(edges: Sequence[LinkedRelation], qir: QIR, asked: AskedType, kg: KnowledgeGraph) -> bool:
    """Tell whether what the predicates at the target state may be of the type and of the classes that are asked for.

    A "when" is no person, a "who" or "where" is no number; "which film" is neither a place nor a number unless words
    for the relation lead there.
    """
    vocabulary, expected = kg.vocabulary, asked.expected
    if qir.shape in ("boolean", "count", "number", "table") or qir.aggregate:
        return True
    is_classed = any(unknown == qir.target for unknown, _ in qir.classes)
    at_target = (
        (edge, entry, is_object)
        for edge in edges
        if not edge.is_negated and not edge.candidate.is_inward
        for end, entry, is_object in _steps(edge, kg)
        if end == qir.target and entry is not None
    )
    for edge, entry, is_object in at_target:
        phrase, classes = edge.relation.relation, frozenset[str]() if is_classed else asked.classes
        is_given = phrase in vocabulary.predicates  # by the predicate itself: other words name it
        classes = classes if is_given or _is_named_by(phrase, classes, kg) else frozenset()
        if is_object and edge.candidate.is_literal:
            if truth_values(entry) and is_unknown(edge.relation.subject) and len(edges) == 1:
                return False  # true and false of nothing in particular
            is_other = bool(classes) and not _is_named_by(entry.label, classes, kg)
            is_measure = edge.candidate.is_numeric or is_date_predicate(entry)
            if is_measure and (expected in ("person", "place") or is_other):
                return False
            continue
        ends = entry.ranges if is_object else entry.domains
        kind = "agent" if expected == "person" else expected
        is_other_class = bool(classes) and not vocabulary.may_share_members(ends, classes)
        is_other_kind = expected == "date" and ends and not are_time_classes(ends, vocabulary)
        if is_other_class or is_other_kind or not may_be_of_kind(kind, ends, vocabulary):
            return False
    return True


def _orders_by_date(edges: Sequence[LinkedRelation], qir: QIR, kg: KnowledgeGraph) -> bool:
    ordering = [edge for edge in edges if qir.order and qir.order.by in edge.relation.ends()]
    last = (kg.vocabulary.predicates.get(edge.candidate.last_predicate) for edge in ordering)
    return any(entry and is_date_predicate(entry) for entry in last)


def _is_named_by(phrase: str, classes: frozenset[str], kg: KnowledgeGraph) -> bool:
    """Tell whether all content of a phrase is the name of one of the classes."""
    stems = analyze_phrase(phrase).stems
    names = (kg.vocabulary.classes[iri].label for iri in classes if iri in kg.vocabulary.classes)
    return bool(stems) and any(stems <= analyze_phrase(name).stems for name in names)


def _agree(edges: Sequence[LinkedRelation], kg: KnowledgeGraph) -> float:
    """Return how well the relations agree on the types of shared unknowns (0..1; 0: impossible)."""
    uses: dict[str, list[tuple[bool, tuple[str, ...]]]] = {}
    for edge in edges:
        first, last = _steps(edge, kg)
        for end, entry, is_object in (first, last):
            if is_unknown(end):
                classes = () if entry is None else entry.ranges if is_object else entry.domains
                is_literal = edge.candidate.is_literal and end == last[0]
                uses.setdefault(end, []).append((is_literal, classes))
    fit = 1.0
    for end_uses in uses.values():
        if len({is_literal for is_literal, _ in end_uses}) > 1:
            return 0.0
        for (_, one), (_, other) in zip(end_uses, end_uses[1:], strict=False):
            fit *= _class_agreement(one, other, kg)
    return fit


def _class_agreement(one: tuple[str, ...], other: tuple[str, ...], kg: KnowledgeGraph) -> float:
    if not one or not other:
        return _UNKNOWN_AGREEMENT_FACTOR
    superclasses, other_superclasses = kg.vocabulary.superclasses(*one), kg.vocabulary.superclasses(*other)
    return _CLASH_FACTOR if other_superclasses.isdisjoint(one) and superclasses.isdisjoint(other) else 1.0
