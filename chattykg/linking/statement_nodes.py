"""Statement nodes: nodes without a name of their own that tie values together, found by the statistics of a graph.

They are events and posts with their dates, the rows of a join table, statements of Wikibase with qualifiers, and
measures (amount, unit).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.labels import label_predicates
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary
from chattyshared.language.lexicon import word_lists, word_set
from chattyshared.language.morphology import analyze_phrase
from rdflib.namespace import XSD

from chattykg.linking.answer_types import is_date_predicate, is_numeric_predicate, truth_values
from chattykg.qir import Relation

_WORDS = {key: frozenset(words) for key, words in word_lists("events", "node_attributes").items()}
_TIME_WORDS = word_set("dates", "role_words") | _WORDS["begin"] | _WORDS["end"]
_AMOUNT_WORDS = word_set("nouns", "amount_roles")
_CLAIM = re.compile(r"(.*/prop/)(P\d+)")
_QUALIFIER = "/prop/qualifier/"
_MAX_PREDICATES = 1_000
"""Predicates of the largest vocabulary that is searched for each question. Set by hand, for speed."""


@dataclass(frozen=True, slots=True)
class NodeSlot:
    """A predicate between a statement node and what it ties; ``is_outward``: the node is its subject."""

    entry: PredicateEntry
    is_outward: bool = True

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of what fills it."""
        return self.entry.ranges if self.is_outward else self.entry.domains

    @property
    def way(self) -> str:
        """The direction of its predicate at what fills it."""
        return "in" if self.is_outward else "out"

    @property
    def is_moment(self) -> bool:
        """Tell whether it holds dates or times of the day."""
        return is_date_predicate(self.entry) or str(XSD.time) in self.entry.datatypes

    def tie(self, node: str, end: str) -> Relation:
        """Return the relation between a node and what fills it."""
        return Relation(node, self.entry.iri, end) if self.is_outward else Relation(end, self.entry.iri, node)


@dataclass(frozen=True, slots=True)
class StatementNode:
    """A class of statement nodes: what they tie (``roles``) and their literals (``attributes``)."""

    entry: ClassEntry
    roles: tuple[NodeSlot, ...]
    attributes: tuple[NodeSlot, ...] = ()

    @property
    def slots(self) -> tuple[NodeSlot, ...]:
        """All its slots."""
        return (*self.roles, *self.attributes)

    @property
    def begin(self) -> NodeSlot | None:
        """The attribute for its begin."""
        return next((slot for slot in self._dated() if _has_word(slot.entry, _WORDS["begin"])), None)

    @property
    def end(self) -> NodeSlot | None:
        """The attribute for its end; None without one for its begin."""
        return (
            next((slot for slot in self._dated() if _has_word(slot.entry, _WORDS["end"])), None) if self.begin else None
        )

    @property
    def times(self) -> tuple[NodeSlot, ...]:
        """Its begin and its end, and the only other attribute for a time."""
        others = [slot for slot in self._dated() if slot not in (self.begin, self.end)]
        return tuple(filter(None, (self.begin, self.end, *(others if len(others) == 1 else ()))))

    def _dated(self) -> Iterator[NodeSlot]:
        for slot in self.attributes:
            is_time = _has_word(slot.entry, _TIME_WORDS)
            if is_date_predicate(slot.entry) or is_numeric_predicate(slot.entry) and is_time:
                yield slot


def find_statement_nodes(kg: KnowledgeGraph) -> tuple[StatementNode, ...]:
    """Return the statement nodes of a graph that tie two things or more; none of a vocabulary that is too large.

    They have no name and tie two things by two predicates; beside these they have literals, or are rows: nothing refers
    to them, and they refer to each thing once. An amount is none: that a length and an area point to it ties nothing.
    """
    if len(kg.vocabulary.predicates) > _MAX_PREDICATES:
        return ()
    return kg.remember("statement nodes", len(kg.vocabulary.predicates), lambda: _find_nodes(kg))


def _find_nodes(kg: KnowledgeGraph) -> tuple[StatementNode, ...]:
    vocabulary, names = kg.vocabulary, find_naming_predicates(kg)
    nameless = find_unlabelled_classes(vocabulary, names)
    roles: dict[str, list[NodeSlot]] = {iri: [] for iri in nameless}
    attributes: dict[str, list[NodeSlot]] = {iri: [] for iri in nameless}
    for entry in vocabulary.predicates.values():
        if entry.is_metadata:
            continue
        for domain in nameless.keys() & set(entry.domains):
            if entry.object_kind == "literal":
                attributes[domain].append(NodeSlot(entry))
            elif entry.ranges or entry.object_kind == "iri":
                roles[domain].append(NodeSlot(entry))
        for range_ in nameless.keys() & set(entry.ranges) if entry.object_kind != "literal" else ():
            roles[range_].append(NodeSlot(entry, is_outward=False))
    measures = find_measure_predicates(vocabulary, names)
    amounts = {iri for iri, entry in measures.items() if _has_word(entry, _AMOUNT_WORDS)}
    nodes = (StatementNode(e, tuple(roles[iri]), tuple(attributes[iri])) for iri, e in nameless.items())
    return (
        *(n for n in nodes if len(n.roles) > 1 and n.entry.iri not in amounts and (n.attributes or _is_row(n))),
        *_find_claims(vocabulary),
    )


def _is_row(node: StatementNode) -> bool:
    return all(slot.is_outward and slot.entry.is_functional for slot in node.roles)


def _find_claims(vocabulary: Vocabulary) -> Iterator[StatementNode]:
    """Yield the statements of each property of Wikibase: ``prop/P26`` leads to one, ``prop/statement/P26`` to its
    value, ``prop/qualifier/`` to its qualifiers.

    They have no class of their own: that of the node bears the IRI of ``prop/P26``.
    """
    predicates = vocabulary.predicates
    for claim, match in ((e, found) for e in predicates.values() if (found := _CLAIM.fullmatch(e.iri))):
        base, name = match.groups()
        value, direct = predicates.get(f"{base}statement/{name}"), predicates.get(f"{base}direct/{name}")
        if value is None or direct is None:
            continue
        holders = (vocabulary.classes[iri].label for iri in claim.domains[:1] if iri in vocabulary.classes)
        holder = NodeSlot(replace(claim, label=next(holders, ""), alt_labels=()), is_outward=False)
        named = replace(value, label=direct.label, alt_labels=direct.alt_labels)
        qualifiers = (e for e in predicates.values() if _QUALIFIER in e.iri and claim.iri in e.domains)
        slots = [NodeSlot(entry) for entry in (named, *qualifiers)]
        entry = ClassEntry(claim.iri, direct.label, direct.alt_labels, instance_count=claim.triple_count)
        literals = tuple(slot for slot in slots if slot.entry.object_kind == "literal")
        yield StatementNode(entry, (holder, *(slot for slot in slots if slot not in literals)), literals)


def find_naming_predicates(kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the predicates that name a vertex: labels, and label predicates of single classes that have a name word
    or are unique and called after the class ("unit code" of a unit).

    Other label predicates of a class ("character", "unit") state a property and do not name it.
    """
    predicates = kg.vocabulary.predicates
    name_parts = {half for both in kg.profile.name_pairs for half in both}
    known_labels = (iri for iri in label_predicates(kg.profile) if iri in predicates)
    codes = {iri for class_iri, iri in kg.profile.type_labels if _is_own_code(iri, class_iri, kg.vocabulary)}
    class_labels = (i for i in known_labels if i in name_parts | codes or _has_word(predicates[i], _WORDS["name"]))
    return tuple(dict.fromkeys((*kg.profile.labels, *class_labels)))


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
