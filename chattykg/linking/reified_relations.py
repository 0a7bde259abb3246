"""Vertices without labels: reified relations, which carry attributes, and measures (amount, unit)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.labels import label_predicates
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import analyze_phrase

from chattykg.linking.answer_types import is_date_predicate, is_numeric_predicate, truth_values

BEGIN_WORDS = frozenset("from since begin start join appoint valid commence".split())
END_WORDS = frozenset("to until end leave till thru through finish".split())
_TIME_WORDS = word_set("dates", "role_words")
_RANK_WORDS = frozenset("rank place position placing ranking finish standing".split())
_AMOUNT_WORDS = word_set("nouns", "amount_roles")
_NAME_WORDS = frozenset("name title label caption surname firstname lastname".split())
_CLAIM = re.compile(r"(.*/prop/)(P\d+)")
_QUALIFIER = "/prop/qualifier/"
_MAX_PREDICATES = 1_000
"""Predicates of the largest vocabulary that is searched for each question. Set by hand, for speed."""


@dataclass(frozen=True, slots=True)
class Role:
    """A predicate between a reified relation and what it links; ``is_outward``: the reified relation is its subject."""

    entry: PredicateEntry
    is_outward: bool

    @property
    def filler_classes(self) -> tuple[str, ...]:
        """The classes of its fillers."""
        return self.entry.ranges if self.is_outward else self.entry.domains


@dataclass(frozen=True, slots=True)
class ReifiedRelation:
    """A class of reified relations: what they link (``roles``) and their literals (``attributes``)."""

    entry: ClassEntry
    roles: tuple[Role, ...]
    attributes: tuple[PredicateEntry, ...]

    @property
    def begin_attribute(self) -> PredicateEntry | None:
        """The attribute for the begin of the relation."""
        return next((e for e in self._dated() if _has_word(e, BEGIN_WORDS)), None)

    @property
    def end_attribute(self) -> PredicateEntry | None:
        """The attribute for the end of the relation; None without one for its begin."""
        return next((e for e in self._dated() if _has_word(e, END_WORDS)), None) if self.begin_attribute else None

    @property
    def time_attribute(self) -> PredicateEntry | None:
        """The only attribute for the time of the relation, besides begin and end."""
        entries = [e for e in self._dated() if e not in (self.begin_attribute, self.end_attribute)]
        return entries[0] if len(entries) == 1 else None

    @property
    def rank_attribute(self) -> PredicateEntry | None:
        """The attribute for a rank."""
        numeric = (e for e in self.attributes if is_numeric_predicate(e))
        return next(
            (e for e in numeric if analyze_phrase(e.label).content_lemmas[-1:] and _has_word(e, _RANK_WORDS)), None
        )

    def _dated(self) -> Iterator[PredicateEntry]:
        for entry in self.attributes:
            if is_date_predicate(entry) or (
                is_numeric_predicate(entry) and _has_word(entry, _TIME_WORDS | BEGIN_WORDS | END_WORDS)
            ):
                yield entry


def find_naming_predicates(kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the predicates that name a vertex: labels, and label predicates of single classes that have a name word
    or are unique and called after the class ("unit code" of a unit).

    Other label predicates of a class ("character", "unit") state a property and do not name it.
    """
    predicates = kg.vocabulary.predicates
    name_parts = {half for both in kg.profile.name_pairs for half in both}
    known_labels = (iri for iri in label_predicates(kg.profile) if iri in predicates)
    codes = {iri for class_iri, iri in kg.profile.type_labels if _is_own_code(iri, class_iri, kg.vocabulary)}
    class_labels = (i for i in known_labels if i in name_parts | codes or _has_word(predicates[i], _NAME_WORDS))
    return tuple(dict.fromkeys((*kg.profile.labels, *class_labels)))


def find_reified_relations(vocabulary: Vocabulary, labels: tuple[str, ...]) -> tuple[ReifiedRelation, ...]:
    """Return the classes of reified relations: without labels, with literals, and with two roles or more.

    Amounts are none: a length and an area that point to values with units do not relate what has them.
    Empty for a vocabulary of more than `_MAX_PREDICATES` predicates.
    """
    if len(vocabulary.predicates) > _MAX_PREDICATES:
        return ()
    unlabelled = find_unlabelled_classes(vocabulary, labels)
    roles: dict[str, list[Role]] = {iri: [] for iri in unlabelled}
    attributes: dict[str, list[PredicateEntry]] = {iri: [] for iri in unlabelled}
    for entry in vocabulary.predicates.values():
        if entry.is_metadata:
            continue
        for domain in entry.domains:
            if domain in unlabelled and entry.object_kind == "literal":
                attributes[domain].append(entry)
            elif domain in unlabelled and (entry.ranges or entry.object_kind == "iri"):
                roles[domain].append(Role(entry, True))
        for range_ in entry.ranges:
            if range_ in unlabelled and entry.object_kind != "literal":
                roles[range_].append(Role(entry, False))
    measures = find_measure_predicates(vocabulary, labels)
    amounts = {iri for iri, entry in measures.items() if _has_word(entry, _AMOUNT_WORDS)}
    return tuple(
        ReifiedRelation(entry, tuple(roles[iri]), tuple(attributes[iri]))
        for iri, entry in unlabelled.items()
        if len(roles[iri]) > 1 and attributes[iri] and iri not in amounts
    )


def find_statement_relations(vocabulary: Vocabulary) -> tuple[ReifiedRelation, ...]:
    """Return the reified relations of Wikibase: the statements of each property, with qualifiers.

    In its RDF, ``prop/P26`` leads to a statement, ``prop/statement/P26`` from there to the value, ``prop/qualifier/``
    to what qualifies it. Statements have no class of their own: that of the relation bears the IRI of ``prop/P26``.
    """
    if len(vocabulary.predicates) > _MAX_PREDICATES:
        return ()
    claims = ((e, match) for e in vocabulary.predicates.values() if (match := _CLAIM.fullmatch(e.iri)))
    return tuple(made for entry, match in claims if (made := _statements(entry, match, vocabulary)))


def _statements(claim: PredicateEntry, match: re.Match[str], vocabulary: Vocabulary) -> ReifiedRelation | None:
    base, name = match.groups()
    predicates = vocabulary.predicates
    value, direct = predicates.get(f"{base}statement/{name}"), predicates.get(f"{base}direct/{name}")
    if value is None or direct is None:
        return None
    holders = [vocabulary.classes[iri].label for iri in claim.domains[:1] if iri in vocabulary.classes]
    named = replace(value, label=direct.label, alt_labels=direct.alt_labels)
    slots = [named, *(e for e in predicates.values() if _QUALIFIER in e.iri and claim.iri in e.domains)]
    roles = (Role(e, True) for e in slots if e.object_kind != "literal")
    return ReifiedRelation(
        ClassEntry(claim.iri, direct.label, direct.alt_labels, instance_count=claim.triple_count),
        (Role(replace(claim, label=next(iter(holders), ""), alt_labels=()), False), *roles),
        tuple(e for e in slots if e.object_kind == "literal"),
    )


def find_measure_predicates(vocabulary: Vocabulary, labels: tuple[str, ...]) -> Mapping[str, PredicateEntry]:
    """Return the predicate of the number, by class, for each class without labels that has literals only."""
    if len(vocabulary.predicates) > _MAX_PREDICATES:
        return {}
    numeric: dict[str, list[PredicateEntry]] = {iri: [] for iri in find_unlabelled_classes(vocabulary, labels)}
    for entry in vocabulary.predicates.values():
        for domain in entry.domains if not entry.is_metadata else ():
            if domain in numeric and entry.object_kind != "literal":
                del numeric[domain]
            elif domain in numeric and is_numeric_predicate(entry) and entry.is_functional and not truth_values(entry):
                numeric[domain].append(entry)
    chosen = {iri: [e for e in entries if _has_word(e, _AMOUNT_WORDS)] or entries for iri, entries in numeric.items()}
    return {iri: entries[0] for iri, entries in chosen.items() if len(entries) == 1}


def find_unlabelled_classes(vocabulary: Vocabulary, labels: tuple[str, ...]) -> dict[str, ClassEntry]:
    """Return the classes with instances that no predicate of ``labels`` names, by IRI."""
    labelled = {
        iri for label in labels if label in vocabulary.predicates for iri in vocabulary.predicates[label].domains
    }
    return {
        e.iri: e
        for e in vocabulary.classes.values()
        if e.instance_count and not e.is_metadata and e.iri not in labelled
    }


def _is_own_code(iri: str, class_iri: str, vocabulary: Vocabulary) -> bool:
    entry, named = vocabulary.predicates.get(iri), vocabulary.classes.get(class_iri)
    if entry is None or named is None or not entry.is_inverse_functional:
        return False
    return analyze_phrase(named.label).stems < analyze_phrase(entry.label).stems


def _has_word(entry: PredicateEntry, words: frozenset[str]) -> bool:
    return bool(words & {*analyze_phrase(entry.label).words, *analyze_phrase(entry.label).lemmas})
