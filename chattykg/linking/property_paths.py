"""Property paths of two steps: to the literal of a value node, to a containing place, and over a neighbour."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import GENERIC_WORDS, analyze_phrase, head_lemma_of, label_stems_of
from chattyshared.language.wordnet import noun_kinds

from chattykg.linking.answer_types import class_type_fit, is_date_predicate, is_numeric_predicate, object_type_fit
from chattykg.linking.candidates import EntityLink
from chattykg.linking.label_matching import score_labels
from chattykg.linking.predicate_candidates import LinkingContext, PredicateCandidate
from chattykg.linking.reified_relations import (
    find_measure_predicates,
    find_naming_predicates,
    find_unlabelled_classes,
)
from chattykg.linking.relation_phrases import is_containment_phrase, is_function_phrase
from chattykg.qir import Relation

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_VALUE_NODE_WEIGHT, _CONTAINING_PLACE_WEIGHT = 0.85, 0.72
"""Weights (0..1) of a path to the literal of a value node, and to the place that contains another."""
_MIN_STEP_SCORE = 0.55
"""Score (0..1) of a step from which its path is a candidate."""
_MEASURE_FACTOR = 1.05
"""Factor (above 1) of a path to the number of a measure; the score stays at most 1."""
_DEGREE_SCORE = 0.8
"""Score (0..1) of the number of a measure for a degree noun ("the highest amount")."""
_MIN_BRIDGE_SIMILARITY = 0.92
"""Label similarity (0..1) from which a predicate of a neighbour is a candidate."""
_MIN_OTHER_VALUE_SIMILARITY = 0.85
"""Label similarity (0..1) from which a number or date of a neighbour that is no value is a candidate."""
_BRIDGE_WEIGHT = 0.7
"""Weight (0..1) of a path over a neighbour."""
_PLACE_PATH_SCORE = 0.6
"""Score (0..1) of the only path from a class over a neighbour to a place."""
_LAST_WORD_WEIGHT = 0.95
"""Weight (0..1) of the last word of a phrase alone."""
_UNKNOWN_DOMAIN_FIT, _OTHER_DOMAIN_FIT = 0.97, 0.6
"""Fit (0..1) of a predicate of unknown domain, and of one of another domain."""
_MAX_CLASSES = 2
"""Domains and ranges of a predicate that are read, most frequent first."""

_DEGREE_NOUNS = frozenset("height size area length amount quantity".split())
_PLACE_PREPOSITIONS = frozenset("in at within inside".split())
_CONTAINER_NOUNS = word_set("places", "containing_places")


def is_containment_chain(entry: PredicateEntry) -> bool:
    """Tell whether a predicate leads from things to places within other places: pier, district, city."""
    names = (entry.label, *entry.alt_labels)
    return not set(entry.domains).isdisjoint(entry.ranges) and any(map(is_containment_phrase, names))


def two_hop_candidates(
    relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the candidates of two steps; they score less than those of one step."""
    entries = [
        entry for entry in context.predicates_to_compare() if not entry.is_metadata and entry.object_kind != "literal"
    ]
    is_counted_class = relation.object in context.counted_unknowns and relation.object in context.classes
    if context.expected_types.get(relation.object) in ("number", "date", "measure") and relation.object not in ends:
        candidates = _value_node_paths(relation, ends, entries, context)
        predicates = context.kg.vocabulary.predicates
        yield from (
            o
            for o in candidates
            if not is_counted_class or _shares_stem(predicates[o.last_predicate], relation.object, context)
        )
    yield from _measure_paths(relation, ends, entries, context)
    if relation.object in ends and ends[relation.object].kind == "vertex":
        yield from _containing_place_paths(relation, ends, entries, context)
    yield from _bridge_paths(relation, ends, context)
    yield from _place_paths(relation, ends, entries, context)


def _place_paths(
    relation: Relation, ends: Mapping[str, EntityLink], entries: Sequence[PredicateEntry], context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the only path from things of a class over a neighbour to a linked place ("flats in Holmstad")."""
    classes = context.classes.get(relation.subject)
    is_in = _PLACE_PREPOSITIONS.intersection(relation.relation.split()) and is_function_phrase(relation.relation)
    if not classes or not is_in or relation.subject in ends or relation.object not in ends:
        return
    predicates = context.kg.vocabulary.predicates
    at_place = [predicates[iri] for iri in ends[relation.object].predicates_at("in") if iri in predicates]
    if any(classes & set(entry.domains) for entry in at_place):
        return
    near = [entry for entry in entries if classes & set(entry.domains)]
    paths = [(e, far) for e in near for far in at_place if set(e.ranges) & set(far.domains)]
    for entry, far in paths if len(paths) == 1 else ():
        label = f"{entry.label} {far.label}"
        is_literal = far.object_kind == "literal"
        yield PredicateCandidate((entry.iri,), label, True, _PLACE_PATH_SCORE, is_literal, second_predicates=(far.iri,))


def _value_node_paths(
    relation: Relation, ends: Mapping[str, EntityLink], entries: Sequence[PredicateEntry], context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the paths to a literal of a vertex that stands for a value (``price``, then ``amount``)."""
    kind = context.expected_types[relation.object]
    incident = ends[relation.subject].predicates_at("out") if relation.subject in ends else None
    own = ends[relation.subject].candidates[0].classes if relation.subject in ends else ()
    own_classes = context.kg.vocabulary.superclasses(*own)  # what a thing may state itself is not that of another one
    values = [
        entry
        for entry in context.kg.vocabulary.predicates.values()
        if entry.object_kind == "literal" and _is_measure(entry, kind) and own_classes.isdisjoint(entry.domains)
    ]
    values_by_domain: dict[str, list[PredicateEntry]] = {}
    for value in values:
        for domain in value.domains[:_MAX_CLASSES] if value.is_functional else ():
            values_by_domain.setdefault(domain, []).append(value)
    entries = [
        entry
        for entry in entries
        if (incident is None or entry.iri in incident)
        and any(range_ in values_by_domain for range_ in entry.ranges[:_MAX_CLASSES])
    ]
    scores = score_labels(relation, entries, True, ends, context)
    value_scores = score_labels(relation, values, True, ends, context)
    measures = _value_node_predicates(entries, context)
    for entry in entries:
        for value in dict.fromkeys(v for r in entry.ranges[:_MAX_CLASSES] for v in values_by_domain.get(r, ())):
            is_node = entry.iri in measures  # a birth is no date of the founding, and another thing's date is not its
            step_score, value_score = scores[entry.iri] if is_node else 0.0, value_scores[value.iri]
            is_own = value_score >= _MIN_OTHER_VALUE_SIMILARITY and _may_speak_for((entry.iri, "out"), value, context)
            is_named = not _is_bare(value) and (is_node or is_own)
            score = _VALUE_NODE_WEIGHT * max(step_score, value_score if is_named else 0.0)
            if score >= _MIN_STEP_SCORE * _VALUE_NODE_WEIGHT:
                fit = object_type_fit(kind, value, context.kg.vocabulary) * _domain_fit(
                    relation.subject, entry, context
                )
                label = f"{entry.label} {value.label}"
                yield PredicateCandidate(
                    (entry.iri,), label, True, score * fit, True, is_numeric_predicate(value), (value.iri,)
                )


def _nameless_classes(kg: KnowledgeGraph) -> Mapping[str, ClassEntry]:
    find = partial(find_unlabelled_classes, kg.vocabulary)
    return kg.remember("nameless classes", (), lambda: find(find_naming_predicates(kg)))


def _measure_predicates(kg: KnowledgeGraph) -> Mapping[str, PredicateEntry]:
    find = partial(find_measure_predicates, kg.vocabulary)
    return kg.remember("measures", (), lambda: find(find_naming_predicates(kg)))


def _is_bare(value: PredicateEntry) -> bool:
    """Tell whether a number's label does not say of what it is the number ("value"): a length is no price."""
    return is_numeric_predicate(value) and GENERIC_WORDS.issuperset(analyze_phrase(value.label).words)


def _value_node_predicates(entries: Sequence[PredicateEntry], context: LinkingContext) -> frozenset[str]:
    """Return the predicates to nodes without a name, or to ones of literals only that are called as it is ("price")."""
    vocabulary = context.kg.vocabulary
    nameless = _nameless_classes(context.kg)
    stated = [entry for entry in vocabulary.predicates.values() if not entry.is_metadata]
    related = {iri for entry in stated if entry.object_kind != "literal" for iri in entry.domains}
    return frozenset(
        entry.iri
        for entry in entries
        for group in entry.ranges[:_MAX_CLASSES]
        if group in nameless
        or group not in related
        and label_stems_of(vocabulary.classes[group].label) == label_stems_of(entry.label)
    )


def _measure_paths(
    relation: Relation, ends: Mapping[str, EntityLink], entries: Sequence[PredicateEntry], context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the paths to the number of a measure without a label: the answer to a price is its number.

    A degree noun after a measure that another relation names ("the highest fee") also means its number.
    """
    if relation.object in ends or relation.object in context.classes or is_function_phrase(relation.relation):
        return
    numbers = _measure_predicates(context.kg)
    if not numbers:
        return
    incident = ends[relation.subject].predicates_at("out") if relation.subject in ends else None
    is_shared = relation.object in context.shared_unknowns  # another relation has the measure as an end
    measured = [
        e
        for e in entries
        if not is_shared and (incident is None or e.iri in incident) and numbers.keys() & set(e.ranges)
    ]
    scores = score_labels(relation, measured, True, ends, context)
    for entry in measured:
        value = next(numbers[iri] for iri in entry.ranges if iri in numbers)
        if scores[entry.iri] >= _MIN_STEP_SCORE:
            label = f"{entry.label} {value.label}"
            score = min(1.0, _MEASURE_FACTOR * scores[entry.iri] * _domain_fit(relation.subject, entry, context))
            yield PredicateCandidate((entry.iri,), label, True, score, True, True, (value.iri,))
    is_degree = relation.relation in _DEGREE_NOUNS and relation.subject in context.shared_unknowns
    if is_degree and context.expected_types.get(relation.object):
        for value in dict.fromkeys(numbers.values()):
            yield PredicateCandidate((value.iri,), value.label, True, _DEGREE_SCORE, True, True)


def _containing_place_paths(
    relation: Relation, ends: Mapping[str, EntityLink], entries: Sequence[PredicateEntry], context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the paths to a place within the linked one (``birth place``, then ``country``)."""
    predicates = context.kg.vocabulary.predicates
    at_place = ends[relation.object].predicates_at("in")
    steps = [
        predicates[iri]
        for iri in at_place
        if iri in predicates
        and (
            _CONTAINER_NOUNS & set(analyze_phrase(predicates[iri].label).content_lemmas)
            or is_containment_chain(predicates[iri])
        )
    ]
    if not steps:
        return
    incident = ends[relation.subject].predicates_at("out") if relation.subject in ends else None
    scores = score_labels(relation, entries, True, ends, context)
    for entry in entries:
        if scores[entry.iri] < _MIN_STEP_SCORE or (incident is not None and entry.iri not in incident):
            continue
        for step in steps:
            if step.iri != entry.iri and context.kg.vocabulary.may_share_members(entry.ranges, step.domains):
                score = _CONTAINING_PLACE_WEIGHT * scores[entry.iri] * _domain_fit(relation.subject, entry, context)
                yield PredicateCandidate(
                    (entry.iri,), f"{entry.label} {step.label}", True, score, second_predicates=(step.iri,)
                )


def _bridge_paths(
    relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the paths over the only neighbour with a predicate: the country of a firm that has its seat there.

    The label of the predicate must match the phrase, the linked thing must not have it itself, and exactly one other
    predicate may lead from the thing to one that has it.
    """
    linked_ends = [end for end in relation.ends() if end in ends]
    if len(linked_ends) != 1 or ends[linked_ends[0]].kind == "class" or context.is_boolean:
        return
    far_classes: Collection[str] = ()
    if is_function_phrase(relation.relation):
        far_end = _far_end(relation, relation.subject == linked_ends[0])
        far_classes = context.classes.get(far_end, ())
        relation = replace(relation, relation=context.class_words.get(far_end, ""))
    if is_function_phrase(relation.relation):
        return
    forward, vocabulary = relation.subject == linked_ends[0], context.kg.vocabulary
    far_classes = far_classes or context.hinted_classes.get(_far_end(relation, forward), ())
    incident = dict.fromkeys(ends[linked_ends[0]].incident_predicates())
    classes = vocabulary.superclasses(*ends[linked_ends[0]].candidates[0].classes)
    last_word = " ".join(analyze_phrase(relation.relation).content_lemmas[-1:])
    phrases = (relation.relation, last_word, *filter(None, [context.class_words.get(_far_end(relation, forward))]))
    far_predicates = [
        e
        for e in context.predicates_to_compare(phrases)
        if not e.is_metadata and e.domains and not classes & set(e.domains)
        if not far_classes or not e.ranges or vocabulary.may_share_members(far_classes, e.ranges)
    ]
    scores = score_labels(relation, far_predicates, forward, ends, context)
    last_scores = score_labels(replace(relation, relation=last_word), far_predicates, forward, ends, context)
    for entry in far_predicates:
        similarity = max(scores[entry.iri], _LAST_WORD_WEIGHT * last_scores[entry.iri])
        if similarity < _MIN_BRIDGE_SIMILARITY:
            continue
        steps = [(iri, way) for iri, way in incident if _leads_to_domain(iri, way == "out", entry, vocabulary)]
        if len(steps) == 1 and (entry.iri, "out") not in incident and _may_speak_for(steps[0], entry, context):
            yield from _bridge_path(steps[0], entry, (relation, forward), similarity, context)


def _may_speak_for(step: tuple[str, str], entry: PredicateEntry, context: LinkingContext) -> bool:
    """Tell whether what is stated of a neighbour may be asked of a thing itself.

    No measure of a person ("the height of the club") nor of what only refers to the thing may, unless the neighbour is
    a node without a name.
    """
    vocabulary, (iri, way) = context.kg.vocabulary, step
    first = vocabulary.predicates[iri]
    classes = first.ranges if way == "out" else first.domains
    neighbours = [vocabulary.classes[iri] for iri in classes if iri in vocabulary.classes]
    nameless = _nameless_classes(context.kg)
    if not neighbours or any(neighbour.iri in nameless for neighbour in neighbours):
        return True
    is_measure = is_numeric_predicate(entry) or is_date_predicate(entry)
    is_person = any(noun_kinds(head_lemma_of(neighbour.label))[:1] == ("person",) for neighbour in neighbours)
    is_person |= class_type_fit("person", classes, vocabulary) == 1.0
    return not is_measure or way == "out" and not is_person


def _bridge_path(
    step: tuple[str, str],
    entry: PredicateEntry,
    relation_direction: tuple[Relation, bool],
    similarity: float,
    context: LinkingContext,
) -> Iterator[PredicateCandidate]:
    """Yield the path of a step (IRI and direction) and a predicate, unless a literal cannot be the far end."""
    relation, forward = relation_direction
    is_literal, end = entry.object_kind == "literal", _far_end(relation, forward)
    is_stated_number = end in context.counted_unknowns and _shares_stem(entry, end, context)
    if is_literal and end in context.classes and not is_stated_number:
        return  # a literal has no class, and a number counts only what its predicate names
    kind, vocabulary = context.expected_types.get(end, ""), context.kg.vocabulary
    fit = object_type_fit(kind, entry, vocabulary) if kind else 1.0
    first, way = step
    yield PredicateCandidate(
        (first,),
        f"{vocabulary.predicates[first].label} {entry.label}",
        forward,
        _BRIDGE_WEIGHT * similarity * fit,
        is_literal,
        is_literal and is_numeric_predicate(entry),
        (entry.iri,),
        is_inward=way == "in",
    )


def _shares_stem(entry: PredicateEntry, end: str, context: LinkingContext) -> bool:
    """Tell whether a predicate may state the number of the things that are counted: not that of a row of theirs."""
    stems = analyze_phrase(entry.label).stems & analyze_phrase(context.class_words.get(end, "")).stems
    return bool(stems) and context.classes.get(end, frozenset()).isdisjoint(entry.domains)


def _leads_to_domain(iri: str, is_outward: bool, entry: PredicateEntry, vocabulary: Vocabulary) -> bool:
    """Tell whether a predicate at a vertex leads to things in the domain of another predicate."""
    step = vocabulary.predicates.get(iri)
    far_classes = () if step is None or step.is_metadata else step.ranges if is_outward else step.domains
    return bool(far_classes) and iri != entry.iri and vocabulary.may_share_members(far_classes, entry.domains)


def _far_end(relation: Relation, is_forward: bool) -> str:
    return relation.object if is_forward else relation.subject


def _is_measure(entry: PredicateEntry, kind: str) -> bool:
    return (kind != "number" and is_date_predicate(entry)) or (kind != "date" and is_numeric_predicate(entry))


def _domain_fit(end: str, entry: PredicateEntry, context: LinkingContext) -> float:
    classes = context.classes.get(end)
    if not classes or not entry.domains:
        return _UNKNOWN_DOMAIN_FIT
    return 1.0 if classes & set(entry.domains) else _OTHER_DOMAIN_FIT
