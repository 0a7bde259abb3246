"""Predicate direction: drop candidates whose domain and range contradict the ends of the relation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.morphology import analyze_phrase

from chattykg.linking.candidates import EntityLink
from chattykg.linking.predicate_candidates import LinkingContext, PredicateCandidate
from chattykg.qir import Relation, is_unknown


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
