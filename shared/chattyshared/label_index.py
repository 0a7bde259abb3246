"""All labels of a KG in SQLite: exact by folded text, by words, and by words spelled nearly so."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from rapidfuzz import fuzz, process

from chattyshared.ranking import content, fold, loose, singular, words

_SCHEMA = """
CREATE TABLE entry(id INTEGER PRIMARY KEY, iri TEXT, text TEXT, main INTEGER, folded TEXT, loose TEXT);
CREATE VIRTUAL TABLE word USING fts5(stems, content='', tokenize="unicode61 remove_diacritics 0");
"""
_KEYS = """
CREATE INDEX entry_folded ON entry(folded);
CREATE INDEX entry_loose ON entry(loose);
CREATE VIRTUAL TABLE stem USING fts5vocab('word', 'row');
"""
CANDIDATES = 200
"""Entries that one text may bring up by its words, before they are ranked."""
NEAR = 78
"""Likeness in per cent from which a word may be a misspelling of another."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One text that something is called by: of what, and whether it is its main label."""

    iri: str
    text: str
    is_main: bool


class LabelIndex:
    """Finds entries by words. Built once from entries, in memory or in a file; safe to ask from several threads."""

    def __init__(self, entries: Iterable[Entry] | None = None, *, file: Path | None = None) -> None:
        """Build from entries, or open what another run has built in ``file``."""
        self._lock = Lock()
        if entries is None and file is None:
            raise ValueError("entries or the file of a built index are needed")
        if file is None:
            self._base = sqlite3.connect(":memory:", check_same_thread=False)
            self._build(self._base, entries or ())
        else:
            if entries is not None:
                self._write(file, entries)
            self._base = sqlite3.connect(file, check_same_thread=False)
        self._stems = [row[0] for row in self._base.execute("SELECT term FROM stem ORDER BY term")]
        self._known = frozenset(self._stems)

    def close(self) -> None:
        """Close the database."""
        self._base.close()

    def exact(self, text: str) -> list[Entry]:
        """Return the entries that are the text, but for case, accents, brackets, punctuation and plural."""
        return self._select(
            "SELECT iri, text, main FROM entry WHERE folded = ? UNION SELECT iri, text, main FROM entry WHERE loose = ?"
            " ORDER BY iri, main DESC, text LIMIT 2000",
            (fold(text), loose(text)),
        )

    def near(self, text: str, *, limit: int = CANDIDATES) -> list[Entry]:
        """Return entries that share words with the text, words spelled nearly so included; most alike first."""
        stems = list(dict.fromkeys(singular(word) for word in content(text)))
        spread: dict[str, None] = {}
        for stem in stems:
            for other in self._spellings(stem):
                spread.setdefault(other)
        if not spread:
            return []
        wanted = " OR ".join(f'"{stem}"' for stem in spread)
        return self._select(
            "SELECT iri, text, main FROM entry WHERE id IN"
            " (SELECT rowid FROM word WHERE word MATCH ? ORDER BY rank, rowid LIMIT ?) ORDER BY id",
            (wanted, limit),
        )

    def _spellings(self, stem: str) -> list[str]:
        if stem in self._known:
            return [stem]
        if len(stem) < 4 or stem.isdigit():
            return []
        found = process.extract(stem, self._stems, scorer=fuzz.ratio, score_cutoff=NEAR, limit=8)
        return [str(term) for term, _, _ in found]

    def _select(self, query: str, values: Sequence[object]) -> list[Entry]:
        with self._lock:
            rows = self._base.execute(query, tuple(values)).fetchall()
        return [Entry(iri, text, bool(main)) for iri, text, main in rows]

    @classmethod
    def _write(cls, file: Path, entries: Iterable[Entry]) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        base = sqlite3.connect(draft)
        cls._build(base, entries)
        base.close()
        draft.replace(file)

    @staticmethod
    def _build(base: sqlite3.Connection, entries: Iterable[Entry]) -> None:
        base.executescript(_SCHEMA)
        rows = [(e.iri, e.text, int(e.is_main), fold(e.text), loose(e.text)) for e in entries]
        rows.sort()
        base.executemany("INSERT INTO entry(iri, text, main, folded, loose) VALUES (?, ?, ?, ?, ?)", rows)
        base.executemany(
            "INSERT INTO word(rowid, stems) VALUES (?, ?)",
            ((place, " ".join(map(singular, words(row[1])))) for place, row in enumerate(rows, start=1)),
        )
        base.executescript(_KEYS)
        base.commit()
