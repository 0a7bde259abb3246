"""Paths of two steps, of which a phrase names one; the other goes without saying.

After a named step that is the number of a node without a name ("price", then "amount") or the place around a place;
before one it is the only way from a linked thing to what has the named predicate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.labels import label_predicates
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.inflection import denote_persons
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import GENERIC_WORDS, analyze_phrase, label_stems_of

from chattykg.linking.answer_types import (
    GOOD_FIT,
    class_type_fit,
    is_date_predicate,
    is_numeric_predicate,
    object_type_fit,
)
from chattykg.linking.candidates import EntityLink
from chattykg.linking.label_matching import score_labels
from chattykg.linking.predicate_candidates import WEIGHTS, LinkingContext, PredicateCandidate
from chattykg.linking.relation_phrases import is_containment_phrase, is_function_phrase
from chattykg.linking.statement_nodes import (
    find_measure_predicates,
    find_naming_predicates,
    find_unlabelled_classes,
)
from chattykg.qir import Relation

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_MIN_FIRST_SCORE = 0.55
"""Name score (0..1) of a first step from which its path is a candidate."""
_MIN_LAST_SCORE = 0.92
"""Name score (0..1) of a last step from which its path is a candidate."""
_MIN_VALUE_SCORE = 0.85
"""The same of a number or date of a neighbour."""
_LAST_WORD_WEIGHT = 0.95
"""Weight (0..1) of the last word of a phrase alone."""

_CONTAINER_NOUNS = word_set("places", "containing_places")
_MEASURES = ("date", "number", "measure")
_Ends = Mapping[str, EntityLink]


def is_containment_chain(entry: PredicateEntry) -> bool:
    """Tell whether a predicate leads from things to places within other places: pier, district, city."""
    names = (entry.label, *entry.alt_labels)
    return not set(entry.domains).isdisjoint(entry.ranges) and any(map(is_containment_phrase, names))


def two_hop_candidates(relation: Relation, ends: _Ends, context: LinkingContext) -> Iterator[PredicateCandidate]:
    """Yield the candidates of two steps; they score less than those of one step."""
    if relation.object in ends:
        yield from _place_paths(relation, ends, context)
    else:
        yield from _value_paths(relation, ends, context)
    yield from _bridge_paths(relation, ends, context)


def _make_path(
    step: PredicateEntry, way: str, last: PredicateEntry, is_forward: bool, score: float
) -> PredicateCandidate:
    is_literal = last.object_kind == "literal"
    is_numeric = is_literal and is_numeric_predicate(last)
    label, is_inward = f"{step.label} {last.label}", way == "in"
    return PredicateCandidate((step.iri,), label, is_forward, score, is_literal, is_numeric, (last.iri,), is_inward)


def _first_steps(relation: Relation, ends: _Ends, context: LinkingContext) -> list[PredicateEntry]:
    """Return the predicates from the subject to things: those that it states, if it is linked."""
    known = context.kg.vocabulary.predicates
    if relation.subject in ends:
        entries = [known[iri] for iri in ends[relation.subject].predicates_at("out") if iri in known]
    else:
        entries = list(context.predicates_to_compare())
    return [entry for entry in entries if entry.object_kind != "literal" and not entry.is_metadata]


def _subject_fit(relation: Relation, entry: PredicateEntry, context: LinkingContext) -> float:
    classes = context.classes.get(relation.subject)
    is_other = classes and entry.domains and classes.isdisjoint(entry.domains)
    return WEIGHTS["other_class"] if is_other else 1.0


# ------------------------------------------------------------------------------------------------------- named first
def _value_paths(relation: Relation, ends: _Ends, context: LinkingContext) -> Iterator[PredicateCandidate]:
    """Yield the paths to a number or date of a node: the answer to a price is its number."""
    kind, vocabulary = context.expected_types.get(relation.object, ""), context.kg.vocabulary
    is_shared = relation.object in context.shared_unknowns  # another relation has the node as an end
    own = ends[relation.subject].candidates[0].classes if relation.subject in ends else ()
    own_classes = vocabulary.superclasses(*own)  # what a thing may state itself is not that of another one
    numbers = measure_predicates(context.kg)
    if kind not in _MEASURES and (not numbers or is_function_phrase(relation.relation)):
        return
    values: dict[str, list[PredicateEntry]] = {}
    for entry in vocabulary.predicates.values():
        if entry.object_kind == "literal" and entry.is_functional and own_classes.isdisjoint(entry.domains):
            for domain in entry.domains:
                is_amount = numbers.get(domain) == entry and not is_shared and relation.object not in context.classes
                if is_amount or kind in _MEASURES and _is_measure(entry, kind):
                    values.setdefault(domain, []).append(entry)
    steps = [entry for entry in _first_steps(relation, ends, context) if not values.keys().isdisjoint(entry.ranges)]
    if not steps:
        return
    step_names = score_labels(relation, steps, True, ends, context)
    value_names = score_labels(relation, [each for listed in values.values() for each in listed], True, ends, context)
    for step in steps:
        is_node = any(_is_value_node(group, step, context.kg) for group in step.ranges)
        for iri, value in ((group, value) for group in step.ranges for value in values.get(group, ())):
            if relation.object in context.counted_unknowns and not _counts(value, relation.object, context):
                continue
            is_amount = numbers.get(iri) == value and not is_shared
            value_name = value_names[value.iri] if not _is_bare(value) else 0.0
            is_own = value_name >= _MIN_VALUE_SCORE and _may_speak_for(step, "out", value, context.kg)
            step_name = step_names[step.iri] if is_node else 0.0
            name = max(step_name, value_name if is_node or is_own else 0.0)
            if name >= _MIN_FIRST_SCORE:
                score = max(step_name if is_amount else 0.0, WEIGHTS["value_path"] * name)
                fit = object_type_fit(kind, value, vocabulary) if kind else 1.0
                yield _make_path(step, "out", value, True, score * fit * _subject_fit(relation, step, context))


def _place_paths(relation: Relation, ends: _Ends, context: LinkingContext) -> Iterator[PredicateCandidate]:
    """Yield the paths to a place within the linked one ("birth place", then "country")."""
    known = context.kg.vocabulary.predicates
    at_place = [known[iri] for iri in ends[relation.object].predicates_at("in") if iri in known]
    around = [entry for entry in at_place if is_containment_chain(entry) or _is_named(entry, _CONTAINER_NOUNS)]
    steps = _first_steps(relation, ends, context) if around else []
    names = score_labels(relation, steps, True, ends, context)
    for step, last in ((step, last) for step in steps for last in around if step.iri != last.iri):
        is_joined = context.kg.vocabulary.may_share_members(step.ranges, last.domains)
        if is_joined and names[step.iri] >= _MIN_FIRST_SCORE:
            score = WEIGHTS["neighbour_path"] * names[step.iri] * _subject_fit(relation, step, context)
            yield _make_path(step, "out", last, True, score)


# -------------------------------------------------------------------------------------------------------- named last
def _bridge_paths(relation: Relation, ends: _Ends, context: LinkingContext) -> Iterator[PredicateCandidate]:
    """Yield the paths over the only neighbour with a predicate: the country of a firm that has its seat there.

    The linked thing must not have the predicate itself, and exactly one other may lead from it to things that do.
    """
    linked = [end for end in relation.ends() if end in ends]
    if len(linked) != 1 or ends[linked[0]].kind == "class" or context.is_boolean:
        return
    link, is_forward, vocabulary = ends[linked[0]], relation.subject == linked[0], context.kg.vocabulary
    far = relation.object if is_forward else relation.subject
    noun = context.class_words.get(far, "")
    if is_function_phrase(relation.relation):
        relation = replace(relation, relation=noun)
    if is_function_phrase(relation.relation):
        return
    far_classes = context.classes.get(far) or context.hinted_classes.get(far, frozenset())
    incident = tuple(dict.fromkeys(link.incident_predicates()))
    own_classes = vocabulary.superclasses(*link.candidates[0].classes)
    last_word = " ".join(analyze_phrase(relation.relation).content_lemmas[-1:])
    phrases = (relation.relation, last_word, *filter(None, [noun]))
    named = [
        entry
        for entry in context.predicates_to_compare(phrases)
        if not entry.is_metadata and entry.domains and own_classes.isdisjoint(entry.domains)
        if not far_classes or not entry.ranges or vocabulary.may_share_members(far_classes, entry.ranges)
    ]
    names = score_labels(relation, named, is_forward, ends, context)
    last_names = score_labels(replace(relation, relation=last_word), named, is_forward, ends, context)
    kind = context.expected_types.get(far, "")
    for last in named:
        name = max(names[last.iri], _LAST_WORD_WEIGHT * last_names[last.iri])
        steps = _steps_towards(last, incident, context.kg) if name >= _MIN_LAST_SCORE else ()
        is_other = last.object_kind == "literal" and far in context.classes and not _counts(last, far, context)
        is_own = any(iri == last.iri for iri, _ in incident)
        if len(steps) == 1 and not is_own and not is_other:
            fit = object_type_fit(kind, last, vocabulary) if kind else 1.0
            if _may_speak_for(*steps[0], last, context.kg):
                yield _make_path(*steps[0], last, is_forward, WEIGHTS["neighbour_path"] * name * fit)


def _steps_towards(
    last: PredicateEntry, incident: Sequence[tuple[str, str]], kg: KnowledgeGraph
) -> tuple[tuple[PredicateEntry, str], ...]:
    """Return the predicates at a thing, with their ways, that lead to things in the domain of another predicate."""
    known = kg.vocabulary.predicates
    entries = ((known[iri], way) for iri, way in incident if iri in known and iri != last.iri)
    return tuple(
        (entry, way)
        for entry, way in entries
        for classes in [entry.ranges if way == "out" else entry.domains]
        if classes and not entry.is_metadata and kg.vocabulary.may_share_members(classes, last.domains)
    )


def _may_speak_for(step: PredicateEntry, way: str, last: PredicateEntry, kg: KnowledgeGraph) -> bool:
    """Tell whether what is stated of a neighbour may be asked of a thing itself.

    No measure may of a person or for one ("the height of the club", "the tallest person" by a birth place), nor of what
    only refers to the thing, unless the neighbour is a node without a name.
    """
    classes, own = (step.ranges, step.domains) if way == "out" else (step.domains, step.ranges)
    neighbours = [kg.vocabulary.classes[iri] for iri in classes if iri in kg.vocabulary.classes]
    if not neighbours or any(entry.iri in nameless_classes(kg) for entry in neighbours):
        return True
    is_person = class_type_fit("person", classes, kg.vocabulary) >= GOOD_FIT
    is_person |= denote_persons(kg.vocabulary.classes[iri].label for iri in own if iri in kg.vocabulary.classes)
    return not _is_measure(last, "measure") or way == "out" and not is_person


# ------------------------------------------------------------------------------------------------------------- nodes
def nameless_classes(kg: KnowledgeGraph) -> Mapping[str, ClassEntry]:
    """Return the classes whose instances have no name, by IRI."""
    return kg.remember(
        "nameless classes", (), lambda: find_unlabelled_classes(kg.vocabulary, find_naming_predicates(kg))
    )


def has_labels(classes: Collection[str], kg: KnowledgeGraph) -> bool:
    """Tell whether things of one of some classes have a label, be it a text or a number that tells them apart."""
    labels = tuple(label_predicates(kg.profile))
    bare = kg.remember("classes without labels", (), lambda: find_unlabelled_classes(kg.vocabulary, labels))
    return not bare.keys() - kg.row_keys.keys() >= set(classes)


def measure_predicates(kg: KnowledgeGraph) -> Mapping[str, PredicateEntry]:
    """Return the predicate of the number of each class of measures, by the IRI of the class."""
    return kg.remember("measures", (), lambda: find_measure_predicates(kg.vocabulary, find_naming_predicates(kg)))


def _is_value_node(iri: str, step: PredicateEntry, kg: KnowledgeGraph) -> bool:
    """Tell whether the things of a class have no name, or have literals only and are called as the step to them."""
    known = kg.vocabulary
    is_called = iri in known.classes and label_stems_of(known.classes[iri].label) == label_stems_of(step.label)
    stated = known.predicates.values() if is_called else ()
    is_leaf = all(e.is_metadata or e.object_kind == "literal" or iri not in e.domains for e in stated)
    return iri in nameless_classes(kg) or is_called and is_leaf


def _is_bare(value: PredicateEntry) -> bool:
    """Tell whether a number's label does not say of what it is the number ("value"): a length is no price."""
    return is_numeric_predicate(value) and GENERIC_WORDS.issuperset(analyze_phrase(value.label).words)


def _is_measure(entry: PredicateEntry, kind: str) -> bool:
    return (kind != "number" and is_date_predicate(entry)) or (kind != "date" and is_numeric_predicate(entry))


def _is_named(entry: PredicateEntry, words: frozenset[str]) -> bool:
    return not words.isdisjoint(analyze_phrase(entry.label).content_lemmas)


def _counts(entry: PredicateEntry, end: str, context: LinkingContext) -> bool:
    """Tell whether a predicate may state the number of the things that are counted: not that of a row of theirs."""
    stems = analyze_phrase(entry.label).stems & analyze_phrase(context.class_words.get(end, "")).stems
    is_counted = end not in context.counted_unknowns or end not in context.classes
    return is_counted or bool(stems) and context.classes.get(end, frozenset()).isdisjoint(entry.domains)
