"""Misspelt words of a question, read as the vocabulary's word that is nearest to them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from difflib import get_close_matches
from functools import lru_cache

from chattyshared.language.morphology import is_english_word
from rapidfuzz import fuzz, process

from chattykg.linking.label_lexicon import LabelLexicon

SHORTEST = 5
"""Shorter words are near to too many others."""
MIN_SPELLING_RATIO = 0.8
_KEPT = 4
_REMEMBERED = 4_096
_CACHE: list[tuple[LabelLexicon, Callable[[str], str]]] = []


def is_unknown_word(word: str) -> bool:
    """Tell whether a word is none of English, as a misspelt one or a rare name is."""
    return word.isalpha() and len(word) >= SHORTEST and not is_english_word(word)


def correct_spelling(word: str, lexicon: LabelLexicon) -> str:
    """Return the word of the vocabulary's labels that a misspelt one means, or the word itself."""
    return _speller(lexicon)(word) if is_unknown_word(word) else word


def _speller(lexicon: LabelLexicon) -> Callable[[str], str]:
    """Return what corrects words by a lexicon; the last few are kept."""
    for known, made in _CACHE:
        if known is lexicon:
            return made
    found = {word for labels in lexicon.labels.values() for label in labels for word in label.split()}
    words = frozenset(word for word in found if len(word) >= SHORTEST)

    @lru_cache(maxsize=_REMEMBERED)
    def corrected(word: str) -> str:
        if word in words:
            return word
        near = _nearest(word, words)
        if not near and word.endswith("s"):
            singular = _nearest(word[:-1], words)
            near = f"{singular}s" if singular else ""
        return near or word

    _CACHE.append((lexicon, corrected))
    del _CACHE[:-_KEPT]
    return corrected


def _nearest(word: str, words: Collection[str]) -> str:
    """Return the nearest of many words, "" if none is near.

    Blocks that match, which is what difflib counts, are no more than letters in common order, which is quick to count.
    """
    maybe = process.extract(word, words, scorer=fuzz.ratio, score_cutoff=100 * MIN_SPELLING_RATIO - 0.01, limit=None)
    near = get_close_matches(word, [known for known, _, _ in maybe], 1, MIN_SPELLING_RATIO)
    return near[0] if near else ""
