"""How near a relation phrase is to the names of a predicate; lexical unless something better is handed in."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from chattyshared.errors import ConfigError
from chattyshared.language.morphology import GENERIC_WORDS, AnalyzedPhrase, analyze_phrase, stem_of
from rapidfuzz import fuzz

from chattykg.linking.relation_thesaurus import look_up_senses

_SHORTEST_BEGINNING = 5
_SAID_MORE_EXACTLY = 0.86
_DONE = 0.88


class Similarity(Protocol):
    """Scores texts against a phrase."""

    def __call__(self, phrase: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a score in 0..1 for each text: 1 says the same, 0 has nothing to do with it."""


class LexicalSimilarity:
    """Similarity by lemmas, stems, shared words and characters, and the thesaurus of everyday relations."""

    def __call__(self, phrase: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a score in 0..1 for each text."""
        return [lexical_similarity(phrase, text) for text in texts]


@lru_cache(maxsize=200_000)
def lexical_similarity(phrase: str, text: str) -> float:
    """Return how near two phrases are, 0..1, by the best of the lexical ways."""
    one, two = analyze_phrase(phrase), analyze_phrase(text)
    if not one.words or not two.words:
        return 0.0
    if one.text == two.text or one.lemmas == two.lemmas:
        return 1.0
    if sorted(one.content_lemmas) == sorted(two.content_lemmas):
        return 0.97
    if one.stems == two.stems and len(one.content_lemmas) == len(two.content_lemmas):
        return 0.93
    return max(
        _shared(one, two),
        _headed(one, two),
        _done(one, two),
        _agreement(phrase, text)[0],
        _spelling(one, two),
        _begun(one, two),
    )


@lru_cache(maxsize=200_000)
def argument_polarity(phrase: str, text: str) -> int:
    """Tell whether two phrases read a relation from the same end (1), from opposite ends (-1), or neither (0)."""
    same = _agreement(phrase, text)[1]
    return same or _voices(analyze_phrase(phrase), analyze_phrase(text))


def _shared(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Weighted overlap of stems; broad words weigh little."""
    common = one.stems & two.stems
    if not common:
        return 0.0
    both = 2 * _weight(common) / (_weight(one.stems) + _weight(two.stems))
    return 0.85 * both


_BROAD_STEMS = frozenset(stem_of(word) for word in GENERIC_WORDS)


def _weight(stems: frozenset[str]) -> float:
    return sum(0.3 if word in _BROAD_STEMS else 1.0 for word in stems)


def _headed(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Compare a noun with the same noun said more exactly: ``composer`` and ``music composer``."""
    size = len(one.content_lemmas)
    whole = 0 < size < len(two.content_lemmas) and two.content_lemmas[-size:] == one.content_lemmas
    return _SAID_MORE_EXACTLY if whole and not set(one.content_lemmas) <= GENERIC_WORDS else 0.0


def _spelling(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    ratio = fuzz.ratio("".join(one.content_lemmas), "".join(two.content_lemmas)) / 100
    return 0.85 * ratio if ratio >= 0.8 else 0.0


def _begun(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Compare words written together: ``admitted`` begins ``admittancedate``."""
    for mine in one.stems:
        for other in two.stems:
            short, long = sorted((mine, other), key=len)
            if len(short) >= _SHORTEST_BEGINNING and long.startswith(short):
                return 0.62 / max(len(one.stems), len(two.stems))
    return 0.0


def _done(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Compare a verb with a label that says what it is done to: ``carry`` and ``carries load``."""
    done = (
        len(one.content_lemmas) == 1 and len(two.content_lemmas) == 2 and one.content_lemmas[0] == two.content_lemmas[0]
    )
    told = two.words[0] != two.lemmas[0] and two.words[0].endswith("s") and two.lemmas[0] == two.content_lemmas[0]
    return _DONE if done and told else 0.0


def _agreement(phrase: str, text: str) -> tuple[float, int]:
    """Return how well two phrases agree by the thesaurus, and from which ends."""
    mine, others = look_up_senses(phrase), look_up_senses(text)
    best, side = 0.0, 0
    for relation in mine.keys() & others.keys():
        for one in mine[relation]:
            for two in others[relation]:
                score = 0.95 * one.weight * two.weight
                leans = 1 if one.side == two.side else -1
                if score > best + 1e-9 or (abs(score - best) <= 1e-9 and leans != side):
                    side = leans if score > best + 1e-9 else 0
                    best = max(best, score)
    return best, side


def _voices(one: AnalyzedPhrase, two: AnalyzedPhrase) -> int:
    """Compare by form: ``written by`` and ``author`` say what the first end has; ``wrote``, ``author of`` do not."""
    first, second = _voice(one), _voice(two)
    if not first or not second:
        return 0
    return 1 if first == second else -1


def _voice(reading: AnalyzedPhrase) -> int:
    last = reading.words[-1] if reading.words else ""
    if last == "by":
        return 1
    if last == "of":
        return -1
    if len(reading.content_lemmas) == 1 and last.endswith(("er", "or", "ee", "ist", "ion")):
        return 1
    return -1 if len(reading.content_lemmas) == 1 and last.endswith("ed") else 0


OFF, AUTO = "off", "auto"


def open_similarity(embeddings: str = OFF, cache_dir: Path | None = None) -> tuple[Similarity, str]:
    """Open the similarity of names and phrases, with the name of its sentence encoder (``off`` without one).

    ``wanted`` is a folder with an encoder; ``auto`` (the one that is installed, if any), or ``off``. ``cache_dir``
    keeps vectors between runs.

    Raises:
        ConfigError: the folder holds no encoder, what reads it is not installed, or the cache cannot be written.
    """
    if embeddings == OFF:
        return LexicalSimilarity(), OFF
    from chattykg.linking.embedding_similarity import EmbeddingSimilarity
    from chattykg.linking.sentence_encoder import SentenceEncoder, find_installed_encoder

    folder = find_installed_encoder() if embeddings == AUTO else Path(embeddings)
    if folder is None:
        return LexicalSimilarity(), OFF
    encoder = SentenceEncoder(folder)
    try:
        return EmbeddingSimilarity(encoder, LexicalSimilarity(), cache_dir), encoder.name
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(f"{cache_dir}: vectors cannot be kept there ({error})") from error
