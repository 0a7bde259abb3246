"""Relation linking: the predicates that may stand for a relation phrase, both directions, ranked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.morphology import analyze_phrase
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import iri_to_words, is_writable

from chattykg.linking.answer_types import class_type_fit, is_numeric_predicate, object_type_fit
from chattykg.linking.candidates import EntityLink
from chattykg.linking.join_tables import is_only_connection, join_table_candidates
from chattykg.linking.label_matching import score_labels
from chattykg.linking.predicate_candidates import LinkingContext, PredicateCandidate
from chattykg.linking.predicate_direction import drop_reversed
from chattykg.linking.property_paths import two_hop_candidates
from chattykg.linking.relation_phrases import (
    is_function_phrase,
    is_label_phrase,
    is_light_verb_phrase,
    is_locative_phrase,
    is_type_phrase,
)
from chattykg.linking.similarity import argument_polarity
from chattykg.qir import Relation

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


def predicate_candidates(
    relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext
) -> tuple[PredicateCandidate, ...]:
    """Return the options of one relation, best first, synonyms together; at most ``KEPT``.

    A relation that is a predicate's IRI means that predicate and nothing else.
    """
    exact = context.kg.vocabulary.predicates.get(relation.relation)
    if exact is not None and is_writable(exact.iri):
        literal = exact.object_kind == "literal"
        return (
            PredicateCandidate((exact.iri,), exact.label, True, 1.0, literal, literal and is_numeric_predicate(exact)),
        )
    scored = [
        (context.kg.vocabulary.predicates.get(iri) or PredicateEntry(iri, iri_to_words(iri)), forward, presence)
        for iri, forward, presence in _present(relation, ends, context)
        if is_writable(iri)
    ]
    found = []
    unsaid = frozenset((*TYPE_PREDICATES, *context.kg.profile.types, *context.kg.profile.labels))
    for forward in (True, False):
        along = [(entry, presence) for entry, way, presence in scored if way == forward and entry.iri not in unsaid]
        told = score_labels(relation, [entry for entry, _ in along], forward, ends, context)
        found += [
            _option(relation, entry, forward, (told[entry.iri], presence), ends, context) for entry, presence in along
        ]
    found = list(drop_reversed(found, relation, ends, context))
    extra = (*_said_otherwise(relation, ends, context), *two_hop_candidates(relation, ends, context))
    extra += tuple(join_table_candidates(relation, ends, context))
    found = [replace(o, score=_LESS * o.score) if _is_measured(o, extra) else o for o in found]
    best = _best_unstated(relation, ends, context)
    return tuple(option for option in _together((*found, *extra)) if option.score >= _NEXT_BEST * best)[:KEPT]


def _is_measured(option: PredicateCandidate, extra: Iterable[PredicateCandidate]) -> bool:
    """Tell whether another option leads on from the nameless vertex that an option ends at to the number it holds."""
    at = (option.predicates[0], option.is_forward)
    return any(
        o.is_numeric and o.second_predicates and not o.is_inward and (o.predicates[0], o.is_forward) == at
        for o in extra
    )


def _best_unstated(relation: Relation, ends: Mapping[str, EntityLink], around: LinkingContext) -> float:
    """Return how well the best predicate fits that the graph has for such things but does not state of this one.

    Where it fits far better than all that is stated, it is what was asked for, and the answer is that it is not known.
    """
    given = [end for end in relation.ends() if end in ends]
    if len(given) != 1 or around.is_boolean or is_function_phrase(relation.relation) or ends[given[0]].kind != "vertex":
        return 0.0
    candidate = ends[given[0]].candidates[0]
    above = around.kg.vocabulary.superclasses(*candidate.classes)
    above |= _siblings(candidate.classes, around)
    best = 0.0
    for direction in ("out", "in"):
        stated = {
            iri for each in ends[given[0]].candidates for iri, way, _ in each.incident_predicates if way == direction
        }
        forward = (direction == "out") == (relation.subject == given[0])
        missing = [
            entry
            for entry in around.card.predicates
            if entry.iri not in stated
            and not entry.is_metadata
            and above.intersection(entry.domains if direction == "out" else entry.ranges)
        ]
        told = score_labels(relation, missing, forward, ends, around)
        scored = (_option(relation, entry, forward, (told[entry.iri], 1.0), ends, around) for entry in missing)
        best = max(best, *(option.score for option in scored), 0.0)
    return best if best >= _PLAIN else 0.0


def _siblings(classes: Iterable[str], around: LinkingContext) -> frozenset[str]:
    """Return the classes beside some classes, under the same parents: what one kind of vessel has, another may have."""
    known = around.kg.vocabulary.classes
    parents = {parent for iri in classes if iri in known for parent in known[iri].direct_superclasses}
    return frozenset(iri for iri, entry in known.items() if parents & set(entry.direct_superclasses))


def _present(
    relation: Relation, ends: Mapping[str, EntityLink], around: LinkingContext
) -> Iterator[tuple[str, bool, float]]:
    """Yield the predicates that may stand between the ends: IRI, direction, how sure it is that they do."""
    known = [_around(ends[end]) if end in ends else None for end in relation.ends()]
    if known[0] is None and known[1] is None:
        entries: Iterable[PredicateEntry] = around.kg.vocabulary.predicates.values()
        if len(around.kg.vocabulary.predicates) > _WHOLE_VOCABULARY:
            entries = around.card.predicates
        for entry in entries:
            if not entry.is_metadata:
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
    if around.is_boolean and not is_function_phrase(relation.relation):
        for entry in around.card.predicates:
            for forward in (True, False):
                if (entry.iri, forward) not in pairs and not entry.is_metadata:
                    yield entry.iri, forward, _BY_VOCABULARY


def _around(anchor: EntityLink) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    for candidate in anchor.candidates:
        found |= dict.fromkeys((iri, direction) for iri, direction, _ in candidate.incident_predicates)
        found |= dict.fromkeys((iri, "in") for iri in candidate.predicates)
    return tuple(found)


def _option(
    relation: Relation,
    entry: PredicateEntry,
    forward: bool,
    told: tuple[float, float],
    ends: Mapping[str, EntityLink],
    around: LinkingContext,
) -> PredicateCandidate:
    """Weigh one predicate in one direction by name, direction of the phrase, and what its ends are.

    ``told`` is how near it is by name, and how sure it is that it stands there.
    """
    named, presence = told
    subject, other = relation.ends() if forward else relation.ends()[::-1]
    literal = entry.object_kind == "literal"
    fits = _fit_of_subject(subject, entry, around) * _fit_of_object(other, entry, around)
    leans = argument_polarity(relation.relation, entry.label) * (1 if forward else -1)
    numeric = literal and is_numeric_predicate(entry)
    if numeric and around.counted_unknowns & set(relation.ends()):
        leans = 0
    score = presence * named * {1: 1.0, 0: 0.95, -1: 0.78}[leans] * fits
    if is_function_phrase(relation.relation) or relation.relation in around.class_words.values():
        score = max(score, presence * _FLOOR * fits * fits * (0.97 + 0.03 * min(1.0, entry.triple_count / 1000)))
    elif is_locative_phrase(relation.relation) and _is_place(other, entry, ends, around):
        score = max(score, presence * _PLACED * fits * fits)
    elif is_light_verb_phrase(relation.relation) and is_only_connection(entry, (subject, other), ends, around):
        score = max(score, presence * _ONLY_PLACE * fits)
    elif any(_is_only_place(end, entry, ends) for end in relation.ends()):
        score = max(score, presence * _ONLY_PLACE * fits)
    return PredicateCandidate((entry.iri,), entry.label, forward, score, literal, numeric)


def _is_place(end: str, entry: PredicateEntry, ends: Mapping[str, EntityLink], around: LinkingContext) -> bool:
    """Tell whether an end is a thing that is named, or of a class that the predicate leads to."""
    if end in ends:
        return ends[end].kind == "vertex"
    return bool(around.classes.get(end, frozenset()).intersection(entry.ranges))


def _is_only_place(end: str, entry: PredicateEntry, ends: Mapping[str, EntityLink]) -> bool:
    """Tell whether an end is a literal that the graph states under this predicate alone: then it tells the relation."""
    return end in ends and all(
        each.kind == "value" and each.predicates == (entry.iri,) for each in ends[end].candidates
    )


def _fit_of_subject(end: str, entry: PredicateEntry, around: LinkingContext) -> float:
    fit = 1.0
    kind = around.expected_types.get(end, "")
    if kind and kind != "number":
        fit *= 0.5 if kind in ("date", "measure") else class_type_fit(kind, entry.domains, around.kg.vocabulary)
    if end in around.classes:
        fit *= _overlap(around.classes[end], entry.domains, around)
    return fit * _hinted(end, entry.domains, around)


def _fit_of_object(end: str, entry: PredicateEntry, around: LinkingContext) -> float:
    fit = 1.0
    kind = around.expected_types.get(end, "")
    if kind:
        fit *= (
            object_type_fit(kind, entry, around.kg.vocabulary)
            if end not in around.counted_unknowns
            else _countable(entry)
        )
    if end in around.classes and not (end in around.counted_unknowns and _says_number(entry, end, around)):
        fit *= 0.4 if entry.object_kind == "literal" else _overlap(around.classes[end], entry.ranges, around)
    return fit if entry.object_kind == "literal" else fit * _hinted(end, entry.ranges, around)


def _says_number(entry: PredicateEntry, end: str, around: LinkingContext) -> bool:
    """Tell whether a literal may be the number of the things of a class that are counted ("number of employees")."""
    said = analyze_phrase(around.class_words.get(end, "")).stems
    names = (entry.label, *entry.alt_labels)
    return (
        entry.object_kind == "literal"
        and is_numeric_predicate(entry)
        and any(said & analyze_phrase(name).stems for name in names)
    )


def _hinted(end: str, stated: Iterable[str], around: LinkingContext) -> float:
    wanted = around.hinted_classes.get(end)
    return 1.0 if not wanted or _overlap(wanted, stated, around) > _UNFIT else _AGAINST_HINT


def _countable(entry: PredicateEntry) -> float:
    return 1.0 if entry.object_kind != "literal" else 1.0 if is_numeric_predicate(entry) else 0.8


def _overlap(wanted: frozenset[str], stated: Iterable[str], around: LinkingContext) -> float:
    listed = tuple(stated)
    if not listed or not wanted:
        return 0.93
    if wanted & set(listed):
        return 1.0
    return 0.98 if wanted & around.kg.vocabulary.superclasses(*listed) else _UNFIT


def _said_otherwise(
    relation: Relation, ends: Mapping[str, EntityLink], around: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield what vocabularies do not list as a relation: the type, and the label."""
    free = relation.object not in ends
    if is_type_phrase(relation.relation) and free and relation.relation.strip():
        yield PredicateCandidate(around.kg.profile.types, "type", True, 0.6)
    if is_label_phrase(relation.relation) and free:
        known = tuple(iri for iri in around.kg.profile.labels if iri in around.kg.vocabulary.predicates)
        yield PredicateCandidate(known or around.kg.profile.labels[:3], "name", True, 0.9, is_literal=True)


def _together(found: Iterable[PredicateCandidate]) -> Iterator[PredicateCandidate]:
    """Put predicates whose names mean the same, in one direction and of one kind, into one option."""
    groups: dict[tuple[frozenset[str], bool, bool, tuple[str, ...]], list[PredicateCandidate]] = {}
    for option in found:
        if option.score > 0:
            at = (
                analyze_phrase(option.label).stems,
                option.is_forward,
                option.is_literal,
                (*option.second_predicates, str(option.is_inward)),
            )
            groups.setdefault(at, []).append(option)
    merged = []
    for group in groups.values():
        group.sort(key=lambda o: (-o.score, o.predicates))
        best = group[0]
        alike = [o for o in group if o.score >= 0.85 * best.score]
        iris = tuple(dict.fromkeys(iri for option in alike for iri in option.predicates))
        merged.append(replace(best, predicates=iris))
    yield from sorted(merged, key=lambda o: (-o.score, not o.is_forward, o.label, o.predicates))


_NEVER = 0.6


def demote_unstated(
    candidates: Sequence[PredicateCandidate], relation: Relation, entity_links: Mapping[str, EntityLink]
) -> tuple[PredicateCandidate, ...]:
    """Return the options of a negated relation with those last that the value is never stated under.

    "Not from X" is read by the predicate that has X; one that is named by the very words stays ahead all the same.
    """
    values = [entity_links[end] for end in relation.ends() if end in entity_links and entity_links[end].kind == "value"]
    if not values:
        return tuple(candidates)
    stated = {iri for anchor in values for candidate in anchor.candidates for iri in candidate.predicates}
    weighed = (
        option
        if stated.intersection((*option.predicates, *option.second_predicates))
        else replace(option, score=option.score * _NEVER)
        for option in candidates
    )
    return tuple(sorted(weighed, key=lambda option: -option.score))
