"""All labels of a KG in SQLite, found by folded text, by words, and by similar spellings of words."""

from __future__ import annotations

import logging
import os
import sqlite3
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from rapidfuzz import fuzz, process

from chattyshared.endpoint import Endpoint
from chattyshared.kg import labels
from chattyshared.kg.batches import count_of, fetch_pages, format_iri, text_of, values_block
from chattyshared.kg.cache import RecentResults
from chattyshared.kg.label_ranking import content_words, fold_text, singular_key, singularize, split_words
from chattyshared.kg.metadata_terms import schema_classes
from chattyshared.kg.statistics import KGStatistics
from chattyshared.profile import TYPE_PREDICATES, Profile

_log = logging.getLogger(__name__)
_SCHEMA = """
CREATE TABLE entry(id INTEGER PRIMARY KEY, iri TEXT, text TEXT, main INTEGER, weight INTEGER, folded TEXT, loose TEXT);
CREATE VIRTUAL TABLE word USING
 fts5(stems, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'");
"""
_INDEXES = """
CREATE INDEX entry_folded ON entry(folded);
CREATE INDEX entry_loose ON entry(loose);
CREATE VIRTUAL TABLE stem USING fts5vocab('word', 'row');
"""
INDEX_VERSION = 2
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

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Take a database that ``build`` or ``open_or_build`` has filled."""
        weakref.finalize(self, connection.close)
        self._lock = Lock()
        self._connection = connection
        self._labels_with = dict(connection.execute("SELECT term, doc FROM stem ORDER BY term"))
        self._stems = list(self._labels_with)
        # The same words recur within and between dialogues; reading and ranking their labels is slow.
        self._similar = lru_cache(maxsize=CACHE_SIZE)(self._read_similar)
        self._cached_spellings = lru_cache(maxsize=CACHE_SIZE)(self._spellings)
        self.ranked = RecentResults(CACHE_SIZE)

    @classmethod
    def build(cls, entries: Iterable[LabelEntry]) -> LabelIndex:
        """Build an index in memory."""
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        _fill_database(connection, entries)
        return cls(connection)

    @classmethod
    def open_or_build(cls, file: Path, entries: Callable[[], Iterable[LabelEntry]]) -> LabelIndex:
        """Open the index in a file; build it if it is missing or damaged, in memory if the file cannot be written."""
        try:
            if file.is_file():
                return cls(sqlite3.connect(file, check_same_thread=False))
        except sqlite3.Error as error:
            _log.warning("%s: is no index of labels (%s), made anew", file, error)
        entry_list = list(entries())
        try:
            _write_file(file, entry_list)
            return cls(sqlite3.connect(file, check_same_thread=False))
        except (OSError, sqlite3.Error) as error:
            _log.warning("%s: the index of labels cannot be kept (%s)", file, error)
            return cls.build(entry_list)

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
        with self._lock:
            rows = self._connection.execute(query, tuple(values)).fetchall()
        return [LabelEntry(iri, text, bool(main), weight) for iri, text, main, weight in rows]


def _write_file(file: Path, entries: Iterable[LabelEntry]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(f".{os.getpid()}")
    connection = sqlite3.connect(draft)
    try:
        _fill_database(connection, entries)
        connection.close()
        draft.replace(file)
    finally:
        connection.close()
        draft.unlink(missing_ok=True)


def _fill_database(connection: sqlite3.Connection, entries: Iterable[LabelEntry]) -> None:
    connection.executescript(_SCHEMA)
    rows = sorted((e.iri, e.text, int(e.is_main), e.weight, fold_text(e.text), singular_key(e.text)) for e in entries)
    connection.executemany("INSERT INTO entry(iri, text, main, weight, folded, loose) VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.executemany(
        "INSERT INTO word(rowid, stems) VALUES (?, ?)",
        ((number, " ".join(map(singularize, split_words(row[1])))) for number, row in enumerate(rows, start=1)),
    )
    connection.executescript(_INDEXES)
    connection.commit()


def read_label_entries(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> list[LabelEntry]:
    """Read main and alternative labels of all vertices, and the local names of vertices without a label.

    Classes, predicates and other metadata are not vertices. A class that is stated by another predicate than
    ``rdf:type`` is a vertex if the KG states more about it than labels, members and hierarchy.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    is_main_by_name = _stated_names(endpoint, profile)
    main = {subject for (subject, _), is_main in is_main_by_name.items() if is_main}
    weights: dict[str, int] = {}
    if counts.triples <= MAX_TRIPLES_FOR_LOCAL_NAMES:
        weights = _triple_counts(endpoint, profile, counts)
        for subject in weights:
            if subject not in main:
                is_main_by_name.setdefault((subject, labels.label_from_iri(subject)), True)
    schema_terms = _schema_terms(endpoint, profile, counts)
    if profile.types != TYPE_PREDICATES and weights:
        schema_terms |= _class_terms(endpoint, profile, counts) - weights.keys()
    return [
        LabelEntry(subject, label, is_main, weights.get(subject, 0))
        for (subject, label), is_main in is_main_by_name.items()
        if label.strip() and subject not in schema_terms
    ]


def _stated_names(endpoint: Endpoint, profile: Profile) -> dict[tuple[str, str], bool]:
    is_main_by_name = _full_names(endpoint, profile)
    fully_named = {subject for subject, _ in is_main_by_name}
    main = labels.label_predicates(profile)
    parts = {part for pair in profile.name_pairs for part in pair}
    for predicate in dict.fromkeys((*main, *profile.alt_labels)):
        query = f"SELECT DISTINCT ?s ?x WHERE {{ ?s {format_iri(predicate)} ?x FILTER(isIRI(?s) && isLiteral(?x)) }}"
        for row in fetch_pages(endpoint, query, PAGE_SIZE):
            key = (text_of(row, "s"), text_of(row, "x"))
            is_part = key[0] in fully_named and predicate in parts
            is_main_by_name[key] = is_main_by_name.get(key, False) or (predicate in main and not is_part)
    return is_main_by_name


def _full_names(endpoint: Endpoint, profile: Profile) -> dict[tuple[str, str], bool]:
    """Read the names in two columns; each part alone becomes an alternative label elsewhere."""
    is_main_by_name: dict[tuple[str, str], bool] = {}
    for given, family in profile.name_pairs:
        pattern = (
            f"?s {format_iri(given)} ?x ; {format_iri(family)} ?y FILTER(isIRI(?s) && isLiteral(?x) && isLiteral(?y))"
        )
        for row in fetch_pages(endpoint, f"SELECT DISTINCT ?s ?x ?y WHERE {{ {pattern} }}", PAGE_SIZE):
            is_main_by_name[text_of(row, "s"), " ".join(f"{text_of(row, 'x')} {text_of(row, 'y')}".split())] = True
    return is_main_by_name


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
