"""One parse: where we are in the question, what has been understood, and what the graph's vocabulary says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.morphology import label_stems_of, lemma_stem_of, quantities_of, split_label
from chattyshared.literals import parse_number

from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.draft import Draft
from chattykg.rulebook.legacy.reader import Reader
from chattykg.rulebook.legacy.units import unit_text

_NUMERIC = ("integer", "decimal", "double", "float", "int", "long", "short", "byte", "Integer", "number")


@dataclass(slots=True)
class Superlative:
    """``adjective`` ("" for most / least), whether more of it comes first, how many, how many are left out before."""

    adjective: str
    descending: bool
    limit: int = 1
    offset: int = 0
    count: bool = False
    least: bool = False


@dataclass(slots=True)
class Quantity:
    """A comparison with a number or date: operator and value."""

    operator: str
    value: str
    date: bool = False


@dataclass(slots=True)
class Noun:
    """A noun group that was read: its end (mention or unknown), and what its caller may have to act on."""

    end: str
    head: str = ""
    plural: bool = False
    named: bool = False
    number: bool = False
    is_class: bool = False
    literal: bool = False
    numeric: bool = False
    negative: bool = False
    counted: bool = False
    grouped: bool = False
    aggregate: str = ""
    quantity: Quantity | None = None
    superlative: Superlative | None = None
    columns: list[str] = field(default_factory=list)
    apposed: str = ""
    base: Noun | None = None


@dataclass(slots=True)
class Parse:
    """Reader, draft and card; ``after_noun`` reads what may follow a noun (nouns and clauses contain each other)."""

    reader: Reader
    draft: Draft
    card: VocabularyCard
    after_noun: Callable[[Parse, Noun], None]
    depth: int = 0
    asking: bool = False
    verb: str = ""
    inverted: bool = False
    owned: bool = False
    averaged: bool = False
    settings: list[str] = field(default_factory=list)
    grouped: list[str] = field(default_factory=list)
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    entries: dict[str, PredicateEntry] = field(default_factory=dict)
    roles: dict[str, PredicateEntry] = field(default_factory=dict)
    named_by: dict[str, PredicateEntry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.entries = {entry.iri: entry for entry in self.card.predicates}

    def entry(self, atom: Atom) -> PredicateEntry | None:
        """Return the predicate that an atom names best."""
        if atom.predicate is None:
            return None
        return next((self.entries[iri] for iri in atom.predicate.iris if iri in self.entries), None)

    def is_role(self, unknown: str, classes: Sequence[str] = ()) -> bool:
        """Tell whether a relational noun without base is a role that things play for others ("captain" of ships).

        With ``classes``: and that things of these classes do not have it.
        """
        entry = self.roles.get(unknown) if unknown in self.draft.pending else None
        return (
            entry is not None
            and entry.object_kind == "iri"
            and not self.card.expand_classes(classes).intersection(entry.domains)
        )

    def open_base(self, unknown: str) -> None:
        """Let a role be that of anything: all who play it are meant."""
        phrase = self.draft.pending.pop(unknown, "")
        self.draft.relate(self.draft.fresh("of " + phrase), phrase, unknown)
        self.groups[unknown] = self.roles[unknown].ranges

    def is_numeric(self, atom: Atom) -> bool:
        """Tell whether an atom names a predicate whose objects are numbers, dates or at least literals."""
        entry = self.entry(atom)
        return entry is not None and entry.object_kind == "literal"

    def holds_numbers(self, atom: Atom) -> bool:
        """Tell whether an atom names a predicate whose objects are numbers."""
        entry = self.entry(atom)
        return entry is not None and entry.object_kind == "literal" and _counts(entry)

    def quantity_noun(self, adjective: str, unknown: str = "") -> tuple[str, int]:
        """Return (relation phrase, 1 or -1) of the quantity that an adjective measures, as this graph names it.

        A predicate that holds more words than the quantity ("release date" for a date) is meant only where its
        domain is the unknown's class; one of another class only where the unknown's class is not known.
        """
        choices = quantities_of(adjective)
        groups = self.card.expand_classes(self.groups.get(unknown) or self.chosen)
        own = [e for e in self.card.predicates if e.object_kind != "iri" and groups.intersection(e.domains)]
        others = [] if own else self.card.predicates
        for entries, whole in ((own, False), (others, True)):
            for wanted, sign in ((set(label_stems_of(noun)), sign) for noun, sign in choices):
                for entry in entries:
                    said = set(label_stems_of(entry.label))
                    if said == wanted and entry.object_kind != "iri" if whole else wanted <= said:
                        return " ".join(split_label(entry.label)), sign
        return choices[0] if choices else (adjective, 1)

    def told_unit(self, phrase: str) -> str:
        """Return what tells the unit of a quantity that is named so: its label, or what its comment says besides."""
        entry = next((e for e in self.card.predicates if phrase in (e.label, " ".join(split_label(e.label)))), None)
        return unit_text(phrase, entry.comment) if entry is not None else phrase

    def time_noun(self, unknown: str, value: str) -> str:
        """Return how this graph calls the time of a thing of the unknown's class, if it has just one such predicate."""
        groups = self.card.expand_classes(self.groups.get(unknown, ()))
        own = [e for e in self.card.predicates if e.object_kind != "iri" and groups.intersection(e.domains)]
        for names in (("year",), ("date",)) if len(value) == 4 else (("date",), ("year",)):
            found = [
                entry for entry in own if set(label_stems_of(entry.label)) & {lemma_stem_of(name) for name in names}
            ]
            if len(found) == 1:
                return " ".join(split_label(found[0].label))
        return "date"


def _counts(entry: PredicateEntry) -> bool:
    if any(name.rsplit("#", 1)[-1] in _NUMERIC for name in entry.datatypes):
        return True
    return parse_number(entry.example[1]) is not None
