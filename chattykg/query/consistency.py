"""Consistency: whether the linked relations of one question can stand together in one query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.morphology import analyze_phrase

from chattykg.linking.predicate_candidates import LinkedRelation
from chattykg.qir import is_unknown
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
_MAX_ROWS = 5_000_000
"""Estimated rows of the largest join that is run."""


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


def names_are_stated(edges: Sequence[LinkedRelation], names: Mapping[str, str]) -> bool:
    """Tell whether each unknown whose name is no class of the graph has a predicate with a stem of that name."""
    return all(
        any(
            analyze_phrase(name).stems & analyze_phrase(edge.candidate.label).stems
            for edge in edges
            if end in edge.relation.ends()
        )
        for end, name in names.items()
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
