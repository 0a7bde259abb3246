"""Relation linking: the ranked predicates, in both directions, that may stand for a relation phrase.

The score of a predicate in one direction is presence x fit x name. Presence tells whether the linked ends carry it, fit
how its classes and literals suit what the question says of the ends, name how its names agree with the phrase and from
which end they state the relation. A phrase without content ("of", "in", "have") names every predicate that fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import PREPOSITIONS, analyze_phrase
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import iri_to_words, is_writable

from chattykg.linking.answer_types import class_type_fit, is_date_predicate, object_type_fit, truth_values
from chattykg.linking.candidates import EntityLink
from chattykg.linking.label_matching import score_labels
from chattykg.linking.predicate_candidates import WEIGHTS, LinkingContext, PredicateCandidate, make_candidate
from chattykg.linking.property_paths import is_containment_chain, measure_predicates, two_hop_candidates
from chattykg.linking.relation_phrases import (
    WHERE_PHRASE,
    is_function_phrase,
    is_label_phrase,
    is_light_verb_phrase,
    is_locative_phrase,
    is_type_phrase,
)
from chattykg.linking.similarity import argument_polarity
from chattykg.qir import Relation

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_CANDIDATES_KEPT = 8
"""Candidates of one relation that are kept."""
_MIN_SHARE_OF_REVERSE = 0.7
"""Share (0..1) of the fit of the other direction of a predicate that a direction needs."""
_MIN_UNSTATED_SCORE = 0.85
"""Score (0..1) from which a predicate that the graph does not state of the entity counts as the one asked for."""
_MIN_SHARE_OF_UNSTATED = 0.75
"""Least share (0..1) of that score that a stated predicate needs; a lower one answers another question."""
_TYPE_SCORE, _LABEL_SCORE = 0.6, 0.9
"""Scores (0..1) of the type predicates for a type phrase, and of the label predicates for a label phrase."""
_MIN_SYNONYM_SHARE = 0.85
"""Share (0..1) of the score of the best synonym from which another one joins its candidate."""
_LIFE_WORDS = word_set("places", "life_words")
"""Words for the events of somebody's life: where they were is not where somebody is."""
_PLACE_PREPOSITIONS = word_set("prepositions", "place")
_Ends = Mapping[str, EntityLink]


def predicate_candidates(relation: Relation, ends: _Ends, context: LinkingContext) -> tuple[PredicateCandidate, ...]:
    """Return the candidates of one relation, best first, synonyms merged; at most `MAX_CANDIDATES_KEPT`.

    A relation phrase that is the IRI of a predicate means that predicate only.
    """
    exact = context.kg.vocabulary.predicates.get(relation.relation)
    if exact is not None and is_writable(exact.iri):
        return (make_candidate(exact, True, 1.0),)
    found = (
        *_score_predicates(relation, tuple(_find_predicates(relation, ends, context)), ends, context),
        *_type_and_label_candidates(relation, ends, context),
        *two_hop_candidates(relation, ends, context),
    )
    least = _MIN_SHARE_OF_UNSTATED * _best_unstated_score(relation, ends, context)
    return tuple(o for o in _merge_synonyms(found) if o.score >= least)[:MAX_CANDIDATES_KEPT]


# ---------------------------------------------------------------------------------------------------------- presence
def _find_predicates(
    relation: Relation, ends: _Ends, context: LinkingContext
) -> Iterator[tuple[PredicateEntry, bool, float]]:
    """Yield the predicates that may connect the ends: entry, direction, presence (0..1)."""
    known, profile = context.kg.vocabulary.predicates, context.kg.profile
    excluded = {*TYPE_PREDICATES, *profile.types, *profile.labels}
    excluded |= {iri for iri in profile.alt_labels if iri in profile.metadata}
    for iri, is_forward, presence in _incident_predicates(relation, ends, context):
        if iri not in excluded and is_writable(iri):
            yield known.get(iri) or PredicateEntry(iri, iri_to_words(iri)), is_forward, presence


def _incident_predicates(relation: Relation, ends: _Ends, context: LinkingContext) -> Iterator[tuple[str, bool, float]]:
    phrase, linked = relation.relation, [end for end in relation.ends() if end in ends]
    if not linked:
        words = [context.class_words[end] for end in relation.ends() if end in context.class_words]
        is_bare = is_function_phrase(phrase) or phrase in context.class_words.values()
        is_bare |= is_light_verb_phrase(phrase) or is_locative_phrase(phrase)
        classes = frozenset().union(*(context.classes.get(end, ()) for end in relation.ends()))
        phrases = (phrase, *words, *(f"{each} {phrase}" for each in words))
        for entry in context.predicates_to_compare(phrases, classes if is_bare else None):
            if not entry.is_metadata:
                yield from ((entry.iri, is_forward, 1.0) for is_forward in (True, False))
        return
    counts: dict[tuple[str, bool], int] = {}
    for end in linked:
        for iri, way in dict.fromkeys(ends[end].incident_predicates()):
            key = iri, (way == "out") == (end == relation.subject)
            counts[key] = counts.get(key, 0) + 1
    is_joined = is_function_phrase(phrase) and 2 in counts.values()
    for (iri, is_forward), count in counts.items():
        if count == len(linked) or not is_joined:
            yield iri, is_forward, 1.0 if count == len(linked) else WEIGHTS["at_one_end"]
    if context.is_boolean and not is_function_phrase(phrase):
        for entry in context.card.predicates:
            for is_forward in (True, False):
                values = ends[relation.ends()[is_forward]] if relation.ends()[is_forward] in ends else None
                is_other = values is not None and values.kind == "value" and _excludes(entry, values)
                if (entry.iri, is_forward) not in counts and not entry.is_metadata and not is_other:
                    yield entry.iri, is_forward, WEIGHTS["unstated"]


def _excludes(entry: PredicateEntry, link: EntityLink) -> bool:
    """Tell whether a predicate has other values only than those of a link: true and false, or a list that is whole."""
    known = {value.casefold() for value in (*entry.values, *(truth_values(entry) or ()))}
    is_whole = entry.has_all_values or truth_values(entry) is not None
    return is_whole and known.isdisjoint(candidate.label.casefold() for candidate in link.candidates)


def _best_unstated_score(relation: Relation, ends: _Ends, context: LinkingContext) -> float:
    """Return the score of the best predicate of the entity's class that the graph does not state of the entity.

    If it is far higher than all others, the question asks for that predicate, and its answer is unknown.
    """
    linked = [end for end in relation.ends() if end in ends]
    is_bare = context.is_boolean or is_function_phrase(relation.relation)
    if is_bare or len(linked) != 1 or ends[linked[0]].kind != "vertex":
        return 0.0
    link, known = ends[linked[0]], context.kg.vocabulary
    classes = known.superclasses(*link.candidates[0].classes)
    parents = {parent for iri in classes if iri in known.classes for parent in known.classes[iri].direct_superclasses}
    classes |= {iri for iri, entry in known.classes.items() if parents.intersection(entry.direct_superclasses)}
    missing = [
        (entry, (way == "out") == (relation.subject == linked[0]), 1.0)
        for way in ("out", "in")
        for entry in context.card.predicates
        if entry.iri not in link.predicates_at(way) and not entry.is_metadata
        if classes.intersection(entry.domains if way == "out" else entry.ranges)
    ]
    best = max((option.score for option in _score_predicates(relation, missing, ends, context)), default=0.0)
    return best if best >= _MIN_UNSTATED_SCORE else 0.0


# ------------------------------------------------------------------------------------------------------------- score
def _score_predicates(
    relation: Relation,
    found: Iterable[tuple[PredicateEntry, bool, float]],
    ends: _Ends,
    context: LinkingContext,
) -> Iterator[PredicateCandidate]:
    """Yield predicates with their scores, without the directions that fit worse than their reverse."""
    present = {(entry.iri, is_forward): (entry, presence) for entry, is_forward, presence in found}
    fits = {key: _fit(relation, entry, key[1], ends, context) for key, (entry, _) in present.items()}
    for way in (True, False):
        entries = {
            entry: presence
            for (iri, is_forward), (entry, presence) in present.items()
            if is_forward is way and fits[iri, way] >= _MIN_SHARE_OF_REVERSE * fits.get((iri, not way), 0.0)
        }
        names = score_labels(relation, list(entries), way, ends, context)
        for entry, presence in entries.items():
            fit = fits[entry.iri, way]
            name = _name_score(relation, entry, way, names[entry.iri], fit, ends, context)
            yield make_candidate(entry, way, presence * fit * name)


def _fit(relation: Relation, entry: PredicateEntry, is_forward: bool, ends: _Ends, context: LinkingContext) -> float:
    """Return how the classes or literals on both sides of a predicate suit the ends (0..1)."""
    subject, object_ = relation.ends() if is_forward else relation.ends()[::-1]
    fit = 1.0
    for end, is_object in ((subject, False), (object_, True)):
        if end not in ends:
            fit *= _end_fit(end, entry, is_object, context)
    if context.expected_types.get(object_) == "measure":
        share = _stating_share(entry, context.classes.get(subject, frozenset()), context)
        fit *= WEIGHTS["unstated"] + (1 - WEIGHTS["unstated"]) * share
    return fit


def _stating_share(entry: PredicateEntry, classes: frozenset[str], context: LinkingContext) -> float:
    """Return the share of the things of some classes that state a predicate (0..1); 1 where that is not known.

    Of a date and a year of publication most things have one.
    """
    known = context.kg.vocabulary.classes
    things = sum(known[iri].instance_count for iri in classes if iri in known)
    usages = context.kg.class_usage.get(entry.iri, ()) if things else ()
    return min(1.0, sum(each.subject_count for each in usages if each.class_iri in classes) / things) if usages else 1.0


def _end_fit(end: str, entry: PredicateEntry, is_object: bool, context: LinkingContext) -> float:
    kind, is_counted = context.expected_types.get(end, ""), end in context.counted_unknowns
    classes = entry.ranges if is_object else entry.domains
    is_literal = is_object and entry.object_kind == "literal"
    fit = 1.0
    if kind and is_object and not is_counted:
        fit = object_type_fit(kind, entry, context.kg.vocabulary)
    elif kind and not is_object and kind != "number":
        fit = class_type_fit(kind, classes, context.kg.vocabulary)
    if end in context.classes:
        fit *= WEIGHTS["literal_of_class"] if is_literal else _class_fit(context.classes[end], classes, context)
    if (
        is_object
        and end not in context.shared_unknowns
        and not measure_predicates(context.kg).keys().isdisjoint(classes)
    ):
        fit *= WEIGHTS["unknown_class"]  # the number of a measure answers, not its node
    hinted = context.hinted_classes.get(end)
    if hinted and not is_literal and _class_fit(hinted, classes, context) <= WEIGHTS["other_class"]:
        fit *= WEIGHTS["other_hint"]
    return fit


def _class_fit(classes: frozenset[str], others: tuple[str, ...], context: LinkingContext) -> float:
    if not others or not classes:
        return WEIGHTS["unknown_class"]
    is_same = not classes.isdisjoint(others) or classes & context.kg.vocabulary.superclasses(*others)
    return 1.0 if is_same else WEIGHTS["other_class"]


def _name_score(
    relation: Relation,
    entry: PredicateEntry,
    is_forward: bool,
    label_score: float,
    fit: float,
    ends: _Ends,
    context: LinkingContext,
) -> float:
    """Return how a predicate in one direction is called as the relation (0..1)."""
    phrase, is_linked, is_object_linked = (
        relation.relation,
        not ends.keys().isdisjoint(relation.ends()),
        relation.object in ends,
    )
    polarity = _polarity(phrase, entry, context) * (1 if is_forward else -1)
    if polarity < 0 and is_linked and is_forward is is_object_linked and _cannot_turn(relation, entry, context):
        return 0.0
    if polarity <= 0:
        label_score *= WEIGHTS["opposite_direction" if polarity else "unknown_direction"]
    is_within = is_function_phrase(phrase) and not _PLACE_PREPOSITIONS.isdisjoint(phrase.split())
    is_where = is_linked and not is_object_linked and (is_within or phrase == WHERE_PHRASE)
    is_bare = is_function_phrase(phrase) or phrase in context.class_words.values()
    verb = phrase.removesuffix(" by")
    is_light = (
        is_light_verb_phrase(verb) and " " not in verb and (entry.object_kind == "iri" or is_date_predicate(entry))
    )
    is_bare |= is_light and not context.classes.keys().isdisjoint(relation.ends())  # "place an order"
    if is_forward and (is_within or is_where) and is_containment_chain(entry):
        return max(label_score, WEIGHTS["place_name"])
    if is_bare and not (is_where and entry.object_kind == "literal"):
        is_turned = not phrase and not is_forward and is_object_linked
        label_score = max(label_score, WEIGHTS["kind_name" if is_turned else "function_name"] * fit)
    elif not is_bare and _is_only(relation, entry, is_forward, ends, context):
        label_score = max(label_score, WEIGHTS["only_name"] * fit)
    is_named_kind = not phrase or phrase in context.class_words.values()
    is_around = is_within or is_where and not is_forward or is_linked and is_named_kind
    is_beside = is_around and not set(entry.domains).isdisjoint(entry.ranges)  # "the country of France" borders on none
    is_beside |= is_where and not _LIFE_WORDS.isdisjoint(analyze_phrase(entry.label).words)
    return label_score * (WEIGHTS["beside"] if is_beside else 1.0)


def _is_only(relation: Relation, entry: PredicateEntry, is_forward: bool, ends: _Ends, context: LinkingContext) -> bool:
    """Tell whether a predicate goes without saying: the only one of a value, or one to a place for "grow in".

    Where an event of somebody's life was is another place than where somebody is.
    """
    link, end = ends.get(relation.object), relation.ends()[is_forward]
    if link and all(each.kind == "value" and each.predicates == (entry.iri,) for each in link.candidates):
        return True
    phrase = analyze_phrase(relation.relation)
    words = {*phrase.words, *phrase.lemmas, *analyze_phrase(entry.label).words}
    if not is_locative_phrase(relation.relation) or words & _LIFE_WORDS:
        return False
    return ends[end].kind == "vertex" if end in ends else bool(context.classes.get(end, set()) & {*entry.ranges})


def _cannot_turn(relation: Relation, entry: PredicateEntry, context: LinkingContext) -> bool:
    """Tell whether a predicate that a phrase names cannot be turned round: the president of a person is no club."""
    one, two = analyze_phrase(relation.relation), analyze_phrase(entry.label)
    is_named = one.stems == two.stems and len(one.words) == len(two.words)  # not "directed by"
    is_free = not {*context.classes, *context.hinted_classes} & {*relation.ends()}
    is_known = bool(entry.domains and entry.ranges)
    return (
        is_named and is_free and is_known and not context.kg.vocabulary.may_share_members(entry.domains, entry.ranges)
    )


def _polarity(phrase: str, entry: PredicateEntry, context: LinkingContext) -> int:
    tag = context.card.language.tag
    found = (argument_polarity(phrase, name, tag) for name in entry.names_in(tag))
    return next((polarity for polarity in found if polarity), 0)


# -------------------------------------------------------------------------------------------------------- candidates
def _type_and_label_candidates(
    relation: Relation, ends: _Ends, context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the candidates for type and label, which vocabularies do not list as relations."""
    profile, known = context.kg.profile, context.kg.vocabulary.classes
    if relation.object in ends:
        return
    classes = [known[iri] for iri in context.classes.get(relation.subject, ()) if iri in known]
    has_things = not classes or any(entry.instance_count for entry in classes)  # classes of an ontology are no things
    if has_things and is_type_phrase(relation.relation) and relation.relation.strip():
        yield PredicateCandidate(profile.types, "type", True, _TYPE_SCORE)
    if is_label_phrase(relation.relation):
        labels = tuple(iri for iri in profile.labels if iri in context.kg.vocabulary.predicates)
        yield PredicateCandidate(labels or profile.labels, "name", True, _LABEL_SCORE, is_literal=True)


def _merge_synonyms(candidates: Iterable[PredicateCandidate]) -> list[PredicateCandidate]:
    """Merge candidates with the same label stems, first preposition, direction and kind into one; best first."""
    groups: dict[object, list[PredicateCandidate]] = {}
    for option in candidates:
        if option.score > 0:
            phrase = analyze_phrase(option.label)
            first = next(iter(PREPOSITIONS.intersection(phrase.words[:1])), "")
            kind = (option.is_forward, option.is_literal, option.second_predicates, option.is_inward)
            groups.setdefault((phrase.stems, first, *kind), []).append(option)
    merged = []
    for group in groups.values():
        best = min(group, key=lambda o: (-o.score, o.predicates))
        synonyms = sorted(group, key=lambda o: (-o.score, o.predicates))
        iris = (iri for o in synonyms if o.score >= _MIN_SYNONYM_SHARE * best.score for iri in o.predicates)
        merged.append(replace(best, predicates=tuple(dict.fromkeys(iris))))
    return sorted(merged, key=lambda o: (-o.score, not o.is_numeric, not o.is_forward, o.label, o.predicates))
