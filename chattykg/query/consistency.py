"""Coherence: whether the options chosen for the relations of one question can stand together in one query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.morphology import analyze_phrase

from chattykg.linking.predicate_candidates import LinkedRelation
from chattykg.qir import is_unknown
from chattykg.query.grounding import GroundedQIR

_CLASH = 0.55
_ECHO = 0.6
_SURE = 0.7
_MOST_ROWS = 5_000_000


def is_bounded(edges: Sequence[LinkedRelation], grounded: GroundedQIR, kg: KnowledgeGraph) -> bool:
    """Tell whether a query cannot explode: two relations that no term holds may meet in a hub.

    What a filter leaves is counted as if it left everything: an engine may join before it filters.
    """
    held = {*grounded.entity_links, *(unknown for unknown, _ in grounded.values)}
    meeting: dict[str, int] = {}
    for edge in edges:
        entry = kg.vocabulary.predicates.get(edge.candidate.last_predicate)
        end = edge.relation.object if edge.candidate.is_forward else edge.relation.subject
        free = not edge.is_negated and not held & set(edge.relation.ends())
        if entry and free and not entry.is_inverse_functional:
            meeting[end] = meeting.get(end, 1) * max(1, entry.triple_count)
    return max(meeting.values(), default=1) <= _MOST_ROWS


def texts_are_stated(edges: Sequence[LinkedRelation], grounded: GroundedQIR) -> bool:
    """Tell whether each text that no vertex bears stands where the graph has literals, by a relation that is sure."""
    return all(
        edge.candidate.is_literal and edge.candidate.is_forward and edge.candidate.score >= _SURE
        for edge in edges
        if grounded.text_unknowns & set(edge.relation.ends())
    )


def names_are_stated(edges: Sequence[LinkedRelation], names: Mapping[str, str]) -> bool:
    """Tell whether each unknown that bears a name which is no class of the graph stands by a predicate so named."""
    return all(
        any(
            analyze_phrase(name).stems & analyze_phrase(edge.candidate.label).stems
            for edge in edges
            if end in edge.relation.ends()
        )
        for end, name in names.items()
    )


def type_agreement(edges: Sequence[LinkedRelation], kg: KnowledgeGraph) -> float:
    """Tell how well the options agree about the unknowns that they share; 0 where they cannot hold together."""
    seen: dict[str, list[tuple[bool, tuple[str, ...]]]] = {}
    for edge in edges:
        first = kg.vocabulary.predicates.get(edge.candidate.predicates[0])
        last = kg.vocabulary.predicates.get(edge.candidate.last_predicate)
        ends = edge.relation.ends() if edge.candidate.is_forward else edge.relation.ends()[::-1]
        for place, end in enumerate(ends):
            if is_unknown(end):
                entry = last if place else first
                outward = bool(place) or edge.candidate.is_inward
                classes = () if entry is None else entry.ranges if outward else entry.domains
                seen.setdefault(end, []).append((edge.candidate.is_literal and place == 1, classes))
    fit = _ECHO if any(_echoes(one, other) for at, one in enumerate(edges) for other in edges[:at]) else 1.0
    for found in seen.values():
        if len({literal for literal, _ in found}) > 1:
            return 0.0
        for (_, one), (_, other) in zip(found, found[1:], strict=False):
            fit *= _meeting(one, other, kg)
    return fit


def _echoes(one: LinkedRelation, other: LinkedRelation) -> bool:
    """Tell whether two relations that were said differently lead to one unknown by the same predicate.

    "Who composed the music for X" asks for no fellow of its composer.
    """
    same = one.candidate.predicates == other.candidate.predicates and not (
        one.candidate.second_predicates or other.candidate.second_predicates
    )
    if not same or one.is_negated or other.is_negated or one.relation.relation == other.relation.relation:
        return False
    ends = [e.relation.ends() if e.candidate.is_forward else e.relation.ends()[::-1] for e in (one, other)]
    return any(is_unknown(ends[0][place]) and ends[0][place] == ends[1][place] for place in (0, 1))


def _meeting(one: tuple[str, ...], other: tuple[str, ...], kg: KnowledgeGraph) -> float:
    if not one or not other:
        return 0.95
    above, more = kg.vocabulary.superclasses(*one), kg.vocabulary.superclasses(*other)
    return _CLASH if more.isdisjoint(one) and above.isdisjoint(other) else 1.0
