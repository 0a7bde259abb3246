"""The vocabulary of a KG as its data use it: classes and predicates with labels, counts, ends, datatypes, examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

_REMEMBERED = 4_096


@dataclass(frozen=True, slots=True)
class ClassEntry:
    """One class: IRI, label, further labels, comment, direct superclasses, instances stated for it alone."""

    iri: str
    label: str
    alt_labels: tuple[str, ...] = ()
    comment: str = ""
    direct_superclasses: tuple[str, ...] = ()
    instance_count: int = 0
    is_metadata: bool = False


@dataclass(frozen=True, slots=True)
class PredicateEntry:
    """One predicate as it is used.

    ``triples`` and ``subjects`` are counts; ``objects`` says what stands at its object end; ``domains`` and ``ranges``
    are classes, most frequent first; ``datatypes`` likewise; ``example`` is one subject's and object's label.
    ``values`` are the labels of its objects where they are few, most frequent first, all of them if ``exhaustive``
    (else those of a sample). ``functional``: no subject has two objects (measured, not declared); ``unique``: no two
    subjects share an object.
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


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All classes and predicates by IRI. Iterating order: most used first."""

    classes: Mapping[str, ClassEntry] = field(default_factory=dict)
    predicates: Mapping[str, PredicateEntry] = field(default_factory=dict)
    _ways: dict[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _walked: dict[tuple[str, tuple[str, ...]], frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def superclasses(self, *iris: str) -> frozenset[str]:
        """Return classes with all their direct and indirect superclasses (safe on cycles)."""
        return self._reached("up", iris)

    def subclasses(self, *iris: str) -> frozenset[str]:
        """Return classes with all their direct and indirect subclasses (safe on cycles)."""
        return self._reached("down", iris)

    def _reached(self, way: Literal["up", "down"], starts: tuple[str, ...]) -> frozenset[str]:
        """Walk the hierarchy; what was asked is remembered, for the same few classes are asked for again and again."""
        found = self._walked.get((way, starts))
        if found is None:
            if len(self._walked) >= _REMEMBERED:
                self._walked.clear()
            found = self._walked[way, starts] = frozenset(self._walk(starts, self._edges(way)))
        return found

    def _edges(self, way: Literal["up", "down"]) -> Mapping[str, tuple[str, ...]]:
        if way not in self._ways:
            down: dict[str, list[str]] = {}
            for entry in self.classes.values():
                for parent in entry.direct_superclasses:
                    down.setdefault(parent, []).append(entry.iri)
            up = {entry.iri: entry.direct_superclasses for entry in self.classes.values()}
            self._ways.update(up=up, down={iri: tuple(below) for iri, below in down.items()})
        return self._ways[way]

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
