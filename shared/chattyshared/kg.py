"""A knowledge graph: an endpoint and a profile, asked in SPARQL 1.1 that any engine takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal as Choice
from typing import Protocol

from rdflib import URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.profile import Profile
from chattyshared.terms import Term
from chattyshared.vocabulary import Vocabulary

Direction = Choice["out", "in", "both"]


@dataclass(frozen=True, slots=True)
class TypeCount:
    """A class with its label and the number of its entities (subclasses' entities not included)."""

    iri: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class LiteralPredicate:
    """A predicate by which entities of a type have literals: share of the entities (0..1), samples, datatype."""

    iri: str
    label: str
    share: float
    samples: tuple[str, ...]
    datatype: str
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """One triple around an entity.

    ``direction`` is ``out`` where the entity (or, at hop 2, the vertex nearer to it) is the subject. ``other`` is the
    far end, with its label and types. ``cardinality`` counts, before any limit, the triples that share the near end,
    the predicate and the direction.
    """

    subject: Term
    predicate: URIRef
    object: Term
    direction: Choice["out", "in"]
    hop: int
    label: str
    types: tuple[str, ...]
    cardinality: int

    @property
    def other(self) -> Term:
        """The end farther from the entity."""
        return self.object if self.direction == "out" else self.subject


@dataclass(frozen=True, slots=True)
class Hit:
    """A vertex found by words: its best label, how well the words fit it (0..1; 1 is exact), and its types.

    ``matched`` is the label or alternative label that fitted.
    """

    iri: str
    label: str
    matched: str
    score: float
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueHit:
    """A literal found by words: its lexical form, the predicates it stands under, how well it fits."""

    value: Term
    predicates: tuple[str, ...]
    score: float


class KnowledgeGraph(Protocol):
    """What both products ask of a KG. ``chattyshared.opening.open_kg`` makes one."""

    endpoint: Endpoint
    profile: Profile

    @property
    def name(self) -> str:
        """What to call it in messages and in the benchmark's header."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Classes and predicates; read once, then kept."""

    def through(self, endpoint: Endpoint) -> KnowledgeGraph:
        """Return the same KG, with all that is known of it, asked through another (say, counting) endpoint."""

    def fingerprint(self) -> str:
        """Return a digest of what the KG holds: equal content, equal digest; cheap even where the KG is huge."""

    def size(self) -> int:
        """Return the number of triples."""

    def types(self) -> tuple[TypeCount, ...]:
        """Return all classes with entities, most frequent first, metadata classes left out."""

    def literal_predicates(self, type_iri: str, *, sample: int = 200) -> tuple[LiteralPredicate, ...]:
        """Return the literal predicates of a type's entities, by share, with sample values."""

    def entities(self, type_iri: str, *, limit: int, offset: int = 0) -> tuple[URIRef, ...]:
        """Return one page of the entities of a type (IRIs only), in an order that stays the same."""

    def draw(self, type_iri: str, *, chance: Random, limit: int) -> tuple[URIRef, ...]:
        """Return up to ``limit`` distinct entities of a type, drawn uniformly, in an order that chance alone makes."""

    def neighbourhood(
        self, entity: URIRef, *, direction: Direction = "both", hops: int = 1, limit: int = 400
    ) -> tuple[Edge, ...]:
        """Return the triples around an entity, with labels, types and cardinalities; at most ``limit`` a direction."""

    def predicates_between(
        self, subjects: Sequence[Term | None], objects: Sequence[Term | None]
    ) -> Mapping[tuple[int, int], tuple[str, ...]]:
        """Return, per pair of ends (None is a free end), the predicates that lead from subject to object."""

    def predicates_of(self, terms: Sequence[Term]) -> Mapping[Term, tuple[tuple[str, Choice["out", "in"], int], ...]]:
        """Return, per term, the predicates at it with direction and number of triples, in one request."""

    def search(self, texts: Sequence[str], *, limit: int = 20) -> Mapping[str, tuple[Hit, ...]]:
        """Return, per text, the vertices whose labels fit it, best first, in at most two requests."""

    def search_values(self, texts: Sequence[str], *, limit: int = 20) -> Mapping[str, tuple[ValueHit, ...]]:
        """Return, per text, the literals that fit it (case-folded; numbers and dates by value), in one request."""

    def labels(self, terms: Iterable[Term]) -> Mapping[Term, str]:
        """Return a label for each term: its own in the KG's first language, else its name read aloud; one request."""

    def label(self, term: Term) -> str:
        """Return the label of one term."""

    def types_of(self, terms: Iterable[Term]) -> Mapping[Term, tuple[str, ...]]:
        """Return the classes of each term (metadata classes left out), in one request."""
