"""The vocabulary of a KG as its data use it: classes and predicates with labels, counts, ends, datatypes, examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class ClassEntry:
    """One class: IRI, label, further labels, comment, direct superclasses, instances stated for it alone."""

    iri: str
    label: str
    alt: tuple[str, ...] = ()
    comment: str = ""
    parents: tuple[str, ...] = ()
    count: int = 0
    metadata: bool = False


@dataclass(frozen=True, slots=True)
class PredicateEntry:
    """One predicate as it is used.

    ``triples`` and ``subjects`` are counts; ``objects`` says what stands at its object end; ``domains`` and ``ranges``
    are classes, most frequent first; ``datatypes`` likewise; ``example`` is one subject's and object's label.
    ``functional``: no subject has two objects (measured, not declared). ``unique``: no two subjects share an object.
    """

    iri: str
    label: str
    alt: tuple[str, ...] = ()
    comment: str = ""
    triples: int = 0
    subjects: int = 0
    objects: Literal["iri", "literal", "mixed"] = "iri"
    domains: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    datatypes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    example: tuple[str, str] = ("", "")
    functional: bool = False
    unique: bool = False
    metadata: bool = False


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All classes and predicates by IRI. Iterating order: most used first."""

    classes: Mapping[str, ClassEntry] = field(default_factory=dict)
    predicates: Mapping[str, PredicateEntry] = field(default_factory=dict)

    def superclasses(self, iri: str) -> frozenset[str]:
        """Return a class with all its direct and indirect superclasses (safe on cycles)."""
        return frozenset(self._walk(iri, {c.iri: c.parents for c in self.classes.values()}))

    def subclasses(self, iri: str) -> frozenset[str]:
        """Return a class with all its direct and indirect subclasses (safe on cycles)."""
        down: dict[str, tuple[str, ...]] = {}
        for entry in self.classes.values():
            for parent in entry.parents:
                down[parent] = (*down.get(parent, ()), entry.iri)
        return frozenset(self._walk(iri, down))

    @staticmethod
    def _walk(start: str, edges: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
        seen, todo = {start}, [start]
        while todo:
            iri = todo.pop()
            yield iri
            for following in edges.get(iri, ()):
                if following not in seen:
                    seen.add(following)
                    todo.append(following)
