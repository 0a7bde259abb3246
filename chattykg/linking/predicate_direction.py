"""Which way a predicate cannot lead between the ends of a relation: by its domain and range, and what the ends are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from chattyshared.kg.vocabulary import PredicateEntry

from chattykg.linking.candidates import Anchor
from chattykg.linking.predicate_candidates import Option, Surroundings
from chattykg.linking.words import read
from chattykg.qir import Relation, is_unknown


def without_reversed(
    found: Sequence[Option], relation: Relation, ends: Mapping[str, Anchor], around: Surroundings
) -> Iterator[Option]:
    """Yield the options of one relation without those that lead a way which is impossible, where the other way is not.

    An option goes only if the same predicate is there in the other direction: what samples of a big KG say of domains
    and ranges is no proof, but enough to tell the two directions apart.
    """
    known = around.kg.vocabulary.predicates
    listed = {(option.predicates, option.forward) for option in found if not option.then}
    twice = [o for o in found if not o.then and (o.predicates, not o.forward) in listed]
    may = {(o.predicates, o.forward) for o in twice if _may(o, relation, ends, around, known)}
    for option in found:
        at, other = (option.predicates, option.forward), (option.predicates, not option.forward)
        if option.then or at in may or other not in may:
            yield option


def _may(
    option: Option,
    relation: Relation,
    ends: Mapping[str, Anchor],
    around: Surroundings,
    known: Mapping[str, PredicateEntry],
) -> bool:
    """Tell whether a predicate may lead between the ends the way that an option takes it."""
    entry = known.get(option.predicates[0])
    if entry is None:
        return True
    subject, other = relation.ends() if option.forward else relation.ends()[::-1]
    return _may_begin(subject, entry, ends, around) and _may_end(other, entry, ends, around)


def _may_begin(end: str, entry: PredicateEntry, ends: Mapping[str, Anchor], around: Surroundings) -> bool:
    if end in ends:
        anchor = ends[end]
        at_hand = any((entry.iri, "out") == (iri, way) for c in anchor.candidates for iri, way, _ in c.around)
        return at_hand or (anchor.kind != "value" and _meet(_classes(anchor), entry.domains, around))
    if around.expected.get(end) in ("date", "measure") and end not in around.counted:
        return False  # a date or a measure is no subject of anything
    return _meet(_kinds(end, around), entry.domains, around)


def _may_end(end: str, entry: PredicateEntry, ends: Mapping[str, Anchor], around: Surroundings) -> bool:
    classed = is_unknown(end) and bool(_kinds(end, around)) and end not in around.counted
    if entry.objects == "literal":
        return not classed and (end not in ends or ends[end].kind != "vertex")
    if end in ends:
        anchor = ends[end]
        at_hand = any((entry.iri, "in") == (iri, way) for c in anchor.candidates for iri, way, _ in c.around)
        return at_hand or anchor.kind == "value" or _meet(_classes(anchor), entry.ranges, around)
    return not classed or _meet(_kinds(end, around), entry.ranges, around)


def _kinds(end: str, around: Surroundings) -> frozenset[str]:
    """Return the classes that are stated for an unknown, or else those that it bears the very name of (``?ship``)."""
    stated = around.classes.get(end)
    if stated:
        return stated
    hinted, known = around.hints.get(end, frozenset()), around.kg.vocabulary.classes
    said = read(end.strip("?_0123456789")).stems
    return hinted if any(iri in known and read(known[iri].label).stems == said for iri in hinted) else frozenset()


def _classes(anchor: Anchor) -> frozenset[str]:
    """Return the classes of all candidates of a mention, none where one of them has none."""
    stated = [candidate.classes for candidate in anchor.candidates]
    return frozenset(iri for classes in stated for iri in classes) if all(stated) else frozenset()


def _meet(wanted: frozenset[str], stated: Iterable[str], around: Surroundings) -> bool:
    """Tell whether a thing of the wanted classes may be one of those stated: where nothing is known, it may."""
    listed = frozenset(stated)
    if not wanted or not listed or wanted & listed:
        return True
    known = around.kg.vocabulary
    return not (known.superclasses(*listed).isdisjoint(wanted) and known.superclasses(*wanted).isdisjoint(listed))
