"""The logical form of a question as a QIR: conditions that depend on the graph are resolved with its vocabulary."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.morphology import drop_bracketed, label_stems_of, lemma_of, lemma_stem_of, split_label
from chattyshared.language.quantities import convert_unit, text_with_unit
from chattyshared.language.scripts import strip_accents
from chattyshared.terms import DATE_DATATYPES

from chattykg.linking.answer_types import is_numeric_predicate
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Alternative, Filter, Having, Order, Relation, is_unknown
from chattykg.rulebook.grammar.meanings import SELF, Condition, Conditions, Meaning, put


@dataclass(slots=True)
class Writer:
    """A QIR in the making."""

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
    aggregate: str = ""
    is_negated: bool = False

    def write(self, conditions: Conditions) -> None:
        """Write conditions; those that need the class of a term or its relations come last, those on words nowhere."""
        for condition in sorted((c for c in conditions if c[0] in _WRITERS), key=_is_late):
            _WRITERS[condition[0]](self, condition)

    def classes_of(self, term: str) -> frozenset[str]:
        """Return the IRIs of the classes of a term with their super- and subclasses."""
        named = {name for unknown, name in self.classes if unknown == term}
        mentions = (m for m in self.card.mentions_of_kind("class") if m.text in named)
        iris = [iri for mention in mentions for iri in mention.iris]
        if not iris:
            iris = [iri for t in self.triples if t.object == term for iri in self._objects_of(t)]
        names = {name for unknown, listed in self.values if unknown == term for name in listed} | {term}
        if not is_unknown(term) or len(names) > 1:
            hits = (h for m in self.card.mentions_of_kind("vertex") if m.text in names for h in m.hits[:3])
            iris += [type_ for hit in hits for type_ in hit.types]
        return self.card.expand_classes(tuple(iris))

    def quantity(self, adjective: str, term: str) -> tuple[str, int]:
        """Return (relation phrase, 1 or -1) of the quantity that an adjective measures, as this graph names it.

        A predicate that holds more words than the quantity ("release date" for a date) is meant only where its domain
        is the term's class; one of another class only where the term's class is not known.
        """
        words = self.card.language.morphology
        choices = words.quantities_of(adjective)
        groups = self.classes_of(term)
        own = [e for e in self.card.predicates if e.object_kind != "iri" and groups.intersection(e.domains)]
        others = [] if own else list(self.card.predicates)
        for entries, is_whole in ((own, False), (others, True)):
            for wanted, sign in ((set(words.stems_of(noun)), sign) for noun, sign in choices):
                for entry, name in self._names(entries):
                    stems = set(words.stems_of(name))
                    if stems == wanted and entry.object_kind != "iri" if is_whole else wanted <= stems:
                        return " ".join(words.split_label(name)), sign
        return choices[0] if choices else (self._label_of(adjective), 1)

    def _label_of(self, words: str) -> str:
        """Return the label of the predicate that words mention ("bitterness" for "bitter"), else the words."""
        iris = {m.iris[0] for m in self.card.mentions_of_kind("predicate") if m.text.lower() == words and m.iris}
        return next((" ".join(split_label(e.label)) for e in self.card.predicates if e.iri in iris), words)

    def _names(self, entries: Iterable[PredicateEntry]) -> Iterator[tuple[PredicateEntry, str]]:
        """Yield predicates with each of their labels, the first one without "(cm)"."""
        for entry in entries:
            yield entry, drop_bracketed(entry.label)
            yield from ((entry, name) for name in entry.names_in(self.card.language.tag))

    def time_phrase(self, term: str) -> str:
        """Return how this graph calls the time of a term, if the term's class has just one such predicate."""
        groups = self.classes_of(term)
        own = [e for e in self.card.predicates if e.object_kind != "iri" and groups.intersection(e.domains)]
        named = ([e for e in own if lemma_stem_of(name) in label_stems_of(e.label)] for name in ("date", "year"))
        dated = [entry for entry in own if entry.datatypes and set(entry.datatypes) <= _DATES]
        found = next((entries for entries in (*named, dated) if len(entries) == 1), None)
        return " ".join(self.card.language.morphology.split_label(found[0].label)) if found else "date"

    def only_number(self, term: str) -> str:
        """Return how this graph calls the one number, ids and years apart, that it states of a term's class, if any."""
        groups = self.classes_of(term)
        own = [e for e in self.card.predicates if is_numeric_predicate(e) and groups.intersection(e.domains)]
        names = [" ".join(split_label(e.label)) for e in own if _NO_AMOUNTS.isdisjoint(label_stems_of(e.label))]
        return names[0] if len(names) == 1 else ""

    def in_unit_of(self, phrase: str, value: str, unit: str) -> str:
        """Return a number in the unit in which the graph keeps the values of a predicate."""
        entry = self._entry(phrase)
        unit_of_texts = getattr(entry.text_reading, "unit", "") if entry else ""
        kept = unit_of_texts or (text_with_unit(entry.label, entry.comment) if entry else phrase)
        return convert_unit(value, unit, kept) if unit else value

    def _entry(self, phrase: str) -> PredicateEntry | None:
        names = {phrase, phrase.lower()}
        named = ((e, drop_bracketed(e.label)) for e in self.card.predicates)
        return next((e for e, label in named if {e.label, label, " ".join(split_label(label))} & names), None)

    def _objects_of(self, relation: Relation) -> tuple[str, ...]:
        """Return the classes of what a relation leads to: its predicate may be read either way."""
        mentions = (m for m in self.card.mentions_of_kind("predicate") if m.text == relation.relation)
        iris = {iri for mention in mentions for iri in mention.iris[:1]}
        subjects = frozenset() if is_unknown(relation.subject) else self.classes_of(relation.subject)
        entries = [entry for entry in self.card.predicates if entry.iri in iris]
        is_inverse = any(subjects.intersection(e.ranges) and not subjects.intersection(e.domains) for e in entries)
        return tuple(iri for e in entries for iri in (e.domains if is_inverse else e.ranges))

    def phrase_of(self, term: str) -> str:
        """Return the relation phrase that an unknown is the value of."""
        return next((t.relation for t in self.triples if t.object == term), "")


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
        stem = "_".join(lemma_of(word) for word in words[-2:]).replace("-", "_")[:30] or "x"
        stem = f"x{stem}" if stem[0].isdigit() else stem
        number, found = 1, f"?{stem}"
        while found in names.values():
            number += 1
            found = f"?{stem}{number}"
        names[term] = found
    return names[term]


# ----------------------------------------------------------------------------------------------------------- conditions
def _relation(writer: Writer, condition: Condition) -> None:
    _, subject, phrase, object_ = condition
    if subject != object_:
        (writer.negated if writer.is_negated else writer.triples).append(Relation(subject, phrase, object_))


def _class(writer: Writer, condition: Condition) -> None:
    writer.classes.append(condition[1:])


def _not(writer: Writer, condition: Condition) -> None:
    """Write what must not hold; a value that must not pass a test passes its complement."""
    kind, term, *rest = condition[1][0]
    if len(condition[1]) == 1 and kind == "filter":
        return writer.write((("filter", term, _COMPLEMENTS[rest[0]], *rest[1:]),))
    if len(condition[1]) == 1 and kind == "class":
        return _not(writer, ("not", (("relation", term, "", rest[0]),)))
    writer.is_negated = not writer.is_negated
    writer.write(condition[1])
    writer.is_negated = not writer.is_negated


def _filter(writer: Writer, condition: Condition) -> None:
    _, term, operator, value, unit = (*condition, "")[:5]
    writer.filters.append(Filter(term, operator, writer.in_unit_of(writer.phrase_of(term), value, unit)))


def _flag(writer: Writer, condition: Condition) -> None:
    """Write "heated"; what is not heated is one of which the graph states that it is not."""
    _, term, phrase, truths, value = condition
    writer.triples.append(Relation(term, phrase.replace("-", " "), value))
    writer.filters.append(Filter(value, "=", truths[writer.is_negated]))


def _values(writer: Writer, condition: Condition) -> None:
    writer.values.append(condition[1:])


def _either(writer: Writer, condition: Condition) -> None:
    """Write alternatives; where none of them may hold, each must not hold."""
    if writer.is_negated:
        return writer.write(tuple(each for conditions in condition[1:] for each in conditions))
    branches = [copy(writer) for _ in condition[1:]]
    sizes = {name: len(getattr(writer, name)) for name in _LISTS}
    alternatives: list[Alternative] = []
    for branch in branches:
        for name in _LISTS:
            setattr(branch, name, [*getattr(writer, name)])
    for branch, conditions in zip(branches, condition[1:], strict=True):
        branch.write(conditions)
        added = {name: getattr(branch, name)[sizes[name] :] for name in _LISTS}
        alternatives.append(tuple(dict.fromkeys(each for name in _LISTS for each in added[name])))
        for name in _LISTS:
            getattr(writer, name).extend(added[name])
    writer.either.append(tuple(alternatives))


def _having(writer: Writer, condition: Condition) -> None:
    _, group, operator, value, counted = condition
    writer.having.append(Having(group, counted, operator, value))


def _group(writer: Writer, condition: Condition) -> None:
    writer.groups.append(condition[1])


def _order(writer: Writer, condition: Condition) -> None:
    _, by, descending, limit, offset, is_counted = condition
    writer.order = Order(by, descending, is_counted, limit, offset)


def _alphabetical(writer: Writer, condition: Condition) -> None:
    """Write "in alphabetical order": a thing is sorted by its name, a value by itself."""
    _, term, descending = condition
    by = f"?name@{term[1:]}" if any(unknown == term for unknown, _ in writer.classes) else term
    if by != term:
        writer.triples.append(Relation(term, "name", by))
    writer.order = Order(by, descending, False, 0, 0)


def _by_frequency(writer: Writer, condition: Condition) -> None:
    """Write "by count": what a thing is sorted by are those that have it."""
    owner = next((t.subject for t in writer.triples if t.object == condition[1] and is_unknown(t.subject)), "")
    writer.order = Order(owner, condition[2], True, 0, 0) if owner else None


def _other(writer: Writer, condition: Condition) -> None:
    """Write "other": what a thing is not are the names that the question does not relate it to."""
    ends = [end for t in writer.triples if condition[1] not in t.ends() for end in t.ends()]
    writer.filters += [Filter(condition[1], "!=", end) for end in ends if not is_unknown(end)]


def _degree(writer: Writer, condition: Condition) -> None:
    """Write "longer than 100 minutes", "300 mm wide"."""
    _, term, adjective, quantities, start = condition
    phrase, sign = writer.quantity(adjective, term)
    if not start and writer._entry(phrase) is None:
        phrase = writer.only_number(term) or phrase  # "those above 20", where nothing has a price
    value = f"?{phrase}@{start}"
    _relation(writer, ("relation", term, phrase, value))
    for _, _, operator, number, unit in quantities:
        turned = _TURNED.get(operator, operator) if sign < 0 else operator
        writer.filters.append(Filter(value, turned, writer.in_unit_of(phrase, number, unit)))


def _degree_of(writer: Writer, condition: Condition) -> None:
    """Write "longer than Glass Orchard"."""
    _, term, adjective, other, start, is_more = condition
    phrase, sign = writer.quantity(adjective, term)
    sign = sign if is_more else -sign
    mine, theirs = f"?{phrase}@{start}", f"?{phrase}@{start}b"
    _relation(writer, ("relation", term, phrase, mine))
    writer.triples.append(Relation(other, phrase, theirs))
    writer.filters.append(Filter(mine, ">" if sign > 0 else "<", theirs))


def _dated(writer: Writer, condition: Condition) -> None:
    """Write "in 2014" of a thing."""
    _, term, conditions = condition
    value = f"?date@{term[1:]}"
    _relation(writer, ("relation", term, writer.time_phrase(term), value))
    writer.write(put(put(conditions, SELF, value), term, value))


def _superlative(writer: Writer, condition: Condition) -> None:
    """Write "the longest film", "the second largest city", "the first film"."""
    _, term, adjective, descending, limit, offset = condition
    if adjective in ("count", "first"):
        phrase, sign = (writer.time_phrase(term), 1) if adjective == "first" else ("", 1)
    else:
        phrase, sign = writer.quantity(adjective, term)
    value = f"?{phrase}@{term[1:]}"
    writer.triples.append(Relation(term, phrase, value))
    writer.order = Order(value, descending == (sign > 0), False, limit, offset)


def _measure(writer: Writer, condition: Condition) -> None:
    _, term, adjective, value = condition
    writer.triples.append(Relation(term, writer.quantity(adjective, term)[0], value))


def _exceeds(writer: Writer, condition: Condition) -> None:
    _, term, operator, other = condition
    phrase, value = writer.phrase_of(term), f"?{writer.phrase_of(term)}@{term[1:]}b"
    writer.triples.append(Relation(other, phrase, value))
    writer.filters.append(Filter(term, operator, value))


_WRITERS: dict[str, Callable[[Writer, Condition], None]] = {
    function.__name__[1:]: function
    for function in (
        _relation, _class, _not, _either, _filter, _flag, _values, _having, _group, _order, _alphabetical,
        _by_frequency, _other, _degree, _degree_of, _dated, _superlative, _measure, _exceeds,
    )
}  # fmt: skip
"""The functions that write conditions, by the kind of the condition."""
_COMPLEMENTS = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "!=", "!=": "="}
_DATES = frozenset(str(datatype) for datatype in DATE_DATATYPES)
_NO_AMOUNTS = frozenset(map(lemma_stem_of, ("id", "number", "code", "year", "date")))
"""Stems of labels of numbers that are no amounts."""
_TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_LISTS = ("triples", "classes", "filters", "negated", "values")
"""The lists of a writer of whose conditions there may be alternatives."""
_LATE = frozenset(
    ("degree", "degree_of", "superlative", "measure", "filter", "exceeds", "alphabetical", "by_frequency", "dated")
) | {"other"}


def _is_late(condition: Condition) -> bool:
    """Tell whether a condition, or one of its alternatives, is of a kind that is written last."""
    inner = (each for conditions in condition[1:] for each in conditions) if condition[0] == "either" else ()
    return condition[0] in _LATE or any(map(_is_late, inner))
