"""Vertices without names: connectors, which stand for a relation with attributes, and measures (amount, unit)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.labels import label_predicates
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import analyze_phrase

from chattykg.linking.answer_types import is_date_predicate, is_numeric_predicate

_BEGIN = frozenset("from since begin start join appoint valid commence".split())
_END = frozenset("to until end leave till thru through finish".split())
_TIMES = word_set("dates", "role_words")
_RANKS = frozenset("rank place position placing ranking finish standing".split())
_AMOUNTS = word_set("nouns", "amount_roles")
_NAMING = frozenset("name title label caption surname firstname lastname".split())
_MOST_PREDICATES = 1_000


@dataclass(frozen=True, slots=True)
class Role:
    """A predicate between a connector and what it links; ``outward``: the connector is its subject."""

    entry: PredicateEntry
    is_outward: bool

    @property
    def filler_classes(self) -> tuple[str, ...]:
        """The classes of what may fill it."""
        return self.entry.ranges if self.is_outward else self.entry.domains


@dataclass(frozen=True, slots=True)
class ReifiedRelation:
    """A class of connectors: what its vertices link (``roles``) and the literals that they carry (``attributes``)."""

    entry: ClassEntry
    roles: tuple[Role, ...]
    attributes: tuple[PredicateEntry, ...]

    @property
    def begin_attribute(self) -> PredicateEntry | None:
        """The attribute that says from when it held."""
        return next((e for e in self._dated() if _says(e, _BEGIN)), None)

    @property
    def end_attribute(self) -> PredicateEntry | None:
        """The attribute that says until when it held; none where nothing says from when."""
        return next((e for e in self._dated() if _says(e, _END)), None) if self.begin_attribute else None

    @property
    def time_attribute(self) -> PredicateEntry | None:
        """The one attribute that says when it was."""
        found = [e for e in self._dated() if e not in (self.begin_attribute, self.end_attribute)]
        return found[0] if len(found) == 1 else None

    @property
    def rank_attribute(self) -> PredicateEntry | None:
        """The attribute that holds a position among several."""
        numeric = (e for e in self.attributes if is_numeric_predicate(e))
        return next((e for e in numeric if analyze_phrase(e.label).content_lemmas[-1:] and _says(e, _RANKS)), None)

    def _dated(self) -> Iterator[PredicateEntry]:
        for entry in self.attributes:
            if is_date_predicate(entry) or (is_numeric_predicate(entry) and _says(entry, _TIMES | _BEGIN | _END)):
                yield entry


def find_naming_predicates(kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the predicates that name a vertex: labels, and those of single classes that say that they are names.

    Some class may be shown by another text ("character", "unit"), which is told of it and does not name it.
    """
    known = kg.vocabulary.predicates
    halves = {half for both in kg.profile.name_pairs for half in both}
    stated = (iri for iri in label_predicates(kg.profile) if iri in known)
    own = (iri for iri in stated if iri in halves or _says(known[iri], _NAMING))
    return tuple(dict.fromkeys((*kg.profile.labels, *own)))


def find_reified_relations(vocabulary: Vocabulary, labels: tuple[str, ...]) -> tuple[ReifiedRelation, ...]:
    """Return the classes of connectors: without labels, with literals of their own, and linking two things or more.

    None of a vocabulary that is too large to be looked through for each question.
    """
    if len(vocabulary.predicates) > _MOST_PREDICATES:
        return ()
    nameless = _nameless(vocabulary, labels)
    roles: dict[str, list[Role]] = {iri: [] for iri in nameless}
    attributes: dict[str, list[PredicateEntry]] = {iri: [] for iri in nameless}
    for entry in vocabulary.predicates.values():
        if entry.is_metadata:
            continue
        for domain in entry.domains:
            if domain in nameless and entry.object_kind == "literal":
                attributes[domain].append(entry)
            elif domain in nameless and entry.ranges:
                roles[domain].append(Role(entry, True))
        for range_ in entry.ranges:
            if range_ in nameless and entry.object_kind != "literal":
                roles[range_].append(Role(entry, False))
    return tuple(
        ReifiedRelation(entry, tuple(roles[iri]), tuple(attributes[iri]))
        for iri, entry in nameless.items()
        if len(roles[iri]) > 1 and attributes[iri]
    )


def find_measure_predicates(vocabulary: Vocabulary, labels: tuple[str, ...]) -> Mapping[str, PredicateEntry]:
    """Return the predicate that holds the number, for each class without labels that has literals and links nothing."""
    if len(vocabulary.predicates) > _MOST_PREDICATES:
        return {}
    found: dict[str, list[PredicateEntry]] = {iri: [] for iri in _nameless(vocabulary, labels)}
    for entry in vocabulary.predicates.values():
        for domain in entry.domains if not entry.is_metadata else ():
            if domain in found and entry.object_kind != "literal":
                del found[domain]
            elif domain in found and is_numeric_predicate(entry) and entry.is_functional:
                found[domain].append(entry)
    chosen = {iri: [e for e in listed if _says(e, _AMOUNTS)] or listed for iri, listed in found.items()}
    return {iri: listed[0] for iri, listed in chosen.items() if len(listed) == 1}


def _nameless(vocabulary: Vocabulary, labels: tuple[str, ...]) -> dict[str, ClassEntry]:
    named = {iri for label in labels if label in vocabulary.predicates for iri in vocabulary.predicates[label].domains}
    return {
        e.iri: e for e in vocabulary.classes.values() if e.instance_count and not e.is_metadata and e.iri not in named
    }


def _says(entry: PredicateEntry, words: frozenset[str]) -> bool:
    return bool(words & {*analyze_phrase(entry.label).words, *analyze_phrase(entry.label).lemmas})
