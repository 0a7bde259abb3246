"""A knowledge graph: an endpoint and a profile, queried in SPARQL 1.1 that every engine accepts."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Literal as Choice
from typing import TypeVar

from rdflib import Literal, URIRef

from chattyshared.endpoint import ClosableEndpoint, Endpoint
from chattyshared.endpoint.dialect import Dialect, detect_dialect
from chattyshared.errors import QUERY_ERRORS, ConfigError
from chattyshared.kg import (
    class_statistics,
    labels,
    neighbourhood,
    schema_extraction,
    statistics,
    table_names,
    text_search,
)
from chattyshared.kg.batches import BATCH_SIZE
from chattyshared.kg.cache import CachedReader, KGCache, RecentResults
from chattyshared.kg.class_statistics import (
    ClassStatistics,
    HiddenClass,
    find_hidden_class,
    may_be_hidden,
    measure_class,
)
from chattyshared.kg.direct_view import wrap_endpoint
from chattyshared.kg.indexes import INDEX_VERSION, LabelIndex, LiteralIndex, read_label_entries, read_literals
from chattyshared.kg.label_ranking import MIN_SCORE
from chattyshared.kg.metadata_terms import CLASSES, RESTRICTION
from chattyshared.kg.profile_detection import detect_profile_with_statistics
from chattyshared.kg.statistics import ClassUsage, KGStatistics, compute_fingerprint, measure_statistics
from chattyshared.kg.vocabulary import Direction, Edge, Hit, LiteralHit, LiteralPredicate, RowKey, TypeCount, Vocabulary
from chattyshared.profile import Profile
from chattyshared.progress import ShowProgress, hide_progress
from chattyshared.terms import Term

T = TypeVar("T")
MAX_INDEXED_TRIPLES = 100_000
"""A KG behind a server gets a local label index if it has at most this many triples."""


class KnowledgeGraph:
    """The operations on a KG that both products use. ``chattyshared.kg.factory.open_kg`` opens one.

    Safe to use from several threads. What is read is cached; the copies that ``with_endpoint`` makes share the cache.
    ``name`` is that in messages and headers, ``cache_dir`` the folder of cached data between runs, if any; ``whole``
    is the fingerprint of the graph of which it is a part.
    """

    endpoint: Endpoint
    profile: Profile

    def __init__(  # noqa: PLR0913
        self,
        endpoint: Endpoint,
        profile: Profile | None = None,
        *,
        name: str | None = None,
        use_index: bool = True,
        index_up_to: int = MAX_INDEXED_TRIPLES,
        cache_dir: Path | None = None,
        counts_path: Path | None = None,
        show_progress: ShowProgress = hide_progress,
    ) -> None:
        """Take an endpoint and its profile; without a profile, detect it.

        ``use_index``: whether search reads all labels into an index (local stores) or asks the endpoint (servers; a KG
        of at most ``index_up_to`` triples is indexed all the same). ``cache_dir``: the folder of indexes between runs.
        ``counts_path``: the file that keeps the numbers of triples and entities of this store. ``show_progress`` shows
        how far the indexes of a local store are, at its first use.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        self.name, self._uses_index, self.cache_dir = name or endpoint.name, use_index, cache_dir
        self._is_conversation, self.whole = False, ""
        self._max_indexed_triples, self._show_progress = index_up_to, show_progress
        self._cache = KGCache()
        if profile is None:
            counts, profile = detect_profile_with_statistics(endpoint, counts_path)
            self._cache.get_or_create("survey", lambda: counts)
        self.profile, self._stored = profile, endpoint
        self.endpoint = self._source = wrap_endpoint(endpoint, profile)

    @property
    def vocabulary(self) -> Vocabulary:
        """Classes and predicates; read once, then cached."""
        return self._cache.get_or_create(
            "vocabulary",
            lambda: schema_extraction.extract_vocabulary(self._source, self.profile, self._statistics),
        )

    @property
    def spoken_names(self) -> Mapping[str, str]:
        """The words that people say for each class and predicate, "" if it has none."""
        return self.vocabulary.spoken_names

    def spoken_name(self, iri: URIRef) -> str:
        """Return the words that people say for a class or predicate; its label where the KG has none that are said."""
        return self.spoken_names.get(str(iri)) or self.label(iri)

    @property
    def row_keys(self) -> Mapping[str, RowKey]:
        """The key of each class whose rows only a number tells apart: they are called "order 1042"."""
        naming = labels.label_predicates(self.profile)
        return self._cache.get_or_create("row keys", lambda: table_names.find_row_keys(self.vocabulary, naming))

    @property
    def class_usage(self) -> Mapping[str, tuple[ClassUsage, ...]]:
        """How the things of each class use each predicate; read once, then cached. A big KG has none.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        read = partial(statistics.fetch_class_usage, self._source, self.profile)
        return self._cache.get_or_create("class usage", read) if self.is_small else {}

    @property
    def value_samples(self) -> Mapping[str, tuple[Literal, ...]]:
        """Some values of each predicate that has any; read once, then cached. A big KG has none.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        entries = self.vocabulary.predicates.values()
        literal = {e.iri: e.datatypes for e in entries if e.object_kind != "iri" and not e.is_metadata}
        read = partial(statistics.fetch_value_samples, self._source, literal)
        return self._cache.get_or_create("value samples", read) if self.is_small else {}

    def close(self) -> None:
        """End the processes that foreign queries run in, if there are any."""
        if isinstance(self.endpoint, ClosableEndpoint):
            self.endpoint.close()

    def __enter__(self) -> KnowledgeGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def with_endpoint(self, endpoint: Endpoint, *, shares_terms: bool = False) -> KnowledgeGraph:
        """Return the same KG, with its cache, behind another (for example, counting) endpoint.

        Vocabulary, indexes and class members are shared, and read through the KG's first endpoint. Labels, types and
        predicates of single terms are cached per copy, so that the requests of a copy do not depend on other threads;
        with ``shares_terms``, all copies of a local KG share these as well, and this KG's own endpoint reads them.
        """
        graph = copy(self)
        graph.endpoint, graph._is_conversation = endpoint, False
        if shares_terms and self._uses_index:
            graph._cache = self._cache.with_shared_terms(self.endpoint)
        elif not (shares_terms and self._is_conversation):
            graph._cache = self._cache.with_fresh_terms()
        return graph

    def for_conversation(self) -> KnowledgeGraph:
        """Return the same KG for questions that follow one another: what one looked up, the next knows.

        At a server, the copies that ``with_endpoint`` makes with ``shares_terms`` share labels, types, predicates and
        searches; a local store shares them anyway. One thread at a time may use it.
        """
        graph = copy(self)
        if not self._uses_index:
            graph._is_conversation, graph._cache = True, self._cache.with_fresh_terms()
        return graph

    def remember(self, kind: str, key: Hashable, create: Callable[[], T]) -> T:
        """Return the result of this kind for a key: what was created last is kept, for copies that share terms too."""
        recent = self._cache.recent.get(kind) or self._cache.recent.setdefault(kind, RecentResults())
        return recent.get_or_create(key, create)

    def with_language(self, language: str) -> KnowledgeGraph:
        """Return the same KG with one of its languages preferred for labels and texts.

        Raises:
            ConfigError: the KG has no label in this language.
        """
        languages = [tag for tag in self.profile.languages if tag]
        if language not in languages:
            available = f"; there are {', '.join(languages)}" if languages else ""
            raise ConfigError(f"{self.name}: nothing is named in the language {language!r}{available}")
        graph = copy(self)
        order = dict.fromkeys((language, *self.profile.languages))
        graph.profile, graph._cache, counts = replace(self.profile, languages=tuple(order)), KGCache(), self._statistics
        graph._cache.get_or_create("survey", lambda: counts)
        return graph

    def fingerprint(self) -> str:
        """Return a digest of the KG's content: equal content, equal digest; cheap even for a huge KG."""
        return self._cache.get_or_create("fingerprint", lambda: compute_fingerprint(self._stored, self._statistics))

    def is_source(self, fingerprint: str) -> bool:
        """Tell whether this fingerprint ("": unknown) is that of this KG, or of the whole of which it is a part."""
        return not fingerprint or fingerprint in (self.whole, self.fingerprint())

    def count_triples(self) -> int:
        """Return the number of triples; for a KG too big to count in time, the number of those counted."""
        return self._statistics.triples

    @property
    def is_small(self) -> bool:
        """Whether a query over all its triples is cheap, wherever it lies."""
        return self._statistics.is_small

    def types(self, *, metadata: bool = False) -> tuple[TypeCount, ...]:
        """Return all classes with entities, most frequent first; metadata classes only with ``metadata``.

        If the KG is too big to count, counts are estimates with an ``error``.
        """
        excluded = frozenset[str]() if metadata else self.profile.metadata_classes
        classes, errors = self.vocabulary.classes, self._statistics.class_errors
        return tuple(
            TypeCount(c, classes[c].label, n, errors.get(c, 0.0))
            for c, n in self._statistics.classes.items()
            if n and c not in excluded
        )

    def count_subjects(self) -> int:
        """Return the number of IRIs that are subjects; an upper bound if counting takes too long."""
        count = partial(class_statistics.count_subjects, self._source, self.profile)
        return self._cache.get_or_create("described", lambda: count(at_most=self.count_triples()))

    def ontology_note(self) -> str:
        """Return what is not read of a graph that is more ontology than data; empty for other graphs."""
        classes, hidden = self._statistics.classes, self.profile.metadata_classes
        defined = max(classes.get(iri, 0) for iri in CLASSES)
        restrictions = classes.get(RESTRICTION, 0)
        if defined + restrictions <= sum(n for iri, n in classes.items() if iri not in hidden):
            return ""
        unread = f", and its {restrictions:,} restrictions are not read" if restrictions else ""
        return f"This graph is mostly an ontology: its {defined:,} classes are no entities{unread}."

    def members_pattern(self, type_iri: str) -> str:
        """Return the graph pattern that binds ``?s`` to the entities of a type."""
        return class_statistics.members_pattern(self.profile, self._classes_of(type_iri))

    def class_statistics(self, class_iri: str) -> ClassStatistics | None:
        """Return the statistics of a class and its subclasses; read once, then cached. None: they cannot be read."""
        return self._cache.get_or_create(f"statistics {class_iri}", lambda: self._measure_class(str(class_iri)))

    def _measure_class(self, class_iri: str) -> ClassStatistics | None:
        sizes = self._statistics.classes
        used = sorted((c for c in self.vocabulary.subclasses(class_iri) if c in sizes), key=lambda c: (-sizes[c], c))
        try:
            classes = used[:BATCH_SIZE] or [class_iri]
            return measure_class(self._source, self.profile, classes, class_iri, is_small=self.is_small)
        except QUERY_ERRORS:
            return None

    def hidden_class(self, class_iri: str) -> HiddenClass | None:
        """Return what a class is whose things nobody names, value nodes or rows; None for other classes."""
        return self._cache.get_or_create(f"hidden class {class_iri}", lambda: self._find_hidden_class(str(class_iri)))

    def _find_hidden_class(self, class_iri: str) -> HiddenClass | None:
        naming = frozenset(labels.label_predicates(self.profile))
        if not may_be_hidden(self.vocabulary, self.profile, naming, class_iri):
            return None
        statistics = self.class_statistics(class_iri)
        reader = CachedReader(self._source, self.profile, KGCache())
        read_labels = partial(labels.fetch_labels, reader)
        return find_hidden_class(statistics, self.profile, naming, read_labels) if statistics is not None else None

    def literal_predicates(self, type_iri: str, *, sample_size: int = 200) -> tuple[LiteralPredicate, ...]:
        """Return the literal predicates of a type's entities, by share, with sample values from ``sample_size``
        entities."""
        literal_predicates = class_statistics.sample_literal_predicates(
            self.endpoint, self.profile, self._classes_of(type_iri), sample_size=sample_size
        )
        predicates = self.vocabulary.predicates
        return tuple(
            replace(p, label=predicates[p.iri].label if p.iri in predicates else p.label) for p in literal_predicates
        )

    def sample_entities(self, type_iri: str, *, rng: Random, limit: int) -> tuple[URIRef, ...]:
        """Return up to ``limit`` distinct entities of a type, sampled uniformly, in random order.

        A class without entities stands for its subclasses, and the empty string for every entity that the KG describes.
        Of a class with more than 100,000 entities, a local store draws this many once, for all samples; at a server,
        it is sampled from pages at random offsets.
        """
        size = self._class_size(type_iri)
        if size > class_statistics.MAX_FULL_READ and not self._uses_index:
            classes = self._classes_of(type_iri)
            return class_statistics.sample_members(self.endpoint, self.profile, classes, size, rng=rng, limit=limit)
        members = self._members(type_iri)
        return tuple(rng.sample(members, min(limit, len(members))))

    def degrees(self, type_iri: str, *, max_entities: int) -> Mapping[URIRef, int] | None:
        """Return the number of triples of each entity of a type, in one request; None above ``max_entities``
        entities."""
        if self._class_size(type_iri) > max_entities:
            return None
        return class_statistics.count_degrees(self.endpoint, self.profile, self._classes_of(type_iri))

    def neighbourhoods(
        self, entities: Sequence[URIRef], *, direction: Direction = "both", limit: int = 400
    ) -> Mapping[URIRef, tuple[Edge, ...]]:
        """Return the triples around each entity, with labels, types and cardinalities, at most ``limit`` per direction;
        two requests for up to ten entities."""
        sides: tuple[Choice["out", "in"], ...] = ("out", "in") if direction == "both" else (direction,)
        return neighbourhood.fetch_edges(self._cached_reader, entities, sides=sides, limit=limit)

    def predicates_of(self, terms: Sequence[Term]) -> Mapping[Term, tuple[tuple[str, Choice["out", "in"], int], ...]]:
        """Return the predicates of each term, with direction and number of triples, in one request at most."""
        known, endpoint = self._cache.predicates, self._cached_reader.term_endpoint
        known |= neighbourhood.fetch_predicates(endpoint, [term for term in terms if term not in known])
        return {term: known[term] for term in terms}

    def search(
        self, texts: Sequence[str], *, limit: int = 20, whole_only: Container[str] = (), min_score: float = MIN_SCORE
    ) -> Mapping[str, tuple[Hit, ...]]:
        """Return the vertices that match each text, best first, in two requests; for ``whole_only`` texts, whole labels
        only."""
        if self.is_indexed:
            ranked = text_search.search_index(
                self._label_index, texts, limit=limit, whole_only=whole_only, min_score=min_score
            )
            text_search.fetch_hit_details(self._cached_reader, ranked)
        else:
            ranked = self._search_endpoint(texts, limit, whole_only)
        return {text: text_search.to_hits(ranked[text], self._cache) for text in texts}

    def find_exact(self, texts: Sequence[str], *, limit: int = 20) -> Mapping[str, tuple[Hit, ...]]:
        """Return the vertices whose label is equal to each text, best first; at a server in one of its usual spellings,
        by one request, which also finds what ``search_literals`` returns for the texts."""
        if self.is_indexed:
            return self.search(texts, limit=limit, whole_only=frozenset(texts))
        found = self._search_exact(texts)
        return {
            text: text_search.to_hits(text_search.rank_entries(text, found[text].labels, limit=limit), self._cache)
            for text in texts
        }

    def _search_endpoint(
        self, texts: Sequence[str], limit: int, whole_only: Container[str]
    ) -> dict[str, text_search.RankedEntries]:
        exact = {text: found.labels for text, found in self._search_exact(texts).items()}
        ranked = {text: text_search.rank_entries(text, exact[text], limit=limit) for text in texts}
        unmatched = [text for text in texts if not text_search.is_matched(ranked[text])]
        unmatched = [text for text in unmatched if text not in whole_only or text.upper() != text.lower()]
        predicates = self.vocabulary.predicates
        search_new = partial(text_search.search_parts, self._cached_reader, dialect=self._dialect, schema=predicates)
        parts = self._cache.search(unmatched, "parts", search_new)
        return ranked | {
            text: text_search.rank_entries(text, [*exact[text], *(entries or ())], limit=limit)
            for text, entries in parts.items()
        }

    def _search_exact(self, texts: Sequence[str]) -> dict[str, text_search.ExactMatches]:
        predicates = self.vocabulary.predicates
        search_new = partial(text_search.search_exact, self._cached_reader, predicates=predicates)
        found = self._cache.search([" ".join(text.split()) for text in texts], "exact", search_new)
        return {text: found[" ".join(text.split())] for text in texts}

    def search_literals(
        self, texts: Sequence[str], *, limit: int = 20, whole_only: bool = False
    ) -> Mapping[str, tuple[LiteralHit, ...]]:
        """Return the literals that match each text (case-folded; numbers and dates by value), in one request."""
        if self.is_indexed:
            return {text: self._literal_index.find_literals(text, limit=limit, whole_only=whole_only) for text in texts}
        return {text: tuple(found.literals[:limit]) for text, found in self._search_exact(texts).items()}

    def labels(self, terms: Iterable[Term]) -> Mapping[Term, str]:
        """Return a label for each term, in the KG's first language if possible, else from its IRI; one request."""
        terms = list(terms)
        vocabulary = self.vocabulary
        schema_labels: dict[Term, str] = {
            term: entry.label
            for term in terms
            if isinstance(term, URIRef)
            and (entry := vocabulary.predicates.get(str(term)) or vocabulary.classes.get(str(term))) is not None
        }
        return {
            **labels.fetch_labels(self._cached_reader, [t for t in terms if t not in schema_labels]),
            **schema_labels,
        }

    def keep_labels(self, labels_by_term: Mapping[Term, str]) -> None:
        """Put labels that another copy of this KG has read into the cache of this one."""
        self._cache.labels.update(labels_by_term)

    def label(self, term: Term) -> str:
        """Return the label of one term."""
        return self.labels([term])[term]

    def prefetch_labels_and_types(self, terms: Iterable[Term]) -> None:
        """Read labels and classes of many terms at once into the cache of ``label``, ``labels`` and ``types_of``."""
        labels.fetch_labels_and_types(self._cached_reader, terms)

    def types_of(self, terms: Iterable[Term]) -> Mapping[Term, tuple[str, ...]]:
        """Return the classes of each term, without metadata classes, in one request."""
        return labels.fetch_types(self._cached_reader, terms)

    @property
    def _cached_reader(self) -> CachedReader:
        return CachedReader(self.endpoint, self.profile, self._cache, self.row_keys)

    @property
    def _statistics(self) -> KGStatistics:
        return self._cache.get_or_create("survey", lambda: measure_statistics(self._source, self.profile))

    @property
    def is_indexed(self) -> bool:
        """Whether labels are searched in a local index rather than at the endpoint."""
        return self._uses_index or (
            self._statistics.is_complete and self._statistics.triples <= self._max_indexed_triples
        )

    @property
    def _dialect(self) -> Dialect:
        return self._cache.get_or_create("dialect", lambda: detect_dialect(self._source, self.profile.labels))

    def build_indexes(self) -> None:
        """Build the indexes of a local store now, so that no question waits for them.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        if self._uses_index:
            self.search(["name"], limit=1)
            self.search_literals(["value"], limit=1)

    @property
    def _label_index(self) -> LabelIndex:
        return self._cache.get_or_create("index", self._open_label_index)

    def _open_label_index(self) -> LabelIndex:
        counts, profile = self._statistics, self.profile
        return LabelIndex(
            self._index_path("labels"),
            partial(read_label_entries, self._source, profile, counts, self.row_keys.values()),
            show_progress=self._show_progress,
            count=sum(counts.predicates.get(p, 0) for p in {*labels.label_predicates(profile), *profile.alt_labels}),
        )

    @property
    def _literal_index(self) -> LiteralIndex:
        return self._cache.get_or_create(
            "values",
            lambda: LiteralIndex(self._index_path("literals"), self._read_literals, show_progress=self._show_progress),
        )

    def _read_literals(self) -> Iterator[tuple[Literal, str]]:
        """Yield the literals that describe entities; in a big KG, not of predicates whose sample has none."""
        entries = self.vocabulary.predicates.values()
        literal = (entry.iri for entry in entries if entry.object_kind != "iri" or not entry.subject_count)
        return read_literals(self._source, [p for p in literal if p not in self.profile.metadata])

    def _index_path(self, kind: str) -> Path | None:
        """Return the file that keeps an index of this content and profile between runs; None: nothing is kept."""
        if self.cache_dir is None:
            return None
        return self.cache_dir / f"{kind}-{INDEX_VERSION}-{self.fingerprint()}-{self.profile.digest}.sqlite"

    def _classes_of(self, type_iri: str) -> tuple[str, ...]:
        """Return the class, or its subclasses if it has no entity itself."""
        type_iri = str(type_iri)
        if type_iri == class_statistics.ANY_CLASS or self._statistics.classes.get(type_iri):
            return (type_iri,)
        below = self.vocabulary.subclasses(type_iri) - {type_iri}
        return tuple(sorted(c for c in below if self._statistics.classes.get(c))) or (type_iri,)

    def _class_size(self, type_iri: str) -> int:
        if type_iri == class_statistics.ANY_CLASS:
            return self.count_subjects()
        return sum(self._statistics.classes.get(c, 0) for c in self._classes_of(type_iri))

    def _members(self, type_iri: str) -> tuple[URIRef, ...]:
        """Return the entities of a class; of a big one at a local store, a part of them."""
        return self._cache.get_or_create(f"members {type_iri}", lambda: self._read_members(type_iri))

    def _read_members(self, type_iri: str) -> tuple[URIRef, ...]:
        classes = self._classes_of(type_iri)
        if self._class_size(type_iri) <= class_statistics.MAX_FULL_READ:
            return class_statistics.fetch_members(self._source, self.profile, classes)
        digest = sha256(" ".join(classes).encode()).hexdigest()[:12]
        return class_statistics.draw_members(
            self._source,
            self.profile,
            classes,
            self._index_path(f"members-{digest}"),
            show_progress=self._show_progress,
            size=self._class_size(type_iri),
        )
