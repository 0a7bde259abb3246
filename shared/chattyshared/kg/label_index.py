"""All labels of a KG in SQLite: exact by folded text, by words, and by words spelled nearly so."""

from __future__ import annotations

import logging
import os
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from rapidfuzz import fuzz, process

from chattyshared.kg.label_ranking import content_words, fold_text, singular_key, singularize, split_words

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
