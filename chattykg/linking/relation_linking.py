"""Relation linking: the ranked predicates, in both directions, that may stand for a relation phrase."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import PREPOSITIONS, analyze_phrase
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import iri_to_words, is_writable

from chattykg.linking.answer_types import class_type_fit, is_numeric_predicate, object_type_fit
from chattykg.linking.candidates import EntityLink
from chattykg.linking.label_matching import score_labels
from chattykg.linking.predicate_candidates import LinkingContext, PredicateCandidate, drop_reversed, drop_role_holders
from chattykg.linking.property_paths import is_containment_chain, two_hop_candidates
from chattykg.linking.relation_phrases import (
    WHERE_PHRASE,
    is_function_phrase,
    is_label_phrase,
    is_light_verb_phrase,
    is_locative_phrase,
    is_type_phrase,
)
from chattykg.linking.similarity import argument_polarity, polarity_in
from chattykg.qir import Relation

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_CANDIDATES_KEPT = 8
"""Candidates of one relation that are kept."""
_FUNCTION_PHRASE_SCORE = 0.6
"""Score (0..1) of any predicate that fits for a phrase without content."""
_KIND_OF_VALUE_FACTOR = 0.9
"""Factor (0..1) of a predicate of the value by which a kind is called: car ferries have the type "car ferry"."""
_FREQUENCY_BASE, _FREQUENCY_WEIGHT, _FREQUENCY_TRIPLES = 0.97, 0.03, 1_000
"""Factor (0..1) of such a predicate: the base, and a weight that grows up to this number of triples."""
_OTHER_CLASS_FIT, _OTHER_HINT_FIT = 0.6, 0.85
"""Fit (0..1) of a predicate whose class is another than that of the end, or than that which its name suggests."""
_UNKNOWN_CLASS_FIT, _SUPERCLASS_FIT = 0.93, 0.98
"""Fit (0..1) if a class is unknown, and if the class of the end is a superclass of that of the predicate."""
_MEASURE_AS_SUBJECT_FIT = 0.5
"""Fit (0..1) of a date or measure as subject."""
_LITERAL_OF_CLASS_FIT = 0.4
"""Fit (0..1) of a literal for an unknown that has a class."""
_UNCOUNTABLE_FIT = 0.8
"""Fit (0..1) of a literal that is no number for an unknown that is counted."""
_NO_POLARITY_FACTOR, _OPPOSITE_POLARITY_FACTOR = 0.95, 0.78
"""Factors (0..1) of a label whose polarity is unknown, and of one that states the relation from the other end."""
_VALUE_NODE_FACTOR = 0.95
"""Factor (0..1) of a candidate that ends at an unlabelled vertex whose number another candidate gives."""
_MIN_UNSTATED_SCORE = 0.85
"""Score (0..1) from which a predicate that the graph does not state of the entity counts as the one asked for."""
_MIN_SHARE_OF_UNSTATED = 0.75
"""Least share (0..1) of that score that a stated predicate needs; a lower one answers another question."""
_ONLY_CONNECTION_SCORE, _LOCATIVE_SCORE = 0.55, 0.5
"""Scores (0..1) of the only predicate between two ends, and of one to a place for a locative phrase."""
_AT_ONE_END, _IN_VOCABULARY = 0.8, 0.7
"""Presence (0..1) of a predicate at only one of two linked ends, and of one that only the vocabulary has."""
_TYPE_SCORE, _LABEL_SCORE = 0.6, 0.9
"""Scores (0..1) of the type predicates for a type phrase, and of the label predicates for a label phrase."""
_MAX_LABEL_PREDICATES = 3
"""Label predicates of the profile that are taken if the vocabulary has none of them."""
_MIN_SYNONYM_SHARE = 0.85
"""Share (0..1) of the score of the best synonym from which another one joins its candidate."""
_MIN_VALUE_LABEL_SCORE = 0.3
"""Label score (0..1) from which the only predicate of a value stands for what is asked of the value itself."""
_CHAIN_SCORE = 0.85
"""Score (0..1) of a predicate from place to containing place for "in"."""
_UNSTATED_WEIGHT = 0.3
"""What a measure loses (0..1) that no thing of the class states: of a date and a year of publication most have one."""
_BESIDE_FACTOR = 0.3
"""Factor (0..1) of a predicate between things of one kind for a preposition of place ("which country is X in")."""
_LIFE_WORDS = word_set("places", "life_words")
"""Words of predicates that tell a place of somebody's life, not where he or she is."""
_PLACE_PREPOSITIONS = frozenset("in at within inside".split())
_UNSTATED_FACTOR = 0.6
"""Factor (0..1) of a negated candidate under which the value is never stated."""


def predicate_candidates(
    relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext
) -> tuple[PredicateCandidate, ...]:
    """Return the candidates of one relation, best first, synonyms merged; at most `MAX_CANDIDATES_KEPT`.

    A relation phrase that is the IRI of a predicate means that predicate only.
    """
    exact = context.kg.vocabulary.predicates.get(relation.relation)
    if exact is not None and is_writable(exact.iri):
        is_literal = exact.object_kind == "literal"
        is_numeric = is_literal and is_numeric_predicate(exact)
        return (PredicateCandidate((exact.iri,), exact.label, True, 1.0, is_literal, is_numeric),)
    scored = [
        (context.kg.vocabulary.predicates.get(iri) or PredicateEntry(iri, iri_to_words(iri)), is_forward, presence)
        for iri, is_forward, presence in _incident_candidates(relation, ends, context)
        if is_writable(iri)
    ]
    candidates = []
    profile = context.kg.profile
    names = (*profile.labels, *(iri for iri in profile.alt_labels if iri in profile.metadata))
    excluded = frozenset((*TYPE_PREDICATES, *profile.types, *names, *_other_names(relation, ends, context)))
    for is_forward in (True, False):
        in_direction = [(e, p) for e, w, p in scored if w == is_forward and e.iri not in excluded]
        scores = score_labels(relation, [entry for entry, _ in in_direction], is_forward, ends, context)
        candidates += [
            _scored_candidate(relation, e, is_forward, (scores[e.iri], p), ends, context) for e, p in in_direction
        ]
    candidates = list(drop_reversed(candidates, relation, ends, context))
    candidates = list(drop_role_holders(candidates, relation, context))
    more = (*_type_and_label_candidates(relation, ends, context), *two_hop_candidates(relation, ends, context))
    candidates = [
        replace(o, score=_VALUE_NODE_FACTOR * o.score) if _leads_to_measure(o, more) else o for o in candidates
    ]
    least = _MIN_SHARE_OF_UNSTATED * _best_unstated_score(relation, ends, context)
    return tuple(o for o in _merge_synonyms((*candidates, *more)) if o.score >= least)[:MAX_CANDIDATES_KEPT]


def _other_names(relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext) -> frozenset[str]:
    """Return the predicates that name vertices if a preposition leads to a value: nothing is in a name."""
    is_value = any(end in ends and ends[end].kind == "value" for end in relation.ends())
    if not is_value or relation.relation not in PREPOSITIONS:
        return frozenset()
    return frozenset(predicate for _, predicate in context.kg.profile.type_labels)


def _leads_to_measure(candidate: PredicateCandidate, others: Iterable[PredicateCandidate]) -> bool:
    """Tell whether another candidate continues from the vertex at which a candidate ends to its number."""
    step = (candidate.predicates[0], candidate.is_forward)
    return any(
        o.is_numeric and o.second_predicates and not o.is_inward and (o.predicates[0], o.is_forward) == step
        for o in others
    )


def _best_unstated_score(relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext) -> float:
    """Return the score of the best predicate of the entity's class that the graph does not state of the entity.

    If it is far higher than all others, the question asks for that predicate, and its answer is unknown.
    """
    linked_ends = [end for end in relation.ends() if end in ends]
    if len(linked_ends) != 1 or context.is_boolean or ends[linked_ends[0]].kind != "vertex":
        return 0.0
    if is_function_phrase(relation.relation):
        return 0.0
    candidate = ends[linked_ends[0]].candidates[0]
    classes = context.kg.vocabulary.superclasses(*candidate.classes)
    classes |= _sibling_classes(candidate.classes, context)
    best = 0.0
    for direction in ("out", "in"):
        stated = ends[linked_ends[0]].predicates_at(direction)
        is_forward = (direction == "out") == (relation.subject == linked_ends[0])
        missing = [
            entry
            for entry in context.card.predicates
            if entry.iri not in stated
            and not entry.is_metadata
            and classes.intersection(entry.domains if direction == "out" else entry.ranges)
        ]
        scores = score_labels(relation, missing, is_forward, ends, context)
        candidates = (_scored_candidate(relation, e, is_forward, (scores[e.iri], 1.0), ends, context) for e in missing)
        best = max(best, *(option.score for option in candidates), 0.0)
    return best if best >= _MIN_UNSTATED_SCORE else 0.0


def _sibling_classes(classes: Iterable[str], context: LinkingContext) -> frozenset[str]:
    """Return the classes with a common parent: the predicates of one kind of vessel may apply to another."""
    class_entries = context.kg.vocabulary.classes
    parents = {parent for iri in classes if iri in class_entries for parent in class_entries[iri].direct_superclasses}
    return frozenset(iri for iri, entry in class_entries.items() if parents & set(entry.direct_superclasses))


def _incident_candidates(
    relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext
) -> Iterator[tuple[str, bool, float]]:
    """Yield the predicates that may connect the ends: IRI, direction, presence (0..1)."""
    incident = [dict.fromkeys(ends[end].incident_predicates()) if end in ends else None for end in relation.ends()]
    if incident[0] is None and incident[1] is None:
        words = [context.class_words[end] for end in relation.ends() if end in context.class_words]
        phrases = (relation.relation, *words, *(f"{each} {relation.relation}" for each in words))
        has_content = not (is_function_phrase(relation.relation) or relation.relation in context.class_words.values())
        has_content &= not (is_light_verb_phrase(relation.relation) or is_locative_phrase(relation.relation))
        classes = frozenset().union(*(context.classes.get(end, ()) for end in relation.ends()))
        for entry in context.predicates_to_compare(phrases, None if has_content else classes):
            if not entry.is_metadata:
                yield entry.iri, True, 1.0
                yield entry.iri, False, 1.0
        return
    counts: dict[tuple[str, bool], int] = {}
    for position, predicates in enumerate(incident):
        for iri, direction in predicates or ():
            is_forward = (direction == "out") == (position == 0)
            counts[iri, is_forward] = counts.get((iri, is_forward), 0) + 1
    linked_count = sum(predicates is not None for predicates in incident)
    if is_function_phrase(relation.relation) and 2 in counts.values():
        counts = {key: count for key, count in counts.items() if count == linked_count}
    for (iri, is_forward), count in counts.items():
        yield iri, is_forward, 1.0 if count == linked_count else _AT_ONE_END
    if context.is_boolean and not is_function_phrase(relation.relation):
        for entry in context.card.predicates:
            for is_forward in (True, False):
                if (entry.iri, is_forward) not in counts and not entry.is_metadata:
                    yield entry.iri, is_forward, _IN_VOCABULARY


def _scored_candidate(
    relation: Relation,
    entry: PredicateEntry,
    is_forward: bool,
    name_and_presence: tuple[float, float],
    ends: Mapping[str, EntityLink],
    context: LinkingContext,
) -> PredicateCandidate:
    """Score one predicate in one direction by label, polarity of the phrase, and types of its ends.

    ``name_and_presence`` are its label score and its presence at the ends, each 0..1.
    """
    label_score, presence = name_and_presence
    subject, object_ = relation.ends() if is_forward else relation.ends()[::-1]
    is_literal = entry.object_kind == "literal"
    fit = _subject_fit(subject, entry, context) * _object_fit(object_, entry, context)
    if context.expected_types.get(object_) == "measure":
        fit *= 1 - _UNSTATED_WEIGHT * (1 - _stating_share(entry, context.classes.get(subject, frozenset()), context.kg))
    polarity = _polarity(relation.relation, entry, context) * (1 if is_forward else -1)
    is_numeric = is_literal and is_numeric_predicate(entry)
    if is_numeric and context.counted_unknowns & set(relation.ends()):
        polarity = max(0, polarity) if is_forward or relation.object not in context.counted_unknowns else -1
    score = presence * label_score * {1: 1.0, 0: _NO_POLARITY_FACTOR, -1: _OPPOSITE_POLARITY_FACTOR}[polarity] * fit
    is_elsewhere = is_literal and _asks_for_place(relation, ends)  # a text is where a thing is by its label only
    # Who sang in a place was not born there.
    is_placed = _is_placed(relation) and _LIFE_WORDS.isdisjoint(analyze_phrase(entry.label).words)
    if is_function_phrase(relation.relation) or relation.relation in context.class_words.values():
        frequency = min(1.0, entry.triple_count / _FREQUENCY_TRIPLES)
        factor = _FREQUENCY_BASE + _FREQUENCY_WEIGHT * frequency
        factor *= 1.0 if is_forward or relation.relation or relation.object not in ends else _KIND_OF_VALUE_FACTOR
        score = max(score, presence * _FUNCTION_PHRASE_SCORE * fit * fit * factor * (not is_elsewhere))
    elif is_placed and _is_locative_end(object_, entry, ends, context):
        score = max(score, presence * _LOCATIVE_SCORE * fit * fit)
    elif any(
        _is_only_predicate_of_value(end, entry, ends)
        and (end == relation.object or label_score >= _MIN_VALUE_LABEL_SCORE)
        for end in relation.ends()
    ):
        score = max(score, presence * _ONLY_CONNECTION_SCORE * fit)
    if _asks_for_place(relation, ends) and _LIFE_WORDS & set(analyze_phrase(entry.label).words):
        score *= _BESIDE_FACTOR
    is_within = _is_within_phrase(relation.relation)
    if is_within or _asks_for_place(relation, ends):
        if is_forward and is_containment_chain(entry):
            score = max(score, presence * _CHAIN_SCORE * fit)
        elif not set(entry.domains).isdisjoint(entry.ranges) and (is_within or not is_forward):
            score *= _BESIDE_FACTOR  # what is in a place is not where it is
    return PredicateCandidate((entry.iri,), entry.label, is_forward, score, is_literal, is_numeric)


def _stating_share(entry: PredicateEntry, classes: frozenset[str], kg: KnowledgeGraph) -> float:
    """Return the share of the things of some classes that state a predicate (0..1); 1 where that is not known."""
    known = kg.vocabulary.classes
    things = sum(known[iri].instance_count for iri in classes if iri in known)
    usages = kg.class_usage.get(entry.iri, ()) if things else ()
    return min(1.0, sum(each.subject_count for each in usages if each.class_iri in classes) / things) if usages else 1.0


def _polarity(phrase: str, entry: PredicateEntry, context: LinkingContext) -> int:
    language = context.card.language
    if not language.has_words("relations"):
        return argument_polarity(phrase, entry.label)
    found = [polarity_in(language, phrase, name) for name in entry.names_in(language.tag)]
    return next((polarity for polarity in found if polarity), 0)


def _asks_for_place(relation: Relation, ends: Mapping[str, EntityLink]) -> bool:
    """Tell whether a relation asks where a linked thing is: not where it was born or comes from."""
    is_place = relation.relation == WHERE_PHRASE or _is_within_phrase(relation.relation)
    return is_place and relation.subject in ends and relation.object not in ends


def _is_within_phrase(phrase: str) -> bool:
    """Tell whether a phrase without content says that something is within a place: "in", "inside"."""
    return is_function_phrase(phrase) and not _PLACE_PREPOSITIONS.isdisjoint(phrase.split())


def _is_placed(relation: Relation) -> bool:
    """Tell whether a relation says where something is, and not where an event of somebody's life was."""
    phrase = analyze_phrase(relation.relation)
    return is_locative_phrase(relation.relation) and _LIFE_WORDS.isdisjoint((*phrase.words, *phrase.lemmas))


def _is_locative_end(end: str, entry: PredicateEntry, ends: Mapping[str, EntityLink], context: LinkingContext) -> bool:
    """Tell whether an end is a linked vertex, or of a class in the range of the predicate."""
    if end in ends:
        return ends[end].kind == "vertex"
    return bool(context.classes.get(end, frozenset()).intersection(entry.ranges))


def _is_only_predicate_of_value(end: str, entry: PredicateEntry, ends: Mapping[str, EntityLink]) -> bool:
    """Tell whether an end is a literal that only this predicate has as object."""
    return end in ends and all(e.kind == "value" and e.predicates == (entry.iri,) for e in ends[end].candidates)


def _subject_fit(end: str, entry: PredicateEntry, context: LinkingContext) -> float:
    fit, kind = 1.0, context.expected_types.get(end, "")
    if kind in ("date", "measure"):
        fit = _MEASURE_AS_SUBJECT_FIT
    elif kind and kind != "number":
        fit = class_type_fit(kind, entry.domains, context.kg.vocabulary)
    if end in context.classes:
        fit *= _class_fit(context.classes[end], entry.domains, context)
    return fit * _hint_fit(end, entry.domains, context)


def _object_fit(end: str, entry: PredicateEntry, context: LinkingContext) -> float:
    fit, kind = 1.0, context.expected_types.get(end, "")
    is_literal, is_counted = entry.object_kind == "literal", end in context.counted_unknowns
    if kind and is_counted:
        fit = _UNCOUNTABLE_FIT if is_literal and not is_numeric_predicate(entry) else 1.0
    elif kind:
        fit = object_type_fit(kind, entry, context.kg.vocabulary)
    if end in context.classes and not (is_counted and _states_number_of(entry, end, context)):
        fit *= _LITERAL_OF_CLASS_FIT if is_literal else _class_fit(context.classes[end], entry.ranges, context)
    return fit if is_literal else fit * _hint_fit(end, entry.ranges, context)


def _states_number_of(entry: PredicateEntry, end: str, context: LinkingContext) -> bool:
    """Tell whether a predicate states the number of the things that are counted ("number of employees")."""
    stems = analyze_phrase(context.class_words.get(end, "")).stems
    names = entry.names_in(context.card.language.tag)
    is_number = entry.object_kind == "literal" and is_numeric_predicate(entry)
    is_number = is_number and context.classes.get(end, frozenset()).isdisjoint(entry.domains)
    return is_number and any(stems & analyze_phrase(name).stems for name in names)


def _hint_fit(end: str, classes: Iterable[str], context: LinkingContext) -> float:
    hinted = context.hinted_classes.get(end)
    return 1.0 if not hinted or _class_fit(hinted, classes, context) > _OTHER_CLASS_FIT else _OTHER_HINT_FIT


def _class_fit(classes: frozenset[str], other_classes: Iterable[str], context: LinkingContext) -> float:
    others = tuple(other_classes)
    if not others or not classes:
        return _UNKNOWN_CLASS_FIT
    if classes & set(others):
        return 1.0
    return _SUPERCLASS_FIT if classes & context.kg.vocabulary.superclasses(*others) else _OTHER_CLASS_FIT


def _type_and_label_candidates(
    relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the candidates for type and label, which vocabularies do not list as relations."""
    is_object_unknown = relation.object not in ends
    if is_type_phrase(relation.relation) and is_object_unknown and relation.relation.strip():
        yield PredicateCandidate(context.kg.profile.types, "type", True, _TYPE_SCORE)
    if is_label_phrase(relation.relation) and is_object_unknown:
        labels = tuple(iri for iri in context.kg.profile.labels if iri in context.kg.vocabulary.predicates)
        yield PredicateCandidate(
            labels or context.kg.profile.labels[:_MAX_LABEL_PREDICATES], "name", True, _LABEL_SCORE, is_literal=True
        )


def _merge_synonyms(candidates: Iterable[PredicateCandidate]) -> Iterator[PredicateCandidate]:
    """Merge candidates with the same label stems, first preposition, direction and kind into one."""
    groups: dict[tuple[frozenset[str], str, bool, bool, tuple[str, ...]], list[PredicateCandidate]] = {}
    for candidate in candidates:
        if candidate.score > 0:
            phrase = analyze_phrase(candidate.label)
            key = (
                phrase.stems,
                next(iter(PREPOSITIONS.intersection(phrase.words[:1])), ""),
                candidate.is_forward,
                candidate.is_literal,
                (*candidate.second_predicates, str(candidate.is_inward)),
            )
            groups.setdefault(key, []).append(candidate)
    merged = []
    for group in groups.values():
        group.sort(key=lambda o: (-o.score, o.predicates))
        best = group[0]
        synonyms = [o for o in group if o.score >= _MIN_SYNONYM_SHARE * best.score]
        iris = tuple(dict.fromkeys(iri for candidate in synonyms for iri in candidate.predicates))
        merged.append(replace(best, predicates=iris))
    yield from sorted(merged, key=lambda o: (-o.score, not o.is_forward, o.label, o.predicates))


def demote_unstated(
    candidates: Sequence[PredicateCandidate], relation: Relation, entity_links: Mapping[str, EntityLink]
) -> tuple[PredicateCandidate, ...]:
    """Return the candidates of a negated relation, with a lower score for those that never have the value as object.

    "Not from X" means the predicate that has X as object, unless another one has a far better label score.
    """
    values = [entity_links[end] for end in relation.ends() if end in entity_links and entity_links[end].kind == "value"]
    if not values:
        return tuple(candidates)
    stated = {iri for link in values for candidate in link.candidates for iri in candidate.predicates}
    demoted = (
        option
        if stated.intersection((*option.predicates, *option.second_predicates))
        else replace(option, score=option.score * _UNSTATED_FACTOR)
        for option in candidates
    )
    return tuple(sorted(demoted, key=lambda option: -option.score))
