"""Names in questions: finding them, and taking them out before the wording around them is judged."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

NAME_MASK = "Xname"
"""What stands in the place of a name: a word that no rule knows."""

_CLOSED = frozenset(
    (
        "a an the it its he him his she her hers they them their is are was were be been am do does did has have had "
        "in on at of to by for from with as or and no not so if we us me my you i that this these those who what which "
        "when where how why there here all any one go up out"
    ).split()
)


def mentions_name(text: str, name: str) -> bool:
    """Tell whether a text says a name, as whole words, whatever the case (a short name: as it is written).

    A dot at the name's end may be left out.
    """
    bare = name.strip().rstrip(".").strip() or name.strip()
    return bool(bare) and bool(_pattern(bare).search(text))


def mentions_part_of_name(text: str, name: str) -> bool:
    """Tell whether a text says a part of a name that is long enough to tell it by."""
    words = {word for word in folded_words(name) if len(word) > 2}
    return bool(words & set(folded_words(text))) if words else mentions_name(text, name)


def folded_words(text: str) -> list[str]:
    """Return the words of a text, case and accents folded."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.findall(r"\w+", plain.casefold())


def mask_names(text: str, names: Iterable[str]) -> str:
    """Put a mask in the place of each name, the longest first; a name of one small letter stays."""
    for name in sorted(set(names), key=len, reverse=True):
        if len(name) > 1:
            text = _pattern(name).sub(NAME_MASK, text)
    return text


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a name; in a short one (a code such as IT) letter case tells it from a word.

    Codes that are written like words of the grammar (``it``, ``no``, ``is``) are never taken for names.
    """
    if name in _CLOSED:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE if len(name) > 3 else 0)
