"""Embedding similarity: cosines of sentence embeddings next to the lexical similarity, with a cache of vectors."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from chattyshared.errors import ConfigError

from chattykg.linking.similarity import LexicalSimilarity, Similarity

OFF, AUTO = "off", "auto"

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
UNRELATED_COSINE, SAME_COSINE = 0.15, 0.7
"""Cosines (-1..1) that scale to a score of 0 and of 1."""
EMBEDDING_WEIGHT = 0.95
"""Weight (0..1) of the embedding score: names that share words rank before others."""
MAX_ENCODED_TEXTS = 400
"""Texts that are encoded for one phrase at most: each new one takes milliseconds."""
MAX_TEXT_CHARACTERS = 200
"""Characters of a text that are encoded."""
logger = logging.getLogger(__name__)


class Encoder(Protocol):
    """Encodes texts as unit vectors."""

    @property
    def name(self) -> str:
        """A name that identifies its vectors in a cache."""

    def encode(self, texts: Sequence[str]) -> Any:
        """Return an array of shape (number of texts, dimensions), float32, each row of length 1."""

    def decode_vector(self, data: bytes) -> Any:
        """Return the vector with these bytes."""


class EmbeddingSimilarity:
    """Scores texts against a phrase by lexical and by embedding similarity; the higher score counts."""

    def __init__(self, encoder: Encoder, lexical: Similarity, cache_dir: Path | None = None) -> None:
        """Take an encoder, the lexical similarity, and a folder for the cache of vectors (None: in memory).

        Raises:
            OSError, sqlite3.Error: the folder cannot be written.
        """
        self._encoder, self._lexical, self._lock = encoder, lexical, Lock()
        if cache_dir is not None:
            cache_dir.mkdir(parents=True, exist_ok=True)
        database = ":memory:" if cache_dir is None else str(cache_dir / "embeddings.sqlite")
        self._base = sqlite3.connect(database, check_same_thread=False, timeout=30)
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS vector(encoder TEXT, text TEXT, value BLOB, PRIMARY KEY(encoder, text))"
        )
        self._known: dict[str, Any] = {}

    def __call__(self, phrase: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a score in 0..1 for each text; of very many, only the lexically nearest ones are encoded."""
        scores = list(self._lexical(phrase, texts))
        query = _truncate(phrase)
        indices = sorted((n for n, text in enumerate(texts) if text.strip()), key=lambda n: -scores[n])
        indices = indices[:MAX_ENCODED_TEXTS]
        if not query.strip() or not indices:
            return scores
        vectors = self._vectors([query, *(_truncate(texts[n]) for n in indices)])
        for n in indices:
            cosine = round(float(vectors[query] @ vectors[_truncate(texts[n])]), 3)  # more digits depend on the batch
            scaled = (cosine - UNRELATED_COSINE) / (SAME_COSINE - UNRELATED_COSINE)
            scores[n] = max(scores[n], EMBEDDING_WEIGHT * min(1.0, max(0.0, scaled)))
        return scores

    def cosines(self, text: str, others: Sequence[str]) -> list[float]:
        """Return the cosine (-1..1) of a text with each other text; all of them are encoded."""
        vectors = self._vectors([_truncate(text), *map(_truncate, others)])
        # More digits depend on the batch.
        return [round(float(vectors[_truncate(text)] @ vectors[_truncate(other)]), 3) for other in others]

    def _vectors(self, texts: Sequence[str]) -> Mapping[str, Any]:
        """Return a vector for each text; each text is encoded once."""
        with self._lock:
            unread = [text for text in dict.fromkeys(texts) if text not in self._known]
            try:
                self._read(unread)
            except sqlite3.OperationalError as error:
                logger.warning("vectors could not be read: %s", error)
            new = [text for text in unread if text not in self._known]
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
        """Store vectors for later runs; if another process locks the file for too long, only warn."""
        rows = [(self._encoder.name, text, self._known[text].tobytes()) for text in texts]
        try:
            with self._base:
                self._base.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
        except sqlite3.OperationalError as error:
            logger.warning("vectors could not be kept: %s", error)


def _truncate(text: str) -> str:
    return text[:MAX_TEXT_CHARACTERS]


def open_similarity(embeddings: str = OFF, cache_dir: Path | None = None) -> tuple[Similarity, str]:
    """Open the similarity of names and phrases, with the name of its sentence encoder (``off`` without one).

    ``embeddings`` is a folder with an encoder, ``auto`` (the installed one, if any), or ``off``. ``cache_dir`` keeps
    vectors between runs.

    Raises:
        ConfigError: the folder holds no encoder, a package is not installed, or the cache cannot be written.
    """
    if embeddings == OFF:
        return LexicalSimilarity(), OFF
    from chattykg.linking.sentence_encoder import SentenceEncoder, find_installed_encoder

    folder = find_installed_encoder() if embeddings == AUTO else Path(embeddings)
    if folder is None:
        return LexicalSimilarity(), OFF
    encoder = SentenceEncoder(folder)
    try:
        return EmbeddingSimilarity(encoder, LexicalSimilarity(), cache_dir), encoder.name
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(f"{cache_dir}: vectors cannot be kept there ({error})") from error
