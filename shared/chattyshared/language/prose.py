"""Prose: texts that are sentences, such as remarks; these name nothing, and nobody asks for them."""

from __future__ import annotations

from collections.abc import Iterable

_MIN_WORDS = 3
"""Words of a text with a full stop from which it can be a sentence; set by hand."""
_MAX_PHRASE_WORDS = 6
"""Words up to which a text without a full stop is a phrase; set by hand."""
_MIN_LOWER_SHARE = 0.6
"""Share, 0..1, of words in small letters behind the first word of a sentence: titles and names have fewer; by hand."""
_PROSE_SHARE = 0.5
"""Share, 0..1, of sentences among the values of a predicate for prose; set by hand."""


def is_sentence(text: str) -> bool:
    """Tell whether a text is a sentence: mostly words in small letters, with a full stop or more than six words."""
    others = text.split()[1:]
    lower = sum(word[:1].islower() for word in others)
    has_stop = text.rstrip().endswith(".") and len(others) + 1 >= _MIN_WORDS
    return (has_stop or len(others) >= _MAX_PHRASE_WORDS) and lower >= _MIN_LOWER_SHARE * len(others)


def are_sentences(texts: Iterable[str]) -> bool:
    """Tell whether at least half of some texts are sentences; not if there are none."""
    listed = list(texts)
    return bool(listed) and sum(map(is_sentence, listed)) >= _PROSE_SHARE * len(listed)
