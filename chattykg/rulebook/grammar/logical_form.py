"""The logical form of a question as a QIR: conditions that depend on the graph are resolved with its vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.inflection import denote_persons
from chattyshared.language.morphology import (
    GENERIC_WORDS,
    analyze_phrase,
    drop_bracketed,
    label_stems_of,
    lemma_of,
    lemma_stem_of,
    split_label,
)
from chattyshared.language.scripts import strip_accents
from chattyshared.terms import DATE_DATATYPES

from chattykg.linking.answer_types import is_numeric_predicate
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Alternative, Filter, Having, Order, Relation, is_unknown
from chattykg.rulebook.grammar.meanings import SELF, Condition, Conditions, Meaning, put

_COMPLEMENTS = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "!=", "!=": "="}
_TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_DATES = frozenset(map(str, DATE_DATATYPES))
_KEY_NOUNS = frozenset(("number", "no", "id", "code"))
"""Nouns of predicates that state what a thing is numbered by."""
_LATE = frozenset(("degree", "degree_of", "superlative", "measure", "filter", "dated", "other"))
"""The kinds of conditions that need the class of a term or its relations, and so are written last."""
_LISTS = ("triples", "classes", "filters", "negated", "values")
"""The lists of a writer of whose conditions there may be alternatives."""


def write_qir(meaning: Meaning, card: VocabularyCard) -> QIR:
    """Return the QIR of a question."""
    writer = Writer(card)
    writer.write(meaning.conditions)
    ends = {end for relation in writer.triples for end in relation.ends()}
    if meaning.term not in ends.union(*writer.classes, *writer.values) and writer.negated:
        writer.classes.append((meaning.term, meaning.term[1:].partition("@")[0]))
    if meaning.shape == "count" or meaning.aggregate:
        writer.groups += [c[1] for c in meaning.conditions if c[0] == "each" and c[1] not in writer.groups]
    columns = (*writer.groups, meaning.term) if writer.groups else meaning.columns
    qir = QIR(
        shape=meaning.shape,  # type: ignore[arg-type]
        target="" if meaning.shape == "boolean" else meaning.term,
        triples=tuple(dict.fromkeys(writer.triples)),
        classes=tuple(dict.fromkeys(c for c in writer.classes if is_unknown(c[0]))),
        filters=tuple(dict.fromkeys(writer.filters)),
        negated=tuple(dict.fromkeys(writer.negated)),
        values=tuple(dict.fromkeys(writer.values)),
        either=tuple(writer.either),
        order=writer.order,
        having=tuple(writer.having),
        aggregate=meaning.aggregate,  # type: ignore[arg-type]
        targets=columns if len(columns) > 1 else (),
    )
    return rename_unknowns(qir)


@dataclass(slots=True)
class Writer:
    """A QIR in the making: a method ``_write_KIND`` for each kind of condition that has a form in the QIR."""

    card: VocabularyCard
    triples: list[Relation] = field(default_factory=list)
    negated: list[Relation] = field(default_factory=list)
    classes: list[tuple[str, str]] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    values: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    having: list[Having] = field(default_factory=list)
    either: list[tuple[Alternative, ...]] = field(default_factory=list)
    order: Order | None = None
    groups: list[str] = field(default_factory=list)
    is_negated: bool = False

    def write(self, conditions: Conditions) -> None:
        """Write conditions, those of a late kind last."""
        for kind, *parts in sorted(conditions, key=_is_late):
            if writer := getattr(self, f"_write_{kind}", None):
                writer(*parts)

    def _write_relation(self, subject: str, phrase: str, object_: str) -> None:
        if subject != object_:
            (self.negated if self.is_negated else self.triples).append(Relation(subject, phrase, object_))

    def _write_class(self, term: str, name: str) -> None:
        self.classes.append((term, name))

    def _write_values(self, term: str, names: tuple[str, ...]) -> None:
        self.values.append((term, names))

    def _write_group(self, term: str) -> None:
        self.groups.append(term)

    def _write_having(self, group: str, operator: Any, value: str, counted: str) -> None:
        self.having.append(Having(group, counted, operator, value))

    def _write_order(self, by: str, descending: bool, limit: int, offset: int, is_counted: bool) -> None:
        self.order = Order(by, descending, is_counted, limit, offset)

    def _write_filter(self, term: str, operator: Any, value: str, unit: str) -> None:
        phrase = next((t.relation for t in self.triples if t.object == term), "")
        keys = [entry for entry in self._own_predicates(term) if is_key(entry)] if operator == "=" else []
        if keys and any(unknown == term for unknown, _ in self.classes):  # "repair request 24025"
            phrase, thing, term = keys[0].label, term, f"?{keys[0].label}@{term[1:]}"
            self._write_relation(thing, phrase, term)
        self.filters.append(Filter(term, operator, value, unit))

    def _write_not(self, conditions: Conditions) -> None:
        """Write what must not hold; a value that must not pass a test passes its complement."""
        kind, term, *rest = conditions[0]
        if len(conditions) == 1 and kind == "filter":
            conditions, is_negated = (("filter", term, _COMPLEMENTS[rest[0]], *rest[1:]),), self.is_negated
        elif len(conditions) == 1 and kind == "class":
            conditions, is_negated = (("relation", term, "", rest[0]),), not self.is_negated
        else:
            is_negated = not self.is_negated
        before, self.is_negated = self.is_negated, is_negated
        self.write(conditions)
        self.is_negated = before

    def _write_either(self, *alternatives: Conditions) -> None:
        """Write alternatives; where none of them may hold, each must not hold."""
        if self.is_negated:
            return self.write(tuple(each for conditions in alternatives for each in conditions))
        found: list[Alternative] = []
        for conditions in alternatives:
            sizes = {name: len(getattr(self, name)) for name in _LISTS}
            self.write(conditions)
            added = (each for name, size in sizes.items() for each in getattr(self, name)[size:])
            found.append(tuple(dict.fromkeys(added)))
        self.either.append(tuple(found))

    def _write_flag(self, term: str, phrase: str, truths: tuple[str, str], value: str) -> None:
        """Write "heated"; what is not heated is one of which the graph states that it is not."""
        self.triples.append(Relation(term, phrase.replace("-", " "), value))
        self.filters.append(Filter(value, "=", truths[self.is_negated]))

    def _write_other(self, term: str) -> None:
        """Write "other": what a thing is not are the names that the question does not relate it to."""
        ends = [end for t in self.triples if term not in t.ends() for end in t.ends()]
        self.filters += [Filter(term, "!=", end) for end in ends if not is_unknown(end)]

    def _write_degree(self, term: str, adjective: str, quantities: Conditions, start: int) -> None:
        """Write "longer than 100 minutes", "300 mm wide"."""
        phrase, sign = self._quantity(adjective, term)
        value = f"?{phrase}@{start}"
        self._write_relation(term, phrase, value)
        for _, _, operator, number, unit in quantities:
            turned: Any = _TURNED.get(operator, operator) if sign < 0 else operator
            self.filters.append(Filter(value, turned, number, unit))

    def _write_degree_of(self, term: str, adjective: str, other: str, start: int, is_more: bool) -> None:
        """Write "longer than Glass Orchard"."""
        phrase, sign = self._quantity(adjective, term)
        mine, theirs = f"?{phrase}@{start}", f"?{phrase}@{start}b"
        self._write_relation(term, phrase, mine)
        self.triples.append(Relation(other, phrase, theirs))
        self.filters.append(Filter(mine, ">" if (sign > 0) == is_more else "<", theirs))

    def _write_dated(self, term: str, conditions: Conditions) -> None:
        """Write "in 2014" of a thing."""
        value = f"?date@{term[1:]}"
        self._write_relation(term, self._time_phrase(term), value)
        self.write(put(put(conditions, SELF, value), term, value))

    def _write_superlative(self, term: str, adjective: str, descending: bool, limit: int, offset: int) -> None:
        """Write "the longest film", "the second largest city", "the first film"."""
        phrase, sign = ("", 1) if adjective == "count" else self._quantity(adjective, term)
        if adjective == "first":
            phrase, sign = self._time_phrase(term), 1
        value = f"?{phrase}@{term[1:]}"
        self.triples.append(Relation(term, phrase, value))
        self.order = Order(value, descending == (sign > 0), False, limit, offset)

    def _write_measure(self, term: str, adjective: str, value: str) -> None:
        self.triples.append(Relation(term, self._quantity(adjective, term)[0], value))

    # Look-ups in the graph's vocabulary ------------------------------------------------------------------------------
    def _classes_of(self, term: str) -> frozenset[str]:
        """Return the IRIs of the classes of a term with their super- and subclasses."""
        named = {name for unknown, name in self.classes if unknown == term}
        iris = [iri for m in self.card.mentions_of_kind("class") if m.text in named for iri in m.iris]
        names = {name for unknown, listed in self.values if unknown == term for name in listed} | {term}
        if not is_unknown(term) or len(names) > 1:
            hits = (h for m in self.card.mentions_of_kind("vertex") if m.text in names for h in m.hits[:3])
            iris += [type_ for hit in hits for type_ in hit.types]
        return self.card.expand_classes(tuple(iris))

    def _own_predicates(self, term: str) -> list[PredicateEntry]:
        """Return the predicates of values whose domain is the class of a term."""
        groups = self._classes_of(term)
        return [e for e in self.card.predicates if e.object_kind != "iri" and groups.intersection(e.domains)]

    def _quantity(self, adjective: str, term: str) -> tuple[str, int]:
        """Return (relation phrase, 1 or -1) of the quantity that an adjective measures, as this graph names it.

        A predicate that holds more words than the quantity ("release date" for a date) is meant only where its domain
        is the term's class; one of another class only where the term's class is not known.
        """
        words = self.card.language.morphology
        choices = words.quantities_of(adjective)
        own = self._own_predicates(term)
        is_person = denote_persons(entry.label for entry in self.card.classes if entry.iri in self._classes_of(term))
        for noun, sign in choices:
            if is_person and sign < 0 and noun in GENERIC_WORDS:
                continue  # no date but that of the birth tells the age of a person
            wanted = set(words.stems_of(noun))
            for entry, name in self._names(own or self.card.predicates):
                stems = set(words.stems_of(name))
                if wanted <= stems if own else stems == wanted and entry.object_kind != "iri":
                    return " ".join(words.split_label(name)), sign
        mentioned = {
            m.iris[0] for m in self.card.mentions_of_kind("predicate") if m.text.lower() == adjective and m.iris
        }
        labels = (" ".join(split_label(e.label)) for e in self.card.predicates if e.iri in mentioned)
        return choices[0] if choices else (next(labels, adjective), 1)  # "bitterness" for "bitter"

    def _names(self, entries: Iterable[PredicateEntry]) -> Iterator[tuple[PredicateEntry, str]]:
        """Yield predicates with each of their labels, the first one without "(cm)"."""
        for entry in entries:
            yield entry, drop_bracketed(entry.label)
            yield from ((entry, name) for name in entry.names_in(self.card.language.tag))

    def _time_phrase(self, term: str) -> str:
        """Return how this graph calls the time of a term, if the term's class has just one such predicate."""
        own = self._own_predicates(term)
        named = ([e for e in own if lemma_stem_of(name) in label_stems_of(e.label)] for name in ("date", "year"))
        dated = [entry for entry in own if entry.datatypes and set(entry.datatypes) <= _DATES]
        found = next((entries for entries in (*named, dated) if len(entries) == 1), None)
        return " ".join(self.card.language.morphology.split_label(found[0].label)) if found else "date"

    def _entry(self, phrase: str) -> PredicateEntry | None:
        names = {phrase, phrase.lower()}
        named = ((e, drop_bracketed(e.label)) for e in self.card.predicates)
        return next((e for e, label in named if {e.label, label, " ".join(split_label(label))} & names), None)


def is_key(entry: PredicateEntry) -> bool:
    """Tell whether a predicate states the number of a thing, which no other of its kind has."""
    words = {*split_label(entry.label), *analyze_phrase(entry.label).lemmas}
    return entry.is_inverse_functional and is_numeric_predicate(entry) and not words.isdisjoint(_KEY_NOUNS)


def _is_late(condition: Condition) -> bool:
    """Tell whether a condition, or one of its alternatives, is of a late kind."""
    inner = (each for conditions in condition[1:] for each in conditions) if condition[0] == "either" else ()
    return condition[0] in _LATE or any(map(_is_late, inner))


def rename_unknowns(qir: QIR) -> QIR:
    """Return a QIR whose unknowns are named after their nouns: ``?film``, ``?film2``."""
    names: dict[str, str] = {}

    def rename(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(rename(inner) for inner in part)
        if isinstance(part, str):
            return _name(part, names) if is_unknown(part) and "@" in part else part
        if isinstance(part, (Relation, Filter, Having, Order)):
            return type(part)(*(rename(getattr(part, name)) for name in part.__slots__))
        return part

    return QIR(*(rename(getattr(qir, name)) for name in qir.__slots__))


def _name(term: str, names: dict[str, str]) -> str:
    if term not in names:
        words = re.findall(r"[a-z0-9]+", strip_accents(term[1:].partition("@")[0].lower()))
        stem = "_".join(lemma_of(word) for word in words[-2:])[:30] or "x"
        stem = f"x{stem}" if stem[0].isdigit() else stem
        number, found = 1, f"?{stem}"
        while found in names.values():
            number += 1
            found = f"?{stem}{number}"
        names[term] = found
    return names[term]
