"""Which way a predicate cannot lead between the ends of a relation: by its domain and range, and what the ends are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    """Yield the options of one relation without those that lead a way which is impossible, where the other way is not.

    An option goes only if the same predicate is there in the other direction: what samples of a big KG say of domains
    and ranges is no proof, but enough to tell the two directions apart.
    """
    known = context.kg.vocabulary.predicates
    listed = {(option.predicates, option.is_forward) for option in candidates if not option.second_predicates}
    twice = [o for o in candidates if not o.second_predicates and (o.predicates, not o.is_forward) in listed]
    may = {(o.predicates, o.is_forward) for o in twice if _may(o, relation, ends, context, known)}
    for option in candidates:
        at, other = (option.predicates, option.is_forward), (option.predicates, not option.is_forward)
        if option.second_predicates or at in may or other not in may:
            yield option


def _may(
    option: PredicateCandidate,
    relation: Relation,
    ends: Mapping[str, EntityLink],
    around: LinkingContext,
    known: Mapping[str, PredicateEntry],
) -> bool:
    """Tell whether a predicate may lead between the ends the way that an option takes it."""
    entry = known.get(option.predicates[0])
    if entry is None:
        return True
    subject, other = relation.ends() if option.is_forward else relation.ends()[::-1]
    return _may_begin(subject, entry, ends, around) and _may_end(other, entry, ends, around)


def _may_begin(end: str, entry: PredicateEntry, ends: Mapping[str, EntityLink], around: LinkingContext) -> bool:
    if end in ends:
        anchor = ends[end]
        at_hand = any(
            (entry.iri, "out") == (iri, way) for c in anchor.candidates for iri, way, _ in c.incident_predicates
        )
        return at_hand or (anchor.kind != "value" and _meet(_classes(anchor), entry.domains, around))
    if around.expected_types.get(end) in ("date", "measure") and end not in around.counted_unknowns:
        return False  # a date or a measure is no subject of anything
    return _meet(_kinds(end, around), entry.domains, around)


def _may_end(end: str, entry: PredicateEntry, ends: Mapping[str, EntityLink], around: LinkingContext) -> bool:
    classed = is_unknown(end) and bool(_kinds(end, around)) and end not in around.counted_unknowns
    if entry.object_kind == "literal":
        return not classed and (end not in ends or ends[end].kind != "vertex")
    if end in ends:
        anchor = ends[end]
        at_hand = any(
            (entry.iri, "in") == (iri, way) for c in anchor.candidates for iri, way, _ in c.incident_predicates
        )
        return at_hand or anchor.kind == "value" or _meet(_classes(anchor), entry.ranges, around)
    return not classed or _meet(_kinds(end, around), entry.ranges, around)


def _kinds(end: str, around: LinkingContext) -> frozenset[str]:
    """Return the classes that are stated for an unknown, or else those that it bears the very name of (``?ship``)."""
    stated = around.classes.get(end)
    if stated:
        return stated
    hinted, known = around.hinted_classes.get(end, frozenset()), around.kg.vocabulary.classes
    said = analyze_phrase(end.strip("?_0123456789")).stems
    return (
        hinted
        if any(iri in known and analyze_phrase(known[iri].label).stems == said for iri in hinted)
        else frozenset()
    )


def _classes(anchor: EntityLink) -> frozenset[str]:
    """Return the classes of all candidates of a mention, none where one of them has none."""
    stated = [candidate.classes for candidate in anchor.candidates]
    return frozenset(iri for classes in stated for iri in classes) if all(stated) else frozenset()


def _meet(wanted: frozenset[str], stated: Iterable[str], around: LinkingContext) -> bool:
    """Tell whether a thing of the wanted classes may be one of those stated: where nothing is known, it may."""
    listed = frozenset(stated)
    if not wanted or not listed or wanted & listed:
        return True
    known = around.kg.vocabulary
    return not (known.superclasses(*listed).isdisjoint(wanted) and known.superclasses(*wanted).isdisjoint(listed))
