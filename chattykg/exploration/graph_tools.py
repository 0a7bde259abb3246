"""What programs and agents ask of a graph besides questions: things by name, its vocabulary, and their own queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chattyshared.dialogue import Value
from chattyshared.endpoint import Row
from chattyshared.endpoint.guard import guard_query
from chattyshared.errors import ConfigError
from chattyshared.kg import Hit, KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.morphology import label_stems_of, normalize_text, related_stems
from chattyshared.literals import to_value
from chattyshared.sparql.analysis import analyze_query
from chattyshared.sparql.query_layout import WELL_KNOWN_PREFIXES
from chattyshared.sparql.repair import repair_query
from chattyshared.terms import Term, is_iri, local_name
from rdflib import BNode, URIRef

from chattykg.exploration.class_statistics import find_entry_named
from chattykg.exploration.entity_description import EntityDescription
from chattykg.linking.candidates import NEAR_BEST_SHARE
from chattykg.linking.vocabulary_card_text import TEXT_DATATYPES

MAX_NAME_CHARACTERS = 300
"""Characters of a name or of a filter that are looked for."""
MAX_IRI_CHARACTERS = 2_000
"""Characters of an IRI that is described; those of graphs have some dozens."""
MAX_QUERY_CHARACTERS = 20_000
"""Characters of a query; those of people and agents have some hundreds."""
MAX_ROWS = 1_000
"""Rows of a query's result at most."""
MAX_CELL_CHARACTERS = 2_000
MAX_RESULT_CHARACTERS = 200_000
"""Characters of one cell, and of all cells of a result; a result is cut behind the row that passes them."""
SEARCHED_PER_FOUND = 20
"""Things that are searched for each that is found, where only those of a class count."""
MAX_NAMESAKES = 5
"""Other things of a name that are listed."""
_ALL_COLUMNS = re.compile(r"\bselect\s+(?:distinct\s+|reduced\s+)?\*", re.IGNORECASE)
_VARIABLE = re.compile(r"[?$](\w+)")


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """A thing that a text may name: its label, the label that matched, its score (0..1; 1 is exact), its classes."""

    iri: str
    label: str
    matched_label: str
    score: float
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedTerm:
    """A class, a predicate or a datatype: its IRI and its label."""

    iri: str
    label: str


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """A class with the number of its direct instances."""

    iri: str
    label: str
    count: int
    comment: str = ""
    alt_labels: tuple[str, ...] = ()
    superclasses: tuple[NamedTerm, ...] = ()


@dataclass(frozen=True, slots=True)
class PredicateSummary:
    """A predicate with the number of its triples, the classes and datatypes at its ends, and one of its triples.

    ``values`` are the labels of its objects if they are few.
    """

    iri: str
    label: str
    count: int
    comment: str = ""
    alt_labels: tuple[str, ...] = ()
    domains: tuple[NamedTerm, ...] = ()
    ranges: tuple[NamedTerm, ...] = ()
    example: tuple[str, str] = ("", "")
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VocabularyList:
    """The classes and predicates that match a filter, best first; the counts tell how many match in all."""

    classes: tuple[ClassSummary, ...]
    predicates: tuple[PredicateSummary, ...]
    class_count: int
    predicate_count: int

    @property
    def is_cut(self) -> bool:
        """Whether more match than are listed."""
        return self.class_count > len(self.classes) or self.predicate_count > len(self.predicates)


@dataclass(frozen=True, slots=True)
class FoundVocabulary(VocabularyList):
    """A list of the vocabulary that some words found: with ``is_loose``, by any of them."""

    is_loose: bool = False


@dataclass(frozen=True, slots=True)
class DescribedThing:
    """What a graph states of a thing, and the other things of its name."""

    description: EntityDescription
    namesakes: tuple[FoundEntity, ...] = ()


@dataclass(frozen=True, slots=True)
class SelectedTable:
    """The result of a query: ``truth`` of an ASK (None: a SELECT), else columns and rows; an unbound cell is None.

    ``query`` is the text that was run, ``changes`` what was changed to make it SPARQL 1.1. ``is_cut``: there are more
    rows than these.
    """

    query: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Value | None, ...], ...] = ()
    truth: bool | None = None
    is_cut: bool = False
    changes: tuple[str, ...] = ()


def search_entities(kg: KnowledgeGraph, text: str, *, limit: int, class_iri: str = "") -> tuple[FoundEntity, ...]:
    """Return the things that a text may name, best first; with a class, those of it and of its subclasses.

    Raises:
        EndpointError: the KG could not be asked.
    """
    kg = kg.with_endpoint(kg.endpoint)  # the labels of one search are kept no longer than it
    text = text.strip()[:MAX_NAME_CHARACTERS]
    searched = limit * SEARCHED_PER_FOUND if class_iri else limit
    hits = kg.search([text], limit=searched)[text] if text else ()
    classes = kg.vocabulary.subclasses(class_iri) if class_iri else frozenset()
    hits = tuple(hit for hit in hits if not class_iri or not classes.isdisjoint(hit.types))[:limit]
    types = {hit.iri: hit.types for hit in hits}
    labels = kg.labels({URIRef(iri) for iris in types.values() for iri in iris})
    return tuple(_to_found(hit, tuple(labels[URIRef(iri)] for iri in hit.types)) for hit in hits)


def _to_found(hit: Hit, classes: tuple[str, ...]) -> FoundEntity:
    return FoundEntity(hit.iri, hit.label, hit.matched_label, round(hit.score, 4), classes)


def find_thing(kg: KnowledgeGraph, text: str) -> tuple[str, tuple[FoundEntity, ...]]:
    """Return the IRI that a text is or names, and the other things that it names as well or nearly as well.

    An IRI may be in angle brackets, or begin with a well-known prefix (``wd:Q42``). A text that is the label of a class
    or predicate, and not of a thing, names the class or predicate.

    Raises:
        ConfigError: nothing has such a name.
        EndpointError: the KG could not be asked.
    """
    text = text.strip()
    bare = text[1:-1] if text.startswith("<") and text.endswith(">") else text
    if is_iri(bare) and len(bare) <= MAX_IRI_CHARACTERS:
        return bare, ()
    prefix, _, name = text.partition(":")
    if prefix in WELL_KNOWN_PREFIXES and name:
        return WELL_KNOWN_PREFIXES[prefix] + name, ()
    found = search_entities(kg, text, limit=MAX_NAMESAKES + 1)
    if not found or found[0].score < 1:
        classes, predicates = kg.vocabulary.classes.values(), kg.vocabulary.predicates.values()
        if named := find_entry_named(classes, text) or find_entry_named(predicates, text):
            return named, ()
    if not found:
        raise ConfigError(f"nothing in {kg.name} is called {text[:80]!r}")
    near = [one for one in found[1:] if one.score >= NEAR_BEST_SHARE * found[0].score]
    return found[0].iri, tuple(near)


def list_vocabulary(kg: KnowledgeGraph, words: str = "", *, limit: int) -> VocabularyList:
    """Return the classes and predicates whose names, comments or ends match all words, best first.

    Without words: all of them, most frequent first.

    Raises:
        EndpointError: the vocabulary could not be read.
    """
    vocabulary, wanted = kg.vocabulary, _Filter(words)
    classes = [(wanted.rank(e, ()), e) for e in vocabulary.classes.values()]
    predicates = [(wanted.rank(e, _ends(e, kg)), e) for e in vocabulary.predicates.values()]
    chosen_classes = [e for rank, e in sorted(classes, key=_sort_key) if rank]
    chosen_predicates = [e for rank, e in sorted(predicates, key=_sort_key) if rank]
    return VocabularyList(
        tuple(_summarize_class(e, kg) for e in chosen_classes[:limit]),
        tuple(_summarize_predicate(e, kg) for e in chosen_predicates[:limit]),
        len(chosen_classes),
        len(chosen_predicates),
    )


def search_vocabulary(kg: KnowledgeGraph, words: str, *, limit: int) -> FoundVocabulary:
    """Return the classes and predicates that match all words; if there are none, those that match any, best first.

    Raises:
        EndpointError: the vocabulary could not be read.
    """
    found = list_vocabulary(kg, words, limit=limit)
    single = list(dict.fromkeys(normalize_text(words[:MAX_NAME_CHARACTERS]).split()))
    if found.class_count or found.predicate_count or len(single) < 2:
        return FoundVocabulary(found.classes, found.predicates, found.class_count, found.predicate_count)
    lists = [list_vocabulary(kg, word, limit=limit) for word in single if len(word) > 2]
    classes = {one.iri: one for part in lists for one in part.classes}
    predicates = {one.iri: one for part in lists for one in part.predicates}
    shown = tuple(classes.values())[:limit], tuple(predicates.values())[:limit]
    return FoundVocabulary(*shown, len(classes), len(predicates), is_loose=True)


class _Filter:
    """Ranks entries of the vocabulary by the words of a filter; 0 for an entry that does not match."""

    def __init__(self, words: str) -> None:
        self._words = normalize_text(words[:MAX_NAME_CHARACTERS]).split()
        self._stems = [related_stems(word) for word in self._words]

    def rank(self, entry: ClassEntry | PredicateEntry, ends: Sequence[str]) -> int:
        """Return 4 if a name holds the words, 3 for words of their families, 2 for the ends, 1 for comment and IRI."""
        names = [entry.label, *entry.alt_labels, *(label for _, label in entry.foreign_labels)]
        if any(self._holds(name) for name in names):
            return 4
        if any(self._is_related(name) for name in names):
            return 3
        if any(self._holds(name) for name in ends):
            return 2
        return int(self._holds(f"{entry.comment} {local_name(entry.iri)}"))

    def _holds(self, text: str) -> bool:
        folded = normalize_text(text)
        return all(word in folded for word in self._words)

    def _is_related(self, name: str) -> bool:
        stems = set(label_stems_of(name))
        return all(stems & related for related in self._stems)


def _sort_key(ranked: tuple[int, ClassEntry | PredicateEntry]) -> tuple[int, bool]:
    return -ranked[0], ranked[1].is_metadata


def _ends(entry: PredicateEntry, kg: KnowledgeGraph) -> tuple[str, ...]:
    return tuple(one.label for one in _name_classes((*entry.domains, *entry.ranges), kg))


def _name_classes(iris: Iterable[str], kg: KnowledgeGraph) -> tuple[NamedTerm, ...]:
    classes = kg.vocabulary.classes
    return tuple(NamedTerm(iri, classes[iri].label if iri in classes else local_name(iri)) for iri in iris)


def _summarize_class(entry: ClassEntry, kg: KnowledgeGraph) -> ClassSummary:
    above = _name_classes(entry.direct_superclasses, kg)
    return ClassSummary(entry.iri, entry.label, entry.instance_count, entry.comment, entry.alt_labels, above)


def _summarize_predicate(entry: PredicateEntry, kg: KnowledgeGraph) -> PredicateSummary:
    datatypes = (NamedTerm(iri, "text" if iri in TEXT_DATATYPES else local_name(iri)) for iri in entry.datatypes)
    ranges = (*_name_classes(entry.ranges, kg), *datatypes)
    return PredicateSummary(
        entry.iri, entry.label, entry.triple_count, entry.comment, entry.alt_labels,
        _name_classes(entry.domains, kg), ranges, entry.example, entry.values,
    )  # fmt: skip


def run_query(kg: KnowledgeGraph, query: str, *, limit: int) -> SelectedTable:
    """Run a SELECT or ASK query of somebody else: guarded, sandboxed, with a row limit, and with labels.

    Prefixes that are well known need no declaration.

    Raises:
        ConfigError: the query is too long.
        UnsafeQuery: the guard refuses it.
        EndpointError: it failed.
    """
    check_length(query)
    repaired = repair_query(query)
    guarded = guard_query(repaired.text, limit=min(limit, MAX_ROWS), functions=None)
    endpoint = kg.endpoint.untrusted_view()
    if guarded.form == "ASK":
        return SelectedTable(repaired.text, truth=endpoint.ask(guarded.query), changes=repaired.changes)
    rows = endpoint.select(guarded.query)
    kept = _keep_rows(rows, guarded.limit)
    columns = _columns(repaired.text, kept)
    terms = {term for row in kept for term in row.values() if isinstance(term, URIRef)}
    labels = kg.with_endpoint(kg.endpoint).labels(terms) if terms else {}
    return SelectedTable(
        repaired.text,
        columns,
        tuple(tuple(_cell(row.get(column), labels) for column in columns) for row in kept),
        is_cut=len(kept) < len(rows),
        changes=repaired.changes,
    )


def check_length(query: str) -> None:
    """Check that a query is not longer than people and agents write them.

    Raises:
        ConfigError: it is.
    """
    if len(query) > MAX_QUERY_CHARACTERS:
        raise ConfigError(f"the query has {len(query):,} characters; at most {MAX_QUERY_CHARACTERS:,} are run")


def _keep_rows(rows: Sequence[Row], limit: int) -> list[Row]:
    """Return the first rows, up to a number of rows and of characters."""
    kept: list[Row] = []
    size = 0
    for row in rows[:limit]:
        size += sum(min(len(str(term)), MAX_CELL_CHARACTERS) for term in row.values())
        if kept and size > MAX_RESULT_CHARACTERS:
            break
        kept.append(row)
    return kept


def _columns(query: str, rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the columns in the order of the query; those of ``SELECT *`` in the order of their first mention."""
    columns = dict.fromkeys((*analyze_query(query).result_variables, *(name for row in rows for name in row)))
    if not _ALL_COLUMNS.search(query):
        return tuple(columns)
    mentioned = {name: place for place, name in reversed(list(enumerate(_VARIABLE.findall(query))))}
    return tuple(sorted(columns, key=lambda name: mentioned.get(name, len(mentioned))))


def _cell(term: Term | None, labels: Mapping[Term, str]) -> Value | None:
    if term is None:
        return None
    if isinstance(term, BNode):
        return Value(f"_:{term}", "literal")
    value = to_value(term, labels.get(term, ""))
    if len(value.value) <= MAX_CELL_CHARACTERS:
        return value
    return Value(f"{value.value[:MAX_CELL_CHARACTERS]}…", value.kind, value.datatype, value.lang, value.label)
