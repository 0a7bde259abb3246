"""Misspelt words of a question, read as the vocabulary's word that is nearest to them."""

from __future__ import annotations

from difflib import get_close_matches

from chattykg.linking.lexicon import Lexicon
from chattykg.linking.wording import is_word

SHORTEST = 5
"""Shorter words are near to too many others."""
NEAR = 0.8
_KEPT = 4
_CACHE: list[tuple[Lexicon, tuple[str, ...]]] = []


def is_odd(word: str) -> bool:
    """Tell whether a word is none of English, as a misspelt one or a rare name is."""
    return word.isalpha() and len(word) >= SHORTEST and not is_word(word)


def spelt(word: str, lexicon: Lexicon) -> str:
    """Return the word of the vocabulary's labels that a misspelt one means, or the word itself."""
    if not is_odd(word):
        return word
    known = _words(lexicon)
    if word in known:
        return word
    near = get_close_matches(word, known, 1, NEAR)
    if not near and word.endswith("s"):
        near = [f"{singular}s" for singular in get_close_matches(word[:-1], known, 1, NEAR)]
    return near[0] if near else word


def _words(lexicon: Lexicon) -> tuple[str, ...]:
    for known, words in _CACHE:
        if known is lexicon:
            return words
    found = {word for labels in lexicon.labels.values() for label in labels for word in label.split()}
    words = tuple(sorted(word for word in found if len(word) >= SHORTEST))
    _CACHE.append((lexicon, words))
    del _CACHE[:-_KEPT]
    return words
