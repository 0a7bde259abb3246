"""Spelling correction: misspelt words of a question become the nearest word of the vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Collection
from difflib import get_close_matches
from functools import lru_cache

from chattyshared.language.languages import Morphology
from rapidfuzz import fuzz, process

from chattykg.linking.label_lexicon import CACHE_SIZE, LabelLexicon

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MIN_WORD_LETTERS = 5
"""Letters of the shortest word that is corrected; shorter ones are similar to too many others."""
MIN_SPELLING_RATIO = 0.8
"""Ratio (0..1) of matching letters from which a word is a correction."""
_MAX_CACHED_WORDS = 4_096
"""Corrections of one lexicon that are kept."""


def is_unknown_word(word: str, morphology: Morphology) -> bool:
    """Tell whether the dictionary of a language lacks a word: misspelt, or a rare name."""
    return word.isalpha() and len(word) >= MIN_WORD_LETTERS and not morphology.is_word(word)


def correct_spelling(word: str, lexicon: LabelLexicon) -> str:
    """Return the word of the labels that a misspelt word stands for, or the word itself."""
    morphology = lexicon.language.morphology
    usual = morphology.correct_spelling(word)
    return _corrector(lexicon)(usual) if is_unknown_word(usual, morphology) else usual


@lru_cache(maxsize=CACHE_SIZE)
def _corrector(lexicon: LabelLexicon) -> Callable[[str], str]:
    """Return the corrector of a lexicon."""
    label_words = {word for labels in lexicon.labels.values() for label in labels for word in label.split()}
    words = frozenset(word for word in label_words if len(word) >= MIN_WORD_LETTERS)

    @lru_cache(maxsize=_MAX_CACHED_WORDS)
    def corrected(word: str) -> str:
        if word in words:
            return word
        correction = _nearest(word, words)
        if not correction and word.endswith("s"):
            singular = _nearest(word[:-1], words)
            correction = f"{singular}s" if singular else ""
        return correction or word

    return corrected


def _nearest(word: str, words: Collection[str]) -> str:
    """Return the nearest of many words, "" if none is similar.

    The ratio of rapidfuzz is fast and never below that of difflib, so that it selects the words to compare.
    """
    similar = process.extract(word, words, scorer=fuzz.ratio, score_cutoff=100 * MIN_SPELLING_RATIO - 0.01, limit=None)
    closest = get_close_matches(word, [known for known, _, _ in similar], 1, MIN_SPELLING_RATIO)
    return closest[0] if closest else ""
