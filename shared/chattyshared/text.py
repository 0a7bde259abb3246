"""Texts in sentences: lists of names, quotes, lines of bounded length, and what tells prose from names."""

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


def join_texts(texts: Iterable[str], conjunction: str = "and", most: int = 0) -> str:
    """Return texts as a list in a sentence ("A, B and C"); with ``most`` its last element counts those left out."""
    listed = list(texts)
    if most and len(listed) > most:
        listed = [*listed[: most - 1], f"{len(listed) - most + 1} more"]
    return f" {conjunction} ".join((", ".join(listed[:-1]), listed[-1])) if len(listed) > 1 else "".join(listed)


def quote_text(text: str, limit: int | None = None) -> str:
    """Return at most ``limit`` characters of a text on one line, in double quotes; its own become single ones."""
    return '"' + " ".join(text[:limit].replace('"', "'").split()) + '"'


def cut_text(text: str, limit: int) -> str:
    """Return a text on one line; a text of more than ``limit`` characters is cut, with an ellipsis behind it."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[:limit].rstrip()}…"


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
