"""All labels of a KG in SQLite: exact by folded text, by words, and by words spelled nearly so."""

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
from chattyshared.kg.label_ranking import content_words, fold_text, singular_key, singularize, split_words
from chattyshared.kg.metadata_terms import schema_classes
from chattyshared.kg.statistics import KGStatistics
from chattyshared.profile import TYPE_PREDICATES, Profile

_log = logging.getLogger(__name__)
_SCHEMA = """
CREATE TABLE entry(id INTEGER PRIMARY KEY, iri TEXT, text TEXT, main INTEGER, weight INTEGER, folded TEXT, loose TEXT);
CREATE VIRTUAL TABLE word USING fts5(stems, content='', tokenize="unicode61 remove_diacritics 0");
"""
_KEYS = """
CREATE INDEX entry_folded ON entry(folded);
CREATE INDEX entry_loose ON entry(loose);
CREATE VIRTUAL TABLE stem USING fts5vocab('word', 'row');
"""
CANDIDATES = 100
"""Entries that one text may bring up by its words, before they are ranked."""
WORDS = 12
"""Words of a text that are looked for; no label that is meant has more."""
FREQUENT = 1_000
"""A word that stands in more labels than this tells them apart no more, and ranking all of them takes long."""
REMEMBERED = 4_096
"""Texts and words whose entries are kept at hand."""
NEAR = 78
"""Likeness in per cent from which a word may be a misspelling of another."""

BEGINNING = 3
"""Letters that the forms of a word share; of a short one the first only (man, men)."""
_SHORT = 5
_LAST = "\U0010ffff"
PAGE = 100_000
NAMED = 2_000_000
"""Up to so many triples, vertices without a label are found by their IRIs' local names too."""


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """One text that something is called by: of what, whether it is its main label, and how many triples that has."""

    iri: str
    text: str
    is_main: bool
    weight: int = 0


class LabelIndex:
    """Finds entries by words. Built once from entries, in memory or in a file; safe to ask from several threads."""

    def __init__(self, base: sqlite3.Connection) -> None:
        """Take a database that ``built`` or ``kept`` has made."""
        weakref.finalize(self, base.close)
        self._lock = Lock()
        self._base = base
        self._labels_with = dict(base.execute("SELECT term, doc FROM stem ORDER BY term"))
        self._stems = list(self._labels_with)
        # The same words come again, in one talk and in many: reading and weighing their labels is what takes long.
        self._near = lru_cache(maxsize=REMEMBERED)(self._read_near)
        self._spelled = lru_cache(maxsize=REMEMBERED)(self._spellings)

    @classmethod
    def build(cls, entries: Iterable[LabelEntry]) -> LabelIndex:
        """Build an index in memory."""
        base = sqlite3.connect(":memory:", check_same_thread=False)
        _build(base, entries)
        return cls(base)

    @classmethod
    def open_or_build(cls, file: Path, entries: Callable[[], Iterable[LabelEntry]]) -> LabelIndex:
        """Open the index in a file; build it if it is not there or is damaged; in memory if it cannot be written."""
        try:
            if file.is_file():
                return cls(sqlite3.connect(file, check_same_thread=False))
        except sqlite3.Error as error:
            _log.warning("%s: is no index of labels (%s), made anew", file, error)
        read = list(entries())
        try:
            _write(file, read)
            return cls(sqlite3.connect(file, check_same_thread=False))
        except (OSError, sqlite3.Error) as error:
            _log.warning("%s: the index of labels cannot be kept (%s)", file, error)
            return cls.build(read)

    def find_exact(self, text: str) -> list[LabelEntry]:
        """Return the entries that are the text, but for case, accents, brackets, punctuation and plural."""
        return self._select(
            "SELECT iri, text, main, weight FROM entry WHERE folded = ?"
            " UNION SELECT iri, text, main, weight FROM entry WHERE loose = ?"
            " ORDER BY iri, main DESC, text LIMIT 2000",
            (fold_text(text), singular_key(text)),
        )

    def find_whole(self, text: str) -> list[LabelEntry]:
        """Return the entries that are the text, as ``exact`` does, or differ from it in the end of the last word only.

        "smaller foxes" finds "Smaller Fox", "analyses" "Analysis"; whether it is the same word is the caller's to tell.
        """
        return self.find_exact(text) + self._inflected(fold_text(text))

    def _inflected(self, folded: str) -> list[LabelEntry]:
        lead, blank, last = folded.rpartition(" ")
        if not lead and len(last) <= BEGINNING:
            return []
        beginning = lead + blank + last[: BEGINNING if len(last) > _SHORT or not lead else 1]
        return self._select(
            "SELECT iri, text, main, weight FROM entry"
            " WHERE folded >= ? AND folded < ? AND instr(substr(folded, ?), ' ') = 0 ORDER BY folded, iri LIMIT 200",
            (beginning, beginning + _LAST, len(beginning)),
        )

    def find_similar(self, text: str, *, limit: int = CANDIDATES) -> list[LabelEntry]:
        """Return entries that share words with the text, words spelled nearly so included; most alike first."""
        return list(self._near(text, limit))

    def _read_near(self, text: str, limit: int) -> list[LabelEntry]:
        stems = list(dict.fromkeys(singularize(word) for word in content_words(text)))[:WORDS]
        spread = [spelled for stem in stems if (spelled := self._spelled(stem))]
        if not spread:
            return []
        telling = dict.fromkeys(stem for spelled in spread for stem in spelled if self._labels_with[stem] <= FREQUENT)
        if telling:
            wanted, order = " OR ".join(f'"{stem}"' for stem in telling), "rank, rowid"
        else:  # nothing tells these labels apart: any of those that have all of the words
            every = ("(" + " OR ".join(f'"{stem}"' for stem in spelled) + ")" for spelled in spread)
            wanted, order = " AND ".join(every), "rowid"
        return self._select(
            "SELECT iri, text, main, weight FROM entry WHERE id IN"
            f" (SELECT rowid FROM word WHERE word MATCH ? ORDER BY {order} LIMIT ?) ORDER BY id",
            (wanted, limit),
        )

    def _spellings(self, stem: str) -> list[str]:
        if stem in self._labels_with:
            return [stem]
        if len(stem) < 4 or stem.isdigit():
            return []
        found = process.extract(stem, self._stems, scorer=fuzz.ratio, score_cutoff=NEAR, limit=8)
        return [str(term) for term, _, _ in found]

    def _select(self, query: str, values: Sequence[object]) -> list[LabelEntry]:
        with self._lock:
            rows = self._base.execute(query, tuple(values)).fetchall()
        return [LabelEntry(iri, text, bool(main), weight) for iri, text, main, weight in rows]


def _write(file: Path, entries: Iterable[LabelEntry]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(f".{os.getpid()}")
    base = sqlite3.connect(draft)
    try:
        _build(base, entries)
        base.close()
        draft.replace(file)
    finally:
        base.close()
        draft.unlink(missing_ok=True)


def _build(base: sqlite3.Connection, entries: Iterable[LabelEntry]) -> None:
    base.executescript(_SCHEMA)
    rows = sorted((e.iri, e.text, int(e.is_main), e.weight, fold_text(e.text), singular_key(e.text)) for e in entries)
    base.executemany("INSERT INTO entry(iri, text, main, weight, folded, loose) VALUES (?, ?, ?, ?, ?, ?)", rows)
    base.executemany(
        "INSERT INTO word(rowid, stems) VALUES (?, ?)",
        ((place, " ".join(map(singularize, split_words(row[1])))) for place, row in enumerate(rows, start=1)),
    )
    base.executescript(_KEYS)
    base.commit()


def read_label_entries(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> list[LabelEntry]:
    """Read main labels and alternative ones of all vertices, and the names of vertices without a label.

    Classes, predicates and other things that speak about the data are no vertices in this sense; a class that other
    predicates than ``rdf:type`` state is one if the KG says more of it than what it is called and which are its own.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    found = _labelled(endpoint, profile)
    main = {subject for (subject, _), is_main in found.items() if is_main}
    weights: dict[str, int] = {}
    if counts.triples <= NAMED:
        weights = _weights(endpoint, profile, counts)
        for subject in weights:
            if subject not in main:
                found.setdefault((subject, labels.label_from_iri(subject)), True)
    aside = _schema(endpoint, profile, counts)
    if profile.types != TYPE_PREDICATES and weights:
        aside |= _only_classes(endpoint, profile, counts) - weights.keys()
    return [
        LabelEntry(subject, label, is_main, weights.get(subject, 0))
        for (subject, label), is_main in found.items()
        if label.strip() and subject not in aside
    ]


def _labelled(endpoint: Endpoint, profile: Profile) -> dict[tuple[str, str], bool]:
    found = _full_names(endpoint, profile)
    whole = {subject for subject, _ in found}
    main = labels.label_predicates(profile)
    parts = {part for both in profile.name_pairs for part in both}
    for predicate in dict.fromkeys((*main, *profile.alt_labels)):
        query = f"SELECT DISTINCT ?s ?x WHERE {{ ?s {format_iri(predicate)} ?x FILTER(isIRI(?s) && isLiteral(?x)) }}"
        for row in fetch_pages(endpoint, query, PAGE):
            key = (text_of(row, "s"), text_of(row, "x"))
            is_part = key[0] in whole and predicate in parts
            found[key] = found.get(key, False) or (predicate in main and not is_part)
    return found


def _full_names(endpoint: Endpoint, profile: Profile) -> dict[tuple[str, str], bool]:
    """Read the names that stand in two columns; either part alone is a further name."""
    found: dict[tuple[str, str], bool] = {}
    for given, family in profile.name_pairs:
        both = (
            f"?s {format_iri(given)} ?x ; {format_iri(family)} ?y FILTER(isIRI(?s) && isLiteral(?x) && isLiteral(?y))"
        )
        for row in fetch_pages(endpoint, f"SELECT DISTINCT ?s ?x ?y WHERE {{ {both} }}", PAGE):
            found[text_of(row, "s"), " ".join(f"{text_of(row, 'x')} {text_of(row, 'y')}".split())] = True
    return found


def _weights(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> dict[str, int]:
    """Return all IRIs at either end of the triples that speak of the world, with the numbers of these."""
    content = [p for p in counts.predicates if p not in profile.metadata]
    found: Counter[str] = Counter()
    for end in "so":
        where = f"{{ {values_block('p', content)} ?s ?p ?o FILTER(isIRI(?{end})) }}"
        query = f"SELECT ?{end} (COUNT(*) AS ?n) WHERE {where} GROUP BY ?{end}"
        for row in fetch_pages(endpoint, query, PAGE):
            found[text_of(row, end)] += count_of(row, "n")
    return found


def _schema(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> set[str]:
    found = {*counts.predicates, *profile.metadata_classes}
    kinds = [kind for kind in schema_classes(profile) if kind in counts.classes]
    if kinds:
        query = f"SELECT DISTINCT ?s WHERE {{ {values_block('c', kinds)} ?s a ?c FILTER(isIRI(?s)) }}"
        found.update(text_of(row, "s") for row in fetch_pages(endpoint, query, PAGE))
    return found


def _only_classes(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> set[str]:
    """Return what the KG uses as a class: it has members, or stands below or above another."""
    found = set(counts.classes)
    for predicate in profile.subclasses:
        query = f"SELECT DISTINCT ?s ?o WHERE {{ ?s {format_iri(predicate)} ?o FILTER(isIRI(?s) && isIRI(?o)) }}"
        found.update(text_of(row, end) for row in fetch_pages(endpoint, query, PAGE) for end in "so")
    return found
