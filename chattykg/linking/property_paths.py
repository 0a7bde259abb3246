"""Relations of two steps: to the number or date within a value node, and to the place that a place lies in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg.vocabulary import PredicateEntry, Vocabulary
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import analyze_phrase

from chattykg.linking.answer_types import is_date_predicate, is_numeric_predicate, object_type_fit
from chattykg.linking.candidates import EntityLink
from chattykg.linking.label_matching import score_labels
from chattykg.linking.predicate_candidates import LinkingContext, PredicateCandidate
from chattykg.linking.reified_relations import find_measure_predicates, find_naming_predicates
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.qir import Relation

_WITHIN, _INSIDE = 0.85, 0.72
_LEAST = 0.55
_VALUED, _BY_DEGREE = 1.05, 0.8
_DEGREES = frozenset("height size area length amount quantity".split())
_PLAIN, _BRIDGED, _ASKED_LAST = 0.92, 0.7, 0.95
_CONTAINS = word_set("places", "containing_places")


def two_hop_candidates(
    relation: Relation, ends: Mapping[str, EntityLink], context: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield the options of a relation that take two steps; they are worth less than those that take one."""
    entries = [entry for entry in _entries(context) if not entry.is_metadata and entry.object_kind != "literal"]
    counts = relation.object in context.counted_unknowns and relation.object in context.classes
    if context.expected_types.get(relation.object) in ("number", "date", "measure") and relation.object not in ends:
        measured = _measured(relation, ends, entries, context)
        known = context.kg.vocabulary.predicates
        yield from (o for o in measured if not counts or _says(known[o.last_predicate], relation.object, context))
    yield from _valued(relation, ends, entries, context)
    if relation.object in ends and ends[relation.object].kind == "vertex":
        yield from _contained(relation, ends, entries, context)
    yield from _bridged(relation, ends, context)


def _entries(around: LinkingContext) -> Iterable[PredicateEntry]:
    known = around.kg.vocabulary.predicates
    return known.values() if len(known) <= 2_000 else around.card.predicates


def _measured(
    relation: Relation, ends: Mapping[str, EntityLink], entries: Sequence[PredicateEntry], around: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield what leads to a literal of a vertex that stands for a value (``price``, then ``amount``)."""
    kind = around.expected_types[relation.object]
    stated = _at(ends[relation.subject], "out") if relation.subject in ends else None
    values = [
        entry
        for entry in around.kg.vocabulary.predicates.values()
        if entry.object_kind == "literal" and _is_measure(entry, kind)
    ]
    inner: dict[str, list[PredicateEntry]] = {}
    for value in values:
        for domain in value.domains[:2] if value.is_functional else ():
            inner.setdefault(domain, []).append(value)
    entries = [
        entry
        for entry in entries
        if (stated is None or entry.iri in stated) and any(range_ in inner for range_ in entry.ranges[:2])
    ]
    told = score_labels(relation, entries, True, ends, around)
    spoken = score_labels(relation, values, True, ends, around)
    for entry in entries:
        for value in dict.fromkeys(value for range_ in entry.ranges[:2] for value in inner.get(range_, ())):
            score = _WITHIN * max(told[entry.iri], spoken[value.iri])
            if score >= _LEAST * _WITHIN:
                fit = object_type_fit(kind, value, around.kg.vocabulary) * _fit_of_domain(
                    relation.subject, entry, around
                )
                label = f"{entry.label} {value.label}"
                yield PredicateCandidate(
                    (entry.iri,), label, True, score * fit, True, is_numeric_predicate(value), (value.iri,)
                )


def _valued(
    relation: Relation, ends: Mapping[str, EntityLink], entries: Sequence[PredicateEntry], around: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield what leads on to the number of a measure without a name: who asks for a price is not told its vertex.

    Of a measure that was spoken of already, what a degree measures ("the highest fee") is its number.
    """
    if relation.object in ends or relation.object in around.classes or is_function_phrase(relation.relation):
        return
    numbers = find_measure_predicates(around.kg.vocabulary, find_naming_predicates(around.kg))
    if not numbers:
        return
    stated = _at(ends[relation.subject], "out") if relation.subject in ends else None
    through = relation.object in around.shared_unknowns  # another relation asks for something of the measure
    held = [
        e for e in entries if not through and (stated is None or e.iri in stated) and numbers.keys() & set(e.ranges)
    ]
    told = score_labels(relation, held, True, ends, around)
    for entry in held:
        value = next(numbers[iri] for iri in entry.ranges if iri in numbers)
        if told[entry.iri] >= _LEAST:
            label = f"{entry.label} {value.label}"
            score = min(1.0, _VALUED * told[entry.iri] * _fit_of_domain(relation.subject, entry, around))
            yield PredicateCandidate((entry.iri,), label, True, score, True, True, (value.iri,))
    if (
        relation.relation in _DEGREES
        and relation.subject in around.shared_unknowns
        and around.expected_types.get(relation.object)
    ):
        for value in dict.fromkeys(numbers.values()):
            yield PredicateCandidate((value.iri,), value.label, True, _BY_DEGREE, True, True)


def _contained(
    relation: Relation, ends: Mapping[str, EntityLink], entries: Sequence[PredicateEntry], around: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield what leads to a place within the one that is named (``birth place``, then ``country``)."""
    known = around.kg.vocabulary.predicates
    at_place = _at(ends[relation.object], "in")
    steps = [
        known[iri]
        for iri in at_place
        if iri in known and _CONTAINS & set(analyze_phrase(known[iri].label).content_lemmas)
    ]
    if not steps:
        return
    stated = _at(ends[relation.subject], "out") if relation.subject in ends else None
    told = score_labels(relation, entries, True, ends, around)
    for entry in entries:
        if told[entry.iri] < _LEAST or (stated is not None and entry.iri not in stated):
            continue
        for step in steps:
            if step.iri != entry.iri and _meet(entry.ranges, step.domains, around.kg.vocabulary):
                score = _INSIDE * told[entry.iri] * _fit_of_domain(relation.subject, entry, around)
                yield PredicateCandidate(
                    (entry.iri,), f"{entry.label} {step.label}", True, score, second_predicates=(step.iri,)
                )


def _bridged(
    relation: Relation, ends: Mapping[str, EntityLink], around: LinkingContext
) -> Iterator[PredicateCandidate]:
    """Yield what the graph states of a thing's only neighbour of a kind: the country of a firm that has a seat there.

    The predicate must bear the very words of the phrase and be none that such a thing has itself, and just one other
    may lead from the thing to what has it.
    """
    given = [end for end in relation.ends() if end in ends]
    if len(given) != 1 or ends[given[0]].kind == "class" or around.is_boolean:
        return
    if is_function_phrase(relation.relation):
        relation = replace(
            relation, relation=around.class_words.get(_other(relation, relation.subject == given[0]), "")
        )
    if is_function_phrase(relation.relation):
        return
    forward, vocabulary = relation.subject == given[0], around.kg.vocabulary
    at = dict.fromkeys((iri, way) for each in ends[given[0]].candidates for iri, way, _ in each.incident_predicates)
    at |= dict.fromkeys((iri, "in") for each in ends[given[0]].candidates for iri in each.predicates)
    classes = vocabulary.superclasses(*ends[given[0]].candidates[0].classes)
    wanted = [e for e in _entries(around) if not e.is_metadata and e.domains and not classes & set(e.domains)]
    told = score_labels(relation, wanted, forward, ends, around)
    asked = analyze_phrase(relation.relation).content_lemmas[-1:]
    last = score_labels(replace(relation, relation=" ".join(asked)), wanted, forward, ends, around)
    for entry in wanted:
        said = max(told[entry.iri], _ASKED_LAST * last[entry.iri])
        if said < _PLAIN:
            continue
        steps = [(iri, way) for iri, way in at if _leads(iri, way == "out", entry, vocabulary)]
        if len(steps) == 1 and (entry.iri, "out") not in at:
            first, way = steps[0]
            literal, end = entry.object_kind == "literal", _other(relation, forward)
            if literal and end in around.classes and not (end in around.counted_unknowns and _says(entry, end, around)):
                continue  # no literal is of a class, nor a number of things that it does not name
            kind = around.expected_types.get(end, "")
            fit = object_type_fit(kind, entry, vocabulary) if kind else 1.0
            label = f"{vocabulary.predicates[first].label} {entry.label}"
            numeric = literal and is_numeric_predicate(entry)
            then, inward = (entry.iri,), way == "in"
            yield PredicateCandidate((first,), label, forward, _BRIDGED * said * fit, literal, numeric, then, inward)


def _says(entry: PredicateEntry, end: str, around: LinkingContext) -> bool:
    return bool(analyze_phrase(entry.label).stems & analyze_phrase(around.class_words.get(end, "")).stems)


def _leads(iri: str, outward: bool, entry: PredicateEntry, vocabulary: Vocabulary) -> bool:
    """Tell whether a predicate at a vertex leads to things that have another predicate."""
    step = vocabulary.predicates.get(iri)
    far = () if step is None or step.is_metadata else step.ranges if outward else step.domains
    return bool(far) and iri != entry.iri and _meet(far, entry.domains, vocabulary)


def _other(relation: Relation, forward: bool) -> str:
    return relation.object if forward else relation.subject


def _is_measure(entry: PredicateEntry, kind: str) -> bool:
    return (kind != "number" and is_date_predicate(entry)) or (kind != "date" and is_numeric_predicate(entry))


def _at(anchor: EntityLink, direction: str) -> tuple[str, ...]:
    found = (
        iri for candidate in anchor.candidates for iri, way, _ in candidate.incident_predicates if way == direction
    )
    return tuple(dict.fromkeys(found))


def _fit_of_domain(end: str, entry: PredicateEntry, around: LinkingContext) -> float:
    wanted = around.classes.get(end)
    if not wanted or not entry.domains:
        return 0.97
    return 1.0 if wanted & set(entry.domains) else 0.6


def _meet(one: Sequence[str], other: Sequence[str], vocabulary: Vocabulary) -> bool:
    if not one or not other:
        return True
    return not (vocabulary.superclasses(*one).isdisjoint(other) and vocabulary.superclasses(*other).isdisjoint(one))
