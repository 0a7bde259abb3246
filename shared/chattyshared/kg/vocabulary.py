"""What a KG holds, as values: classes and predicates in use, type counts, edges, and search hits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal
from typing import Literal as Choice

from rdflib import URIRef

from chattyshared.kg.text_readings import TextKind
from chattyshared.terms import Term

Direction = Choice["out", "in", "both"]


@dataclass(frozen=True, slots=True)
class TypeCount:
    """A class with its label and the number of its entities (those of subclasses not included).

    ``error`` is 0 for a count, else half the width of the estimate's 95 % confidence interval.
    """

    iri: str
    label: str
    count: int
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class LiteralPredicate:
    """A literal predicate of a type: share of the entities that have it (0..1), sample values, datatype."""

    iri: str
    label: str
    share: float
    samples: tuple[str, ...]
    datatype: str
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """One triple around an entity.

    ``direction`` is ``out`` where the entity is the subject. ``label`` and
    ``types`` are those of the far end. ``cardinality`` counts, before any limit, the triples that share the near end,
    the predicate and the direction.
    """

    subject: Term
    predicate: URIRef
    object: Term
    direction: Choice["out", "in"]
    label: str
    types: tuple[str, ...]
    cardinality: int

    @property
    def far_end(self) -> Term:
        """The end farther from the entity."""
        return self.object if self.direction == "out" else self.subject


@dataclass(frozen=True, slots=True)
class RowKey:
    """The predicate of the numbers that tell the rows of a class apart, and the noun for a row: order 1042."""

    predicate: str
    noun: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A vertex found by words: its best label, its score (0..1; 1 is exact), and its types.

    ``matched_label`` is the label or alternative label that matched.
    """

    iri: str
    label: str
    matched_label: str
    score: float
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LiteralHit:
    """A literal found by words: the term, its predicates, and its score (0..1)."""

    value: Term
    predicates: tuple[str, ...]
    score: float


_MAX_REMEMBERED = 4_096


@dataclass(frozen=True, slots=True)
class ClassEntry:
    """One class: IRI, labels, comment, direct superclasses, and the number of its direct instances.

    ``foreign_labels`` are labels in other languages that the rules read than the first one, each behind its tag.
    """

    iri: str
    label: str
    alt_labels: tuple[str, ...] = ()
    comment: str = ""
    direct_superclasses: tuple[str, ...] = ()
    instance_count: int = 0
    is_metadata: bool = False
    foreign_labels: tuple[tuple[str, str], ...] = ()

    def names_in(self, tag: str) -> tuple[str, ...]:
        """Return the labels that a question in a language may use."""
        return (self.label, *self.alt_labels, *(label for language, label in self.foreign_labels if language == tag))


@dataclass(frozen=True, slots=True)
class PredicateEntry:
    """One predicate in use.

    ``object_kind`` is the kind of its objects; ``domains``, ``ranges`` (classes) and ``datatypes`` have the most
    frequent first; ``example`` holds the labels of one subject and object. ``values`` are the labels of its objects if
    they are few, most frequent first: all of them if ``has_all_values``, else those of a sample. ``is_functional``: no
    subject has two objects (measured, not declared); ``is_inverse_functional``: no two subjects share an object.
    ``foreign_labels`` are as those of a class. ``text_reading`` tells how its texts are read
    (None: unknown).
    """

    iri: str
    label: str
    alt_labels: tuple[str, ...] = ()
    comment: str = ""
    triple_count: int = 0
    subject_count: int = 0
    object_kind: Literal["iri", "literal", "mixed"] = "iri"
    domains: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    datatypes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    example: tuple[str, str] = ("", "")
    values: tuple[str, ...] = ()
    has_all_values: bool = False
    is_functional: bool = False
    is_inverse_functional: bool = False
    is_metadata: bool = False
    foreign_labels: tuple[tuple[str, str], ...] = ()
    text_reading: TextKind | None = None

    def __hash__(self) -> int:
        return hash(self.iri)  # quick, for the caches of what is made of an entry

    def names_in(self, tag: str) -> tuple[str, ...]:
        """Return the labels that a question in a language may use."""
        return (self.label, *self.alt_labels, *(label for language, label in self.foreign_labels if language == tag))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All classes and predicates by IRI, most frequent first; ``languages`` are the tags of their labels (``de``).

    ``spoken_names`` are the words that people say for each, "" if it has none; ``table_terms`` those that only the name
    of a table or column names.
    """

    classes: Mapping[str, ClassEntry] = field(default_factory=dict)
    predicates: Mapping[str, PredicateEntry] = field(default_factory=dict)
    languages: frozenset[str] = frozenset()
    spoken_names: Mapping[str, str] = field(default_factory=dict)
    table_terms: frozenset[str] = frozenset()
    _edges_by_direction: dict[str, Mapping[str, tuple[str, ...]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _closures: dict[tuple[str, tuple[str, ...]], frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def superclasses(self, *iris: str) -> frozenset[str]:
        """Return classes with all their direct and indirect superclasses (safe on cycles)."""
        return self._closure("up", iris)

    def subclasses(self, *iris: str) -> frozenset[str]:
        """Return classes with all their direct and indirect subclasses (safe on cycles)."""
        return self._closure("down", iris)

    def may_share_members(self, classes: Collection[str], others: Collection[str]) -> bool:
        """Tell whether a thing of some classes may be of the others: one is above the other, or a side is unknown."""
        if not classes or not others:
            return True
        return not (self.superclasses(*classes).isdisjoint(others) and self.superclasses(*others).isdisjoint(classes))

    def _closure(self, direction: Literal["up", "down"], starts: tuple[str, ...]) -> frozenset[str]:
        """Return the closure in the hierarchy; results are cached, since the same few classes recur."""
        classes = self._closures.get((direction, starts))
        if classes is None:
            if len(self._closures) >= _MAX_REMEMBERED:
                self._closures.clear()
            classes = self._closures[direction, starts] = frozenset(self._walk(starts, self._edges(direction)))
        return classes

    def _edges(self, direction: Literal["up", "down"]) -> Mapping[str, tuple[str, ...]]:
        if direction not in self._edges_by_direction:
            down: dict[str, list[str]] = {}
            for entry in self.classes.values():
                for parent in entry.direct_superclasses:
                    down.setdefault(parent, []).append(entry.iri)
            up = {entry.iri: entry.direct_superclasses for entry in self.classes.values()}
            self._edges_by_direction.update(up=up, down={iri: tuple(below) for iri, below in down.items()})
        return self._edges_by_direction[direction]

    @staticmethod
    def _walk(starts: tuple[str, ...], edges: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
        seen, todo = set(starts), list(dict.fromkeys(starts))
        while todo:
            iri = todo.pop()
            yield iri
            for following in edges.get(iri, ()):
                if following not in seen:
                    seen.add(following)
                    todo.append(following)
