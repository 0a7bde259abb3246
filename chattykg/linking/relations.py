"""Relation linking: the predicates that may stand for a relation phrase, both directions, ranked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rdflib.namespace import RDF

from chattykg.linking.candidates import Anchor
from chattykg.linking.card import Card
from chattykg.linking.expectation import Expected, fit_of_classes, fit_of_object, looks_numeric
from chattykg.linking.similarity import Similarity, leaning
from chattykg.linking.words import PREPOSITIONS, read
from chattykg.qir import Relation
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import local_name, readable
from chattyshared.vocabulary import PredicateEntry

TYPE = str(RDF.type)
KEPT = 8
"""Options of one relation that are kept."""
_WHOLE_VOCABULARY = 2_000
_FLOOR = 0.3
_TYPE_WORDS = frozenset("type kind class category instance sort is_a isa".split())
_LABEL_WORDS = frozenset("name call title label entitle know".split())
_BARE = frozenset(PREPOSITIONS) | frozenset("have be do get relate connect associate belong involve".split())


@dataclass(frozen=True, slots=True)
class Option:
    """Predicates of one meaning that may stand for a relation, and which way.

    ``forward``: the relation's subject is the predicate's subject. ``literal``: its objects are literals.
    """

    predicates: tuple[str, ...]
    label: str
    forward: bool
    score: float
    literal: bool = False
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What linking a relation may look at: the KG, its card, similarity, and what is known of the unknowns."""

    kg: KnowledgeGraph
    card: Card
    similarity: Similarity
    expected: Mapping[str, Expected] = field(default_factory=dict)
    classes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    class_words: Mapping[str, str] = field(default_factory=dict)
    counted: str = ""


def is_type_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase says what something is (``type``, ``is a``, ``kind of``)."""
    content = read(phrase).content
    return not phrase.strip() or phrase.strip().casefold() in ("is a", "is an", "is", "are", "a") or (
        len(content) <= 2 and all(word in _TYPE_WORDS for word in content)
    )  # fmt: skip


def is_label_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase says what something is called."""
    return all(word in _LABEL_WORDS for word in read(phrase).content)


def is_bare(phrase: str) -> bool:
    """Tell whether a relation phrase names no relation (``of``, ``in``, ``has``)."""
    return all(word in _BARE for word in read(phrase).lemmas)


def options(relation: Relation, ends: Mapping[str, Anchor], around: Surroundings) -> tuple[Option, ...]:
    """Return the options of one relation, best first, synonyms together; at most ``KEPT``."""
    scored = [
        (around.kg.vocabulary.predicates.get(iri) or PredicateEntry(iri, readable(iri)), forward, presence)
        for iri, forward, presence in _present(relation, ends, around)
    ]
    told = _named(relation, [entry for entry, _, _ in scored], around)
    found = [
        _option(relation, entry, forward, presence * told[entry.iri], around)
        for entry, forward, presence in scored
        if entry.iri != TYPE
    ]  # fmt: skip
    extra = _said_otherwise(relation, ends, around)
    return tuple(_together((*found, *extra)))[:KEPT]


def _present(
    relation: Relation, ends: Mapping[str, Anchor], around: Surroundings
) -> Iterator[tuple[str, bool, float]]:
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
        yield iri, forward, 1.0 if count == wanted else 0.85


def _around(anchor: Anchor) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    for candidate in anchor.candidates:
        found |= dict.fromkeys((iri, direction) for iri, direction, _ in candidate.around)
        found |= dict.fromkeys((iri, "in") for iri in candidate.predicates)
    return tuple(found)


def _named(relation: Relation, entries: list[PredicateEntry], around: Surroundings) -> dict[str, float]:
    """Return how near the phrase, or the class words of an unknown end, are to each predicate's names."""
    phrases = [(relation.relation, 1.0)]
    for end in relation.ends():
        if end in around.class_words:
            words = around.class_words[end]
            phrases += [(words, 0.85), (f"{words} {relation.relation}", 0.95)]
    unique = list({entry.iri: entry for entry in entries}.values())
    names: list[tuple[str, str, float]] = []
    for entry in unique:
        names += [(entry.iri, name, worth) for name, worth in _names(entry)]
    best = {entry.iri: _by_comment(relation.relation, entry) for entry in unique}
    texts = [name for _, name, _ in names]
    for phrase, weight in phrases:
        for (iri, _, worth), score in zip(names, around.similarity(phrase, texts), strict=True):
            best[iri] = max(best[iri], weight * worth * score)
    return best


def _names(entry: PredicateEntry) -> Iterator[tuple[str, float]]:
    yield entry.label, 1.0
    local = readable(entry.iri)
    if local.casefold() != entry.label.casefold() and not any(mark.isdigit() for mark in local_name(entry.iri)):
        yield local, 0.97
    for name in entry.alt[:10]:
        yield name, 0.97


def _by_comment(phrase: str, entry: PredicateEntry) -> float:
    if not entry.comment:
        return 0.0
    stems = read(phrase).stems
    said = read(entry.comment[:300]).stems
    return 0.5 * len(stems & said) / len(stems) if stems else 0.0


def _option(relation: Relation, entry: PredicateEntry, forward: bool, named: float, around: Surroundings) -> Option:
    """Weigh one predicate in one direction by name, direction of the phrase, and what its ends are."""
    subject, other = relation.ends() if forward else relation.ends()[::-1]
    literal = entry.objects == "literal"
    fits = _fit_of_subject(subject, entry, around) * _fit_of_object(other, entry, around)
    leans = leaning(relation.relation, entry.label) * (1 if forward else -1)
    numeric = literal and looks_numeric(entry)
    if numeric and around.counted in relation.ends():
        leans = 0
    score = named * {1: 1.0, 0: 0.95, -1: 0.78}[leans] * fits
    if is_bare(relation.relation):
        score = max(score, _FLOOR * fits * fits)
    return Option((entry.iri,), entry.label, forward, score, literal, numeric)


def _fit_of_subject(end: str, entry: PredicateEntry, around: Surroundings) -> float:
    fit = 1.0
    kind = around.expected.get(end, "")
    if kind and kind != "number":
        fit *= 0.5 if kind == "date" else fit_of_classes(kind, entry.domains, around.kg.vocabulary)
    if end in around.classes:
        fit *= _overlap(around.classes[end], entry.domains, around)
    return fit


def _fit_of_object(end: str, entry: PredicateEntry, around: Surroundings) -> float:
    fit = 1.0
    kind = around.expected.get(end, "")
    if kind:
        fit *= fit_of_object(kind, entry, around.kg.vocabulary) if end != around.counted else _countable(entry)
    if end in around.classes and not (end == around.counted and entry.objects == "literal"):
        fit *= 0.4 if entry.objects == "literal" else _overlap(around.classes[end], entry.ranges, around)
    return fit


def _countable(entry: PredicateEntry) -> float:
    return 1.0 if entry.objects != "literal" else 1.0 if looks_numeric(entry) else 0.8


def _overlap(wanted: frozenset[str], stated: Iterable[str], around: Surroundings) -> float:
    listed = tuple(stated)
    if not listed or not wanted:
        return 0.93
    if wanted & set(listed):
        return 1.0
    above = {iri for item in listed for iri in around.kg.vocabulary.superclasses(item)}
    return 0.98 if wanted & above else 0.45


def _said_otherwise(relation: Relation, ends: Mapping[str, Anchor], around: Surroundings) -> Iterator[Option]:
    """Yield what vocabularies do not list as a relation: the type, and the label."""
    free = relation.object not in ends
    if is_type_phrase(relation.relation) and free and relation.relation.strip():
        yield Option((TYPE,), "type", True, 0.6)
    if is_label_phrase(relation.relation) and free:
        known = tuple(iri for iri in around.kg.profile.labels if iri in around.kg.vocabulary.predicates)
        yield Option(known or around.kg.profile.labels[:3], "name", True, 0.9, literal=True)


def _together(found: Iterable[Option]) -> Iterator[Option]:
    """Put predicates whose names mean the same, in one direction and of one kind, into one option."""
    groups: dict[tuple[frozenset[str], bool, bool], list[Option]] = {}
    for option in found:
        if option.score > 0:
            groups.setdefault((read(option.label).stems, option.forward, option.literal), []).append(option)
    merged = []
    for group in groups.values():
        group.sort(key=lambda o: (-o.score, o.predicates))
        best = group[0]
        alike = [o for o in group if o.score >= 0.85 * best.score]
        iris = tuple(dict.fromkeys(iri for option in alike for iri in option.predicates))
        merged.append(Option(iris, best.label, best.forward, best.score, best.literal, best.numeric))
    yield from sorted(merged, key=lambda o: (-o.score, not o.forward, o.label, o.predicates))
