"""A knowledge graph: an endpoint and a profile, asked in SPARQL 1.1 that any engine takes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Literal as Choice

from rdflib import URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.endpoint.dialect import Dialect, detect_dialect
from chattyshared.errors import ConfigError
from chattyshared.kg import class_members, entity_search, labels, literal_search, neighbourhood, schema_extraction
from chattyshared.kg.cache import CachedReader, KGCache
from chattyshared.kg.label_index import LabelIndex, read_label_entries
from chattyshared.kg.label_ranking import MIN_SCORE
from chattyshared.kg.literal_search import LiteralIndex
from chattyshared.kg.profile_detection import detect_profile_with_statistics
from chattyshared.kg.records import Direction, Edge, Hit, LiteralHit, LiteralPredicate, TypeCount
from chattyshared.kg.statistics import KGStatistics, compute_fingerprint, measure_statistics
from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.profile import Profile
from chattyshared.terms import DATE_DATATYPES, Term

INDEXED = 100_000
"""A KG of at most so many triples gets an index of its labels even where it lies behind a server."""


class KnowledgeGraph:
    """What both products ask of a KG. ``chattyshared.kg.factory.open_kg`` makes one.

    Safe to use from several threads. What is read of it once is kept; ``through`` makes copies that share it.
    """

    endpoint: Endpoint
    profile: Profile

    def __init__(
        self,
        endpoint: Endpoint,
        profile: Profile | None = None,
        *,
        name: str | None = None,
        use_index: bool = True,
        index_up_to: int = INDEXED,
        cache_dir: Path | None = None,
    ) -> None:
        """Take an endpoint and how to read it; without a profile, detect it.

        ``indexed``: whether search may read all labels into an index of its own (local stores) or shall ask the
        endpoint (servers; a KG of at most ``index_up_to`` triples is indexed all the same). ``cache_dir``: where
        indexes are kept between runs.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        self.endpoint = self._source = endpoint
        self._name, self._indexed, self._cache_dir = name or endpoint.name, use_index, cache_dir
        self._index_up_to = index_up_to
        self._memory = KGCache()
        if profile is None:
            counts, profile = detect_profile_with_statistics(endpoint)
            self._memory.get_or_create("survey", lambda: counts)
        self.profile = profile

    @property
    def name(self) -> str:
        """What to call it in messages and in the benchmark's header."""
        return self._name

    @property
    def vocabulary(self) -> Vocabulary:
        """Classes and predicates; read once, then kept."""
        read = partial(schema_extraction.extract_vocabulary, self._source, self.profile)
        return self._memory.get_or_create("vocabulary", lambda: read(self._counts))

    @property
    def has_labels(self) -> bool:
        """Whether anything in it carries a label; if not, things are called by their IRIs' local names."""
        return self.profile.has_labels

    def with_endpoint(self, endpoint: Endpoint) -> KnowledgeGraph:
        """Return the same KG, with all that is known of it, asked through another (say, counting) endpoint.

        What is read once for all (vocabulary, indexes, entities of a class) is shared, and read through the KG's first
        endpoint. Labels and types of single terms are kept per copy: so the requests that a copy makes depend on what
        it is asked alone, not on what other threads have asked before.
        """
        other = object.__new__(KnowledgeGraph)
        other.__dict__.update(self.__dict__)
        other.endpoint, other._memory = endpoint, self._memory.with_fresh_terms()
        return other

    def with_language(self, language: str) -> KnowledgeGraph:
        """Return the same KG, which prefers one of its languages for names and texts.

        Raises:
            ConfigError: nothing in it is named in this language.
        """
        known = [tag for tag in self.profile.languages if tag]
        if language not in known:
            there = f"; there are {', '.join(known)}" if known else ""
            raise ConfigError(f"{self.name}: nothing is named in the language {language!r}{there}")
        other = object.__new__(KnowledgeGraph)
        other.__dict__.update(self.__dict__)
        order = dict.fromkeys((language, *self.profile.languages))
        other.profile, other._memory, counts = replace(self.profile, languages=tuple(order)), KGCache(), self._counts
        other._memory.get_or_create("survey", lambda: counts)
        return other

    @property
    def cache_dir(self) -> Path | None:
        """Where what is learned of the KG is kept between runs, if anywhere."""
        return self._cache_dir

    def fingerprint(self) -> str:
        """Return a digest of what the KG holds: equal content, equal digest; cheap even where the KG is huge."""
        return self._memory.get_or_create("fingerprint", lambda: compute_fingerprint(self._source, self._counts))

    def count_triples(self) -> int:
        """Return the number of triples (of a KG too big to be counted in time: of those that were)."""
        return self._counts.triples

    def types(self, *, metadata: bool = False) -> tuple[TypeCount, ...]:
        """Return all classes with entities, most frequent first; metadata classes only if asked for.

        Where the KG is too big to be counted, counts are estimates with an ``error``.
        """
        hidden = frozenset[str]() if metadata else self.profile.metadata_classes
        known, errors = self.vocabulary.classes, self._counts.class_errors
        return tuple(
            TypeCount(c, known[c].label, n, errors.get(c, 0.0))
            for c, n in self._counts.classes.items()
            if n and c not in hidden
        )

    def count_subjects(self) -> int:
        """Return how many IRIs the KG says anything of; where counting takes too long, at most so many."""
        count = partial(class_members.count_subjects, self._source, self.profile)
        return self._memory.get_or_create("described", lambda: count(at_most=self.count_triples()))

    def members_pattern(self, type_iri: str) -> str:
        """Return the graph pattern that binds ``?s`` to the entities of a type."""
        return class_members.members_pattern(self.profile, self._meant(type_iri))

    def literal_predicates(self, type_iri: str, *, sample_size: int = 200) -> tuple[LiteralPredicate, ...]:
        """Return the literal predicates of a type's entities, by share, with sample values."""
        found = class_members.sample_literal_predicates(
            self.endpoint, self.profile, self._meant(type_iri), sample_size=sample_size
        )
        known = self.vocabulary.predicates
        return tuple(replace(p, label=known[p.iri].label if p.iri in known else p.label) for p in found)

    def entities(self, type_iri: str, *, limit: int, offset: int = 0) -> tuple[URIRef, ...]:
        """Return one page of the entities of a type (or of its subclasses) in an order that stays the same."""
        if self._extent(type_iri) > class_members.MAX_FULL_READ:
            return tuple(
                class_members.fetch_page(self.endpoint, self.profile, self._meant(type_iri), limit=limit, offset=offset)
            )
        return self._members(type_iri)[offset : offset + limit]

    def sample_entities(self, type_iri: str, *, rng: Random, limit: int) -> tuple[URIRef, ...]:
        """Return up to ``limit`` distinct entities of a type, drawn uniformly, in an order that chance alone makes.

        A class without an entity of its own stands for its subclasses, and the empty text for whatever the KG
        describes. Of a class with more than 100,000 entities, some are drawn from each of several random places.
        """
        size = self._extent(type_iri)
        if size > class_members.MAX_FULL_READ:
            classes = self._meant(type_iri)
            return class_members.sample_members(self.endpoint, self.profile, classes, size, rng=rng, limit=limit)
        members = self._members(type_iri)
        return tuple(rng.sample(members, min(limit, len(members))))

    def degrees(self, type_iri: str, *, max_entities: int) -> Mapping[URIRef, int] | None:
        """Return the number of triples at each entity of a type, in one request; None if it has more than ``most``."""
        classes = self._meant(type_iri)
        return (
            class_members.count_degrees(self.endpoint, self.profile, classes)
            if self._extent(type_iri) <= max_entities
            else None
        )

    def neighbourhood(
        self, entity: URIRef, *, direction: Direction = "both", hops: int = 1, limit: int = 400
    ) -> tuple[Edge, ...]:
        """Return the triples around an entity, with labels, types and cardinalities; at most ``limit`` a direction."""
        sides = neighbourhood.sides_of(direction)
        return neighbourhood.fetch_edges(self._read_through, entity, sides=sides, hops=hops, limit=limit)

    def neighbourhoods(
        self, entities: Sequence[URIRef], *, direction: Direction = "both", limit: int = 400
    ) -> Mapping[URIRef, tuple[Edge, ...]]:
        """Return, per entity, the triples at one hop around it; two requests for up to ten of them."""
        sides = neighbourhood.sides_of(direction)
        return neighbourhood.fetch_edges_by_entity(self._read_through, entities, sides=sides, limit=limit)

    def predicates_of(self, terms: Sequence[Term]) -> Mapping[Term, tuple[tuple[str, Choice["out", "in"], int], ...]]:
        """Return, per term, the predicates at it with direction and number of triples, in one request."""
        return neighbourhood.fetch_predicates(self.endpoint, terms)

    def search(
        self, texts: Sequence[str], *, limit: int = 20, whole_only: Container[str] = (), min_score: float = MIN_SCORE
    ) -> Mapping[str, tuple[Hit, ...]]:
        """Return, per text, the vertices that fit, best first, in two requests; of ``whole`` by whole labels alone."""
        if self.is_indexed:
            found = entity_search.search_index(
                self._index, texts, limit=limit, whole_only=whole_only, min_score=min_score
            )
            entity_search.fetch_hit_details(self._read_through, found)
        else:
            found = entity_search.search_endpoint(self._read_through, texts, dialect=self._dialect, limit=limit)
        return {text: entity_search.to_hits(found.get(text, []), self._memory) for text in texts}

    def search_literals(
        self, texts: Sequence[str], *, limit: int = 20, whole_only: bool = False
    ) -> Mapping[str, tuple[LiteralHit, ...]]:
        """Return, per text, the literals that fit it (case-folded; numbers and dates by value), in one request."""
        if self.is_indexed:
            return {text: self._values.find_literals(text, limit=limit, whole_only=whole_only) for text in texts}
        dated = [
            p.iri for p in self.vocabulary.predicates.values() if DATE_DATATYPES.intersection(map(URIRef, p.datatypes))
        ]
        found = literal_search.search_literals(self.endpoint, self.profile, texts, date_predicates=dated, limit=limit)
        return {text: found.get(text.strip(), ()) for text in texts}

    def labels(self, terms: Iterable[Term]) -> Mapping[Term, str]:
        """Return a label for each term: its own in the KG's first language, else its name read aloud; one request."""
        terms = list(terms)
        known = self.vocabulary
        stated: dict[Term, str] = {
            term: entry.label
            for term in terms
            if isinstance(term, URIRef)
            and (entry := known.predicates.get(str(term)) or known.classes.get(str(term))) is not None
        }
        return {**labels.fetch_labels(self._read_through, [t for t in terms if t not in stated]), **stated}

    def label(self, term: Term) -> str:
        """Return the label of one term."""
        return self.labels([term])[term]

    def prefetch_labels_and_types(self, terms: Iterable[Term]) -> None:
        """Read labels and classes of many terms together, so that ``label``, ``labels`` and ``types_of`` know them."""
        labels.fetch_labels_and_types(self._read_through, terms)

    def types_of(self, terms: Iterable[Term]) -> Mapping[Term, tuple[str, ...]]:
        """Return the classes of each term (metadata classes left out), in one request."""
        return labels.fetch_types(self._read_through, terms)

    @property
    def _read_through(self) -> CachedReader:
        return CachedReader(self.endpoint, self.profile, self._memory)

    @property
    def _counts(self) -> KGStatistics:
        return self._memory.get_or_create("survey", lambda: measure_statistics(self._source, self.profile))

    @property
    def is_indexed(self) -> bool:
        """Whether names are searched in an index of our own, rather than by the endpoint."""
        return self._indexed or (self._counts.is_complete and self._counts.triples <= self._index_up_to)

    @property
    def _dialect(self) -> Dialect:
        return self._memory.get_or_create("dialect", lambda: detect_dialect(self._source, self.profile.labels))

    @property
    def _index(self) -> LabelIndex:
        return self._memory.get_or_create("index", self._open_index)

    def _open_index(self) -> LabelIndex:
        entries = partial(read_label_entries, self._source, self.profile, self._counts)
        if self._cache_dir is None:
            return LabelIndex.build(entries())
        file = self._cache_dir / f"labels-{self.fingerprint()}-{self.profile.digest}.sqlite"
        return LabelIndex.open_or_build(file, entries)

    @property
    def _values(self) -> LiteralIndex:
        return self._memory.get_or_create(
            "values", lambda: literal_search.build_literal_index(self._source, self.profile)
        )

    def _meant(self, type_iri: str) -> tuple[str, ...]:
        """Return the class, or its subclasses if it has no entity itself."""
        type_iri = str(type_iri)
        if type_iri == class_members.ANY_CLASS or self._counts.classes.get(type_iri):
            return (type_iri,)
        below = self.vocabulary.subclasses(type_iri) - {type_iri}
        return tuple(sorted(c for c in below if self._counts.classes.get(c))) or (type_iri,)

    def _extent(self, type_iri: str) -> int:
        if type_iri == class_members.ANY_CLASS:
            return self.count_subjects()
        return sum(self._counts.classes.get(c, 0) for c in self._meant(type_iri))

    def _members(self, type_iri: str) -> tuple[URIRef, ...]:
        return self._memory.get_or_create(
            f"members {type_iri}",
            lambda: class_members.fetch_members(self._source, self.profile, self._meant(type_iri)),
        )
