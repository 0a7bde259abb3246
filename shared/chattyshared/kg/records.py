"""Records that a KG returns: type counts, edges, and search hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from rdflib import URIRef

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
