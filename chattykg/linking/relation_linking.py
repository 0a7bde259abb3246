"""Relation linking: the predicates that may stand for a relation phrase, both directions, ranked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.profile import TYPES
from chattyshared.terms import readable

from chattykg.linking.answer_types import fit_of_classes, fit_of_object, looks_numeric
from chattykg.linking.candidates import Anchor
from chattykg.linking.join_tables import is_only_way, joined
from chattykg.linking.label_matching import named
from chattykg.linking.predicate_candidates import Option, Surroundings
from chattykg.linking.predicate_direction import without_reversed
from chattykg.linking.property_paths import two_steps
from chattykg.linking.relation_phrases import is_bare, is_label_phrase, is_light, is_placed, is_type_phrase
from chattykg.linking.similarity import leaning
from chattykg.linking.words import read
from chattykg.qir import Relation
from chattykg.query.graph_patterns import is_writable

KEPT = 8
"""Options of one relation that are kept."""
_WHOLE_VOCABULARY = 2_000
_FLOOR = 0.6
_UNFIT, _AGAINST_HINT = 0.6, 0.85
_LESS = 0.95
"""What a vertex without a name is worth where its number can be told."""
_PLAIN = 0.85
"""From here on a predicate is plainly the one that a phrase names."""
_NEXT_BEST = 0.75
"""What is stated must be worth this much of the best that is not, or it is an answer to another question."""
_ONLY_PLACE, _PLACED = 0.55, 0.5
_AT_VERTEX, _BY_VOCABULARY = 0.8, 0.7


def options(relation: Relation, ends: Mapping[str, Anchor], around: Surroundings) -> tuple[Option, ...]:
    """Return the options of one relation, best first, synonyms together; at most ``KEPT``.

    A relation that is a predicate's IRI means that predicate and nothing else.
    """
    exact = around.kg.vocabulary.predicates.get(relation.relation)
    if exact is not None and is_writable(exact.iri):
        literal = exact.objects == "literal"
        return (Option((exact.iri,), exact.label, True, 1.0, literal, literal and looks_numeric(exact)),)
    scored = [
        (around.kg.vocabulary.predicates.get(iri) or PredicateEntry(iri, readable(iri)), forward, presence)
        for iri, forward, presence in _present(relation, ends, around)
        if is_writable(iri)
    ]
    found = []
    unsaid = frozenset((*TYPES, *around.kg.profile.types, *around.kg.profile.labels))
    for forward in (True, False):
        along = [(entry, presence) for entry, way, presence in scored if way == forward and entry.iri not in unsaid]
        told = named(relation, [entry for entry, _ in along], forward, ends, around)
        found += [
            _option(relation, entry, forward, (told[entry.iri], presence), ends, around) for entry, presence in along
        ]
    found = list(without_reversed(found, relation, ends, around))
    extra = (*_said_otherwise(relation, ends, around), *two_steps(relation, ends, around))
    extra += tuple(joined(relation, ends, around))
    found = [replace(o, score=_LESS * o.score) if _is_measured(o, extra) else o for o in found]
    best = _best_unstated(relation, ends, around)
    return tuple(option for option in _together((*found, *extra)) if option.score >= _NEXT_BEST * best)[:KEPT]


def _is_measured(option: Option, extra: Iterable[Option]) -> bool:
    """Tell whether another option leads on from the nameless vertex that an option ends at to the number it holds."""
    at = (option.predicates[0], option.forward)
    return any(o.numeric and o.then and not o.inward and (o.predicates[0], o.forward) == at for o in extra)


def _best_unstated(relation: Relation, ends: Mapping[str, Anchor], around: Surroundings) -> float:
    """Return how well the best predicate fits that the graph has for such things but does not state of this one.

    Where it fits far better than all that is stated, it is what was asked for, and the answer is that it is not known.
    """
    given = [end for end in relation.ends() if end in ends]
    if len(given) != 1 or around.is_boolean or is_bare(relation.relation) or ends[given[0]].kind != "vertex":
        return 0.0
    candidate = ends[given[0]].candidates[0]
    above = around.kg.vocabulary.superclasses(*candidate.classes)
    above |= _siblings(candidate.classes, around)
    best = 0.0
    for direction in ("out", "in"):
        stated = {iri for each in ends[given[0]].candidates for iri, way, _ in each.around if way == direction}
        forward = (direction == "out") == (relation.subject == given[0])
        missing = [
            entry
            for entry in around.card.predicates
            if entry.iri not in stated
            and not entry.metadata
            and above.intersection(entry.domains if direction == "out" else entry.ranges)
        ]
        told = named(relation, missing, forward, ends, around)
        scored = (_option(relation, entry, forward, (told[entry.iri], 1.0), ends, around) for entry in missing)
        best = max(best, *(option.score for option in scored), 0.0)
    return best if best >= _PLAIN else 0.0


def _siblings(classes: Iterable[str], around: Surroundings) -> frozenset[str]:
    """Return the classes beside some classes, under the same parents: what one kind of vessel has, another may have."""
    known = around.kg.vocabulary.classes
    parents = {parent for iri in classes if iri in known for parent in known[iri].parents}
    return frozenset(iri for iri, entry in known.items() if parents & set(entry.parents))


def _present(relation: Relation, ends: Mapping[str, Anchor], around: Surroundings) -> Iterator[tuple[str, bool, float]]:
    """Yield the predicates that may stand between the ends: IRI, direction, how sure it is that they do."""
    known = [_around(ends[end]) if end in ends else None for end in relation.ends()]
    if known[0] is None and known[1] is None:
        entries: Iterable[PredicateEntry] = around.kg.vocabulary.predicates.values()
        if len(around.kg.vocabulary.predicates) > _WHOLE_VOCABULARY:
            entries = around.card.predicates
        for entry in entries:
            if not entry.metadata:
                yield entry.iri, True, 1.0
                yield entry.iri, False, 1.0
        return
    pairs: dict[tuple[str, bool], int] = {}
    for place, listed in enumerate(known):
        for iri, direction in listed or ():
            forward = (direction == "out") == (place == 0)
            pairs[iri, forward] = pairs.get((iri, forward), 0) + 1
    wanted = sum(listed is not None for listed in known)
    for (iri, forward), count in pairs.items():
        yield iri, forward, 1.0 if count == wanted else _AT_VERTEX
    if around.is_boolean and not is_bare(relation.relation):
        for entry in around.card.predicates:
            for forward in (True, False):
                if (entry.iri, forward) not in pairs and not entry.metadata:
                    yield entry.iri, forward, _BY_VOCABULARY


def _around(anchor: Anchor) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    for candidate in anchor.candidates:
        found |= dict.fromkeys((iri, direction) for iri, direction, _ in candidate.around)
        found |= dict.fromkeys((iri, "in") for iri in candidate.predicates)
    return tuple(found)


def _option(
    relation: Relation,
    entry: PredicateEntry,
    forward: bool,
    told: tuple[float, float],
    ends: Mapping[str, Anchor],
    around: Surroundings,
) -> Option:
    """Weigh one predicate in one direction by name, direction of the phrase, and what its ends are.

    ``told`` is how near it is by name, and how sure it is that it stands there.
    """
    named, presence = told
    subject, other = relation.ends() if forward else relation.ends()[::-1]
    literal = entry.objects == "literal"
    fits = _fit_of_subject(subject, entry, around) * _fit_of_object(other, entry, around)
    leans = leaning(relation.relation, entry.label) * (1 if forward else -1)
    numeric = literal and looks_numeric(entry)
    if numeric and around.counted & set(relation.ends()):
        leans = 0
    score = presence * named * {1: 1.0, 0: 0.95, -1: 0.78}[leans] * fits
    if is_bare(relation.relation) or relation.relation in around.class_words.values():
        score = max(score, presence * _FLOOR * fits * fits * (0.97 + 0.03 * min(1.0, entry.triples / 1000)))
    elif is_placed(relation.relation) and _is_place(other, entry, ends, around):
        score = max(score, presence * _PLACED * fits * fits)
    elif is_light(relation.relation) and is_only_way(entry, (subject, other), ends, around):
        score = max(score, presence * _ONLY_PLACE * fits)
    elif any(_is_only_place(end, entry, ends) for end in relation.ends()):
        score = max(score, presence * _ONLY_PLACE * fits)
    return Option((entry.iri,), entry.label, forward, score, literal, numeric)


def _is_place(end: str, entry: PredicateEntry, ends: Mapping[str, Anchor], around: Surroundings) -> bool:
    """Tell whether an end is a thing that is named, or of a class that the predicate leads to."""
    if end in ends:
        return ends[end].kind == "vertex"
    return bool(around.classes.get(end, frozenset()).intersection(entry.ranges))


def _is_only_place(end: str, entry: PredicateEntry, ends: Mapping[str, Anchor]) -> bool:
    """Tell whether an end is a literal that the graph states under this predicate alone: then it tells the relation."""
    return end in ends and all(
        each.kind == "value" and each.predicates == (entry.iri,) for each in ends[end].candidates
    )


def _fit_of_subject(end: str, entry: PredicateEntry, around: Surroundings) -> float:
    fit = 1.0
    kind = around.expected.get(end, "")
    if kind and kind != "number":
        fit *= 0.5 if kind in ("date", "measure") else fit_of_classes(kind, entry.domains, around.kg.vocabulary)
    if end in around.classes:
        fit *= _overlap(around.classes[end], entry.domains, around)
    return fit * _hinted(end, entry.domains, around)


def _fit_of_object(end: str, entry: PredicateEntry, around: Surroundings) -> float:
    fit = 1.0
    kind = around.expected.get(end, "")
    if kind:
        fit *= fit_of_object(kind, entry, around.kg.vocabulary) if end not in around.counted else _countable(entry)
    if end in around.classes and not (end in around.counted and _says_number(entry, end, around)):
        fit *= 0.4 if entry.objects == "literal" else _overlap(around.classes[end], entry.ranges, around)
    return fit if entry.objects == "literal" else fit * _hinted(end, entry.ranges, around)


def _says_number(entry: PredicateEntry, end: str, around: Surroundings) -> bool:
    """Tell whether a literal may be the number of the things of a class that are counted ("number of employees")."""
    said = read(around.class_words.get(end, "")).stems
    names = (entry.label, *entry.alt)
    return entry.objects == "literal" and looks_numeric(entry) and any(said & read(name).stems for name in names)


def _hinted(end: str, stated: Iterable[str], around: Surroundings) -> float:
    wanted = around.hints.get(end)
    return 1.0 if not wanted or _overlap(wanted, stated, around) > _UNFIT else _AGAINST_HINT


def _countable(entry: PredicateEntry) -> float:
    return 1.0 if entry.objects != "literal" else 1.0 if looks_numeric(entry) else 0.8


def _overlap(wanted: frozenset[str], stated: Iterable[str], around: Surroundings) -> float:
    listed = tuple(stated)
    if not listed or not wanted:
        return 0.93
    if wanted & set(listed):
        return 1.0
    return 0.98 if wanted & around.kg.vocabulary.superclasses(*listed) else _UNFIT


def _said_otherwise(relation: Relation, ends: Mapping[str, Anchor], around: Surroundings) -> Iterator[Option]:
    """Yield what vocabularies do not list as a relation: the type, and the label."""
    free = relation.object not in ends
    if is_type_phrase(relation.relation) and free and relation.relation.strip():
        yield Option(around.kg.profile.types, "type", True, 0.6)
    if is_label_phrase(relation.relation) and free:
        known = tuple(iri for iri in around.kg.profile.labels if iri in around.kg.vocabulary.predicates)
        yield Option(known or around.kg.profile.labels[:3], "name", True, 0.9, literal=True)


def _together(found: Iterable[Option]) -> Iterator[Option]:
    """Put predicates whose names mean the same, in one direction and of one kind, into one option."""
    groups: dict[tuple[frozenset[str], bool, bool, tuple[str, ...]], list[Option]] = {}
    for option in found:
        if option.score > 0:
            at = (read(option.label).stems, option.forward, option.literal, (*option.then, str(option.inward)))
            groups.setdefault(at, []).append(option)
    merged = []
    for group in groups.values():
        group.sort(key=lambda o: (-o.score, o.predicates))
        best = group[0]
        alike = [o for o in group if o.score >= 0.85 * best.score]
        iris = tuple(dict.fromkeys(iri for option in alike for iri in option.predicates))
        merged.append(replace(best, predicates=iris))
    yield from sorted(merged, key=lambda o: (-o.score, not o.forward, o.label, o.predicates))


_NEVER = 0.6


def stated_first(found: Sequence[Option], relation: Relation, anchors: Mapping[str, Anchor]) -> tuple[Option, ...]:
    """Return the options of a negated relation with those last that the value is never stated under.

    "Not from X" is read by the predicate that has X; one that is named by the very words stays ahead all the same.
    """
    values = [anchors[end] for end in relation.ends() if end in anchors and anchors[end].kind == "value"]
    if not values:
        return tuple(found)
    stated = {iri for anchor in values for candidate in anchor.candidates for iri in candidate.predicates}
    weighed = (
        option
        if stated.intersection((*option.predicates, *option.then))
        else replace(option, score=option.score * _NEVER)
        for option in found
    )
    return tuple(sorted(weighed, key=lambda option: -option.score))
