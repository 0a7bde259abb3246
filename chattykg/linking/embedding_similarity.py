"""Similarity by meaning: cosines of sentence embeddings beside the lexical measure, vectors kept between runs."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from chattykg.linking.similarity import Similarity

UNRELATED_COSINE, SAME_COSINE = 0.15, 0.7
"""Cosines at and below the first mean nothing, at and above the second the same; ranks matter more than either."""
EMBEDDING_WEIGHT = 0.95
"""What a text that is near in meaning only is worth: names that share words go first."""


MAX_ENCODED_TEXTS = 400
"""Texts of which the meaning is read for one phrase: each new one costs milliseconds."""
MAX_TEXT_CHARACTERS = 200
"""Characters of a text that are read."""
logger = logging.getLogger(__name__)


class Encoder(Protocol):
    """Maps texts to unit vectors."""

    @property
    def name(self) -> str:
        """What tells its vectors from another encoder's."""

    def encode(self, texts: Sequence[str]) -> Any:
        """Return an array of shape (number of texts, dimensions), float32, each row of length 1."""

    def decode_vector(self, kept: bytes) -> Any:
        """Return the vector whose bytes were kept."""


class EmbeddingSimilarity:
    """Scores texts against a phrase by their words and by their meaning, whichever says more."""

    def __init__(self, encoder: Encoder, lexical: Similarity, cache_dir: Path | None = None) -> None:
        """Take an encoder, the lexical measure, and a folder where vectors are kept (None: in memory).

        Raises:
            OSError, sqlite3.Error: the folder cannot be written.
        """
        self._encoder, self._lexical, self._lock = encoder, lexical, Lock()
        if cache_dir is not None:
            cache_dir.mkdir(parents=True, exist_ok=True)
        place = ":memory:" if cache_dir is None else str(cache_dir / "embeddings.sqlite")
        self._base = sqlite3.connect(place, check_same_thread=False, timeout=30)
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS vector(encoder TEXT, text TEXT, value BLOB, PRIMARY KEY(encoder, text))"
        )
        self._known: dict[str, Any] = {}

    def __call__(self, phrase: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a score in 0..1 for each text; of very many, meaning is read of those that are nearest by words."""
        by_words = list(self._lexical(phrase, texts))
        read = _cut(phrase)
        places = sorted((n for n, text in enumerate(texts) if text.strip()), key=lambda n: -by_words[n])[
            :MAX_ENCODED_TEXTS
        ]
        if not read.strip() or not places:
            return by_words
        vectors = self._vectors([read, *(_cut(texts[n]) for n in places)])
        for n in places:
            cosine = round(float(vectors[read] @ vectors[_cut(texts[n])]), 3)  # batches differ beyond that
            by_words[n] = max(by_words[n], EMBEDDING_WEIGHT * _scaled(cosine))
        return by_words

    def _vectors(self, texts: Sequence[str]) -> Mapping[str, Any]:
        """Return a vector for each text; each is made once."""
        with self._lock:
            missing = [text for text in dict.fromkeys(texts) if text not in self._known]
            try:
                self._read(missing)
            except sqlite3.OperationalError as error:
                logger.warning("vectors could not be read: %s", error)
            new = [text for text in missing if text not in self._known]
            if new:
                self._known |= dict(zip(new, self._encoder.encode(new), strict=True))
                self._keep(new)
            return {text: self._known[text] for text in texts}

    def _read(self, texts: Sequence[str]) -> None:
        for text in texts:
            row = self._base.execute(
                "SELECT value FROM vector WHERE encoder = ? AND text = ?", (self._encoder.name, text)
            ).fetchone()
            if row is not None:
                self._known[text] = self._encoder.decode_vector(row[0])

    def _keep(self, texts: Sequence[str]) -> None:
        """Keep vectors for later runs; where another process holds the file too long they are made again then."""
        rows = [(self._encoder.name, text, self._known[text].tobytes()) for text in texts]
        try:
            with self._base:
                self._base.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
        except sqlite3.OperationalError as error:
            logger.warning("vectors could not be kept: %s", error)


def _cut(text: str) -> str:
    return text[:MAX_TEXT_CHARACTERS]


def _scaled(cosine: float) -> float:
    return min(1.0, max(0.0, (cosine - UNRELATED_COSINE) / (SAME_COSINE - UNRELATED_COSINE)))
