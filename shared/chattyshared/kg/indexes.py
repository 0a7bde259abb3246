"""Indexes in SQLite of labels, found by text, words and similar spellings, and of literals, also by number or date."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz, process
from rdflib import Literal, URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.kg import labels
from chattyshared.kg.batches import batches, count_of, fetch_pages, format_iri, text_of, values_block
from chattyshared.kg.cache import RecentResults, iterate_rows, open_or_build_index
from chattyshared.kg.label_ranking import (
    MIN_SCORE,
    content_words,
    fold_text,
    label_similarity,
    singular_key,
    singularize,
    split_words,
)
from chattyshared.kg.metadata_terms import schema_classes
from chattyshared.kg.statistics import KGStatistics
from chattyshared.kg.vocabulary import LiteralHit, RowKey
from chattyshared.literals import (
    format_number,
    format_year,
    parse_moment,
    parse_number,
    read_moment,
    read_number,
)
from chattyshared.profile import TYPE_PREDICATES, Profile
from chattyshared.progress import Advance, ShowProgress, hide_progress, report_items

MAX_LENGTH = 80
"""Longer literals are not searched: questions do not contain them."""
WITHIN_PERIOD = 0.9
"""Score of a date for the year or month that it lies in; set by hand."""
_LITERAL_SCHEMA = """
CREATE TEMP TABLE stated_literal(text TEXT, datatype TEXT, lang TEXT, predicate TEXT);
CREATE TABLE literal(id INTEGER PRIMARY KEY, text TEXT, datatype TEXT, lang TEXT, predicates TEXT);
CREATE TABLE number(value TEXT, id INTEGER);
CREATE TABLE moment(period TEXT, is_exact INTEGER, length INTEGER, id INTEGER);
"""
_LITERALS = """
INSERT INTO literal(text, datatype, lang, predicates)
 SELECT text, datatype, lang, group_concat(predicate, ' ') FROM stated_literal GROUP BY text, datatype, lang
 ORDER BY text, datatype, lang;
DROP TABLE stated_literal;
CREATE INDEX number_value ON number(value);
CREATE INDEX moment_period ON moment(period, is_exact DESC, length, id);
"""
NUMBER = re.compile(r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$|^[+-]?\d+(\.\d+)?$")


_SCHEMA = """
CREATE TEMP TABLE stated(iri TEXT, text TEXT, main INTEGER, weight INTEGER);
CREATE TABLE entry(id INTEGER PRIMARY KEY, iri TEXT, text TEXT, main INTEGER, weight INTEGER, folded TEXT, loose TEXT);
CREATE VIRTUAL TABLE word USING
 fts5(stems, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'");
"""
_INDEXES = """
DROP TABLE stated;
CREATE INDEX entry_folded ON entry(folded);
CREATE INDEX entry_loose ON entry(loose);
CREATE VIRTUAL TABLE stem USING fts5vocab('word', 'row');
"""
INDEX_VERSION = 4
"""Part of the name of an index file: texts are folded and split as this version does it."""
MAX_CANDIDATES = 100
"""Entries found for the words of one text, before ranking."""
MAX_WORDS = 12
"""Words of a text that are searched for; longer labels are rare."""
MAX_LABELS_PER_WORD = 1_000
"""A word in more labels than this is not selective, and ranking all of them is slow."""
CACHE_SIZE = 4_096
"""Texts and words whose entries are cached."""
MIN_SPELLING_SIMILARITY = 78
"""The least similarity, in percent, of a misspelled word."""

SHARED_LETTERS = 3
"""Letters that all inflections of a word share; of a short word only the first (man, men)."""
_SHORT_WORD = 5
_MAX_CHARACTER = "\U0010ffff"
PAGE_SIZE = 100_000
MAX_TRIPLES_FOR_LOCAL_NAMES = 2_000_000
"""Up to this many triples, vertices without a label are indexed by their IRIs' local names."""


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """One label of a vertex: its IRI, the text, whether it is the main label, and the vertex's number of triples."""

    iri: str
    text: str
    is_main: bool
    weight: int = 0


class LabelIndex:
    """Finds entries by words. Built once, in memory or in a file; safe to use from several threads."""

    _title = "index of names"

    def __init__(
        self,
        path: Path | None,
        entries: Callable[[], Iterable[Any]],
        *,
        show_progress: ShowProgress = hide_progress,
        count: int | None = None,
    ) -> None:
        """Open the index in a file; build it if it is missing or damaged, in memory if the file cannot be written.

        ``count`` is about the number of entries, for the progress of building.
        """

        def fill(connection: sqlite3.Connection) -> None:
            with show_progress(self._title, count and 2 * count) as advance:
                self._fill(connection, entries(), advance)
            connection.commit()

        self._file = open_or_build_index(path, fill, table="stem")
        self._labels_with = dict(self._file.select("SELECT term, doc FROM stem ORDER BY term"))
        self._stems = list(self._labels_with)
        # The same words recur within and between dialogues; reading and ranking their labels is slow.
        self._similar = lru_cache(maxsize=CACHE_SIZE)(self._read_similar)
        self._cached_spellings = lru_cache(maxsize=CACHE_SIZE)(self._spellings)
        self.ranked = RecentResults(CACHE_SIZE)

    def find_exact(self, text: str) -> list[LabelEntry]:
        """Return the entries equal to the text, ignoring case, accents, brackets, punctuation and plural."""
        return self._select(
            "SELECT iri, text, main, weight FROM entry WHERE folded = ?"
            " UNION SELECT iri, text, main, weight FROM entry WHERE loose = ?"
            " ORDER BY iri, main DESC, text LIMIT 2000",
            (fold_text(text), singular_key(text)),
        )

    def find_whole(self, text: str) -> list[LabelEntry]:
        """Return the entries of ``find_exact``, and those that differ only in the end of the last word.

        "smaller foxes" finds "Smaller Fox", "analyses" finds "Analysis"; the caller decides whether it is the same
        word.
        """
        return self.find_exact(text) + self._inflected(fold_text(text))

    def _inflected(self, folded: str) -> list[LabelEntry]:
        lead, blank, last = folded.rpartition(" ")
        if not lead and len(last) <= SHARED_LETTERS:
            return []
        beginning = lead + blank + last[: SHARED_LETTERS if len(last) > _SHORT_WORD or not lead else 1]
        return self._select(
            "SELECT iri, text, main, weight FROM entry"
            " WHERE folded >= ? AND folded < ? AND instr(substr(folded, ?), ' ') = 0 ORDER BY folded, iri LIMIT 200",
            (beginning, beginning + _MAX_CHARACTER, len(beginning)),
        )

    def find_similar(self, text: str, *, limit: int = MAX_CANDIDATES) -> list[LabelEntry]:
        """Return entries that share words with the text, or similar spellings of them; most similar first."""
        return list(self._similar(text, limit))

    def _read_similar(self, text: str, limit: int) -> list[LabelEntry]:
        stems = list(dict.fromkeys(singularize(word) for word in content_words(text)))[:MAX_WORDS]
        spellings = [spelled for stem in stems if (spelled := self._cached_spellings(stem))]
        if not spellings:
            return []
        rare_stems = dict.fromkeys(
            stem for spelled in spellings for stem in spelled if self._labels_with[stem] <= MAX_LABELS_PER_WORD
        )
        if rare_stems:
            match_query, order = " OR ".join(f'"{stem}"' for stem in rare_stems), "rank, rowid"
        else:  # no selective word: any labels with all of the words
            alternatives = ("(" + " OR ".join(f'"{stem}"' for stem in spelled) + ")" for spelled in spellings)
            match_query, order = " AND ".join(alternatives), "rowid"
        return self._select(
            "SELECT iri, text, main, weight FROM entry WHERE id IN"
            f" (SELECT rowid FROM word WHERE word MATCH ? ORDER BY {order} LIMIT ?) ORDER BY id",
            (match_query, limit),
        )

    def _spellings(self, stem: str) -> list[str]:
        if stem in self._labels_with:
            return [stem]
        if len(stem) < 4 or stem.isdigit():
            return []
        matches = process.extract(stem, self._stems, scorer=fuzz.ratio, score_cutoff=MIN_SPELLING_SIMILARITY, limit=8)
        return [str(term) for term, _, _ in matches]

    def _select(self, query: str, values: Sequence[object]) -> list[LabelEntry]:
        rows = self._file.select(query, values)
        return [LabelEntry(iri, text, bool(main), weight) for iri, text, main, weight in rows]

    def _fill(self, connection: sqlite3.Connection, entries: Iterable[Any], advance: Advance) -> None:
        """Write the tables; of an entry that comes several times, one is a main label if any is."""
        connection.executescript(_SCHEMA)
        connection.executemany(
            "INSERT INTO stated(iri, text, main, weight) VALUES (?, ?, ?, ?)",
            ((entry.iri, entry.text, int(entry.is_main), entry.weight) for entry in report_items(entries, advance)),
        )
        merged = "SELECT iri, text, max(main), max(weight) FROM stated GROUP BY iri, text ORDER BY iri, text"
        for id, row in enumerate(report_items(iterate_rows(connection, merged), advance), start=1):
            values = (id, *row, fold_text(row[1]), singular_key(row[1]))
            connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", values)
            stems = " ".join(map(singularize, split_words(row[1])))
            connection.execute("INSERT INTO word(rowid, stems) VALUES (?, ?)", (id, stems))
        connection.executescript(_INDEXES)


def read_label_entries(
    endpoint: Endpoint, profile: Profile, counts: KGStatistics, row_keys: Iterable[RowKey] = ()
) -> Iterator[LabelEntry]:
    """Yield main and alternative labels of all vertices, and the local names of vertices without a label; rows with a
    key are called by it.

    Classes, predicates and other metadata are not vertices. A class that is stated by another predicate than
    ``rdf:type`` is a vertex if the KG states more about it than labels, members and hierarchy. An entry may come more
    than once.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    weights: dict[str, int] = {}
    if counts.triples <= MAX_TRIPLES_FOR_LOCAL_NAMES:
        weights = _triple_counts(endpoint, profile, counts)
    schema_terms = _schema_terms(endpoint, profile, counts)
    if profile.types != TYPE_PREDICATES and weights:
        schema_terms |= _class_terms(endpoint, profile, counts) - weights.keys()
    unnamed = weights.keys() - schema_terms
    for subject, label, is_main in _stated_names(endpoint, profile):
        if is_main:
            unnamed.discard(subject)
        if label.strip() and subject not in schema_terms:
            yield LabelEntry(subject, label, is_main, weights.get(subject, 0))
    for key in row_keys:
        for row in fetch_pages(endpoint, f"SELECT ?s ?x WHERE {{ ?s {format_iri(key.predicate)} ?x }}", PAGE_SIZE):
            if text_of(row, "s") in unnamed:
                yield LabelEntry(text_of(row, "s"), f"{key.noun} {text_of(row, 'x')}", True, weights[text_of(row, "s")])
    for subject in sorted(unnamed):
        if (label := labels.label_from_iri(subject)).strip():
            yield LabelEntry(subject, label, True, weights[subject])


def _stated_names(endpoint: Endpoint, profile: Profile) -> Iterator[tuple[str, str, bool]]:
    """Yield vertex, label, and whether it is a main label. Of names in two columns, each part of a whole name is an
    alternative label."""
    fully_named: set[str] = set()
    for given, family in profile.name_pairs:
        pattern = (
            f"?s {format_iri(given)} ?x ; {format_iri(family)} ?y FILTER(isIRI(?s) && isLiteral(?x) && isLiteral(?y))"
        )
        for row in fetch_pages(endpoint, f"SELECT DISTINCT ?s ?x ?y WHERE {{ {pattern} }}", PAGE_SIZE):
            fully_named.add(text_of(row, "s"))
            yield text_of(row, "s"), " ".join(f"{text_of(row, 'x')} {text_of(row, 'y')}".split()), True
    main = labels.label_predicates(profile)
    parts = {part for pair in profile.name_pairs for part in pair}
    for predicate in dict.fromkeys((*main, *profile.alt_labels)):
        query = f"SELECT DISTINCT ?s ?x WHERE {{ ?s {format_iri(predicate)} ?x FILTER(isIRI(?s) && isLiteral(?x)) }}"
        for row in fetch_pages(endpoint, query, PAGE_SIZE):
            is_part = predicate in parts and text_of(row, "s") in fully_named
            yield text_of(row, "s"), text_of(row, "x"), predicate in main and not is_part


def _triple_counts(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> dict[str, int]:
    """Return all IRIs at either end of the triples that are not metadata, with the numbers of these triples."""
    predicates = [p for p in counts.predicates if p not in profile.metadata]
    weights: Counter[str] = Counter()
    for end in "so":
        where = f"{{ {values_block('p', predicates)} ?s ?p ?o FILTER(isIRI(?{end})) }}"
        query = f"SELECT ?{end} (COUNT(*) AS ?n) WHERE {where} GROUP BY ?{end}"
        for row in fetch_pages(endpoint, query, PAGE_SIZE):
            weights[text_of(row, end)] += count_of(row, "n")
    return weights


def _schema_terms(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> set[str]:
    terms = {*counts.predicates, *profile.metadata_classes}
    classes = [class_iri for class_iri in schema_classes(profile) if class_iri in counts.classes]
    if classes:
        query = f"SELECT DISTINCT ?s WHERE {{ {values_block('c', classes)} ?s a ?c FILTER(isIRI(?s)) }}"
        terms.update(text_of(row, "s") for row in fetch_pages(endpoint, query, PAGE_SIZE))
    return terms


def _class_terms(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> set[str]:
    """Return what the KG uses as a class: it has members, subclasses or superclasses."""
    classes = set(counts.classes)
    for predicate in profile.subclasses:
        query = f"SELECT DISTINCT ?s ?o WHERE {{ ?s {format_iri(predicate)} ?o FILTER(isIRI(?s) && isIRI(?o)) }}"
        classes.update(text_of(row, end) for row in fetch_pages(endpoint, query, PAGE_SIZE) for end in "so")
    return classes


class LiteralIndex(LabelIndex):
    """All distinct short literals of a KG with their predicates, found by text, number or date."""

    _title = "index of values"

    def find_literals(self, text: str, *, limit: int, whole_only: bool = False) -> tuple[LiteralHit, ...]:
        """Return the literals that match a text, best first; with ``whole_only``, those equal to it."""
        scores = dict.fromkeys(self._find_number(text), 1.0)
        scores |= {id: 1.0 if is_exact else WITHIN_PERIOD for id, is_exact in self._find_dates(text.strip(), limit)}
        exact = self.find_exact(text)
        for entry in exact if whole_only else exact + self.find_similar(text, limit=max(40, 2 * limit)):
            score = label_similarity(text, entry.text)
            if score >= MIN_SCORE:
                scores[int(entry.iri)] = score
        found = {id: self._read_literal(id) for id in scores}
        ranked = sorted(scores, key=lambda id: (-scores[id], len(found[id][0]), id))[:limit]
        return tuple(LiteralHit(*found[id], scores[id]) for id in ranked)

    def _find_number(self, text: str) -> list[int]:
        number = parse_number(text.replace(",", "")) if NUMBER.match(text) else None
        if number is None:
            return []
        return [id for (id,) in self._file.select("SELECT id FROM number WHERE value = ?", (format_number(number),))]

    def _find_dates(self, text: str, limit: int) -> list[tuple[int, bool]]:
        """Return the literals of a year, month or day, those that state no more of the date first."""
        if parse_moment(text) is None:
            return []
        return self._file.select(
            "SELECT id, is_exact FROM moment WHERE period = ? ORDER BY is_exact DESC, length, id LIMIT ?", (text, limit)
        )

    def _read_literal(self, id: int) -> tuple[Literal, tuple[str, ...]]:
        query = "SELECT text, datatype, lang, predicates FROM literal WHERE id = ?"
        text, datatype, language, predicates = self._file.select(query, (id,))[0]
        kind = URIRef(datatype) if datatype and not language else None
        return Literal(text, lang=language or None, datatype=kind, normalize=False), tuple(sorted(predicates.split()))

    def _fill(self, connection: sqlite3.Connection, entries: Iterable[Any], advance: Advance) -> None:
        connection.executescript(_LITERAL_SCHEMA)
        connection.executemany(
            "INSERT INTO stated_literal VALUES (?, ?, ?, ?)",
            (
                (str(value), str(value.datatype or ""), value.language or "", predicate)
                for value, predicate in report_items(entries, advance)
            ),
        )
        connection.executescript(_LITERALS)
        super()._fill(connection, _texts_without_value(connection), lambda count: None)


def _texts_without_value(connection: sqlite3.Connection) -> Iterator[LabelEntry]:
    """Write numbers and dates to their tables, and yield all other literals."""
    for id, text, datatype, language in iterate_rows(connection, "SELECT id, text, datatype, lang FROM literal"):
        value = Literal(text, datatype=URIRef(datatype), normalize=False) if datatype and not language else None
        number, moment = read_number(value), read_moment(value)
        if number is not None:
            connection.execute("INSERT INTO number VALUES (?, ?)", (format_number(number), id))
        elif moment is not None:
            for period in dict.fromkeys((format_year(moment.year), moment.date)):
                row = (period, period == moment.date, len(text), id)
                connection.execute("INSERT INTO moment VALUES (?, ?, ?, ?)", row)
        else:
            yield LabelEntry(str(id), text, True)


def read_literals(endpoint: Endpoint, predicates: Iterable[str]) -> Iterator[tuple[Literal, str]]:
    """Yield all distinct short literals of some predicates, with their predicates.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    for batch in batches(predicates):
        pattern = f"{values_block('p', batch)} ?s ?p ?o FILTER(isLiteral(?o) && STRLEN(STR(?o)) <= {MAX_LENGTH})"
        for row in fetch_pages(endpoint, f"SELECT DISTINCT ?p ?o WHERE {{ {pattern} }}", PAGE_SIZE):
            if isinstance(value := row.get("o"), Literal):
                yield value, text_of(row, "p")
