"""Entity names in questions: find them, and mask them before the wording around them is judged."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from chattyshared.language.lexicon import word_set
from chattyshared.language.scripts import contains_name

NAME_MASK = "Xname"
"""The word that replaces a name; no rule matches it."""

_FUNCTION_WORDS = word_set("function_words", "closed_class")
_MAX_CODE_LETTERS = 3
"""Letters of a name that counts as it is written only: it may be a code."""


def mentions_name(text: str, name: str) -> bool:
    """Tell whether a text contains a name as whole words, in any letter case (a short name: as it is written).

    A dot at the end of the name is optional.
    """
    bare = name.strip().rstrip(".").strip() or name.strip()
    return bare not in _FUNCTION_WORDS and contains_name(text, bare, ignores_case=len(bare) > _MAX_CODE_LETTERS)


def mentions_part_of_name(text: str, name: str) -> bool:
    """Tell whether a text contains a word of a name that is long enough to recognize it."""
    words = {word for word in folded_words(name) if len(word) > 2}
    return bool(words & set(folded_words(text))) if words else mentions_name(text, name)


def folded_words(text: str) -> list[str]:
    """Return the words of a text, with case and accents folded."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.findall(r"\w+", plain.casefold())


def mask_names(text: str, names: Iterable[str]) -> str:
    """Replace each name by the mask, the longest first; a name of one letter stays."""
    for name in sorted(set(names), key=len, reverse=True):
        if len(name) > 1:
            text = _name_pattern(name).sub(NAME_MASK, text)
    return text


@lru_cache(maxsize=4096)
def _name_pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a name; a short one (a code such as IT) must match in letter case.

    Codes that are written like function words (``it``, ``no``, ``is``) never match.
    """
    if name in _FUNCTION_WORDS:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE if len(name) > _MAX_CODE_LETTERS else 0)
