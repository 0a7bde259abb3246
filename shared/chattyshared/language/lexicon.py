"""The word lists of a language, ``chattydata/LANGUAGE``: one TOML file for each kind of word, read once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGE = "english"
"""The folder of ``chattydata`` that holds the lists, where no other language is named."""


@cache
def load_lexicon(name: str, language: str = LANGUAGE) -> dict[str, Any]:
    """Return the tables of ``chattydata/LANGUAGE/NAME.toml``. Treat them as read-only: all callers share them."""
    text = files("chattydata").joinpath(language, f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def has_lexicon(name: str, language: str) -> bool:
    """Tell whether the folder of a language has a file of some kind of words."""
    return files("chattydata").joinpath(language, f"{name}.toml").is_file()


@cache
def known_words(name: str, *keys: str, language: str) -> frozenset[str]:
    """Return the words of those lists that a language has: none where its folder lacks the file or the list."""
    table = load_lexicon(name, language) if has_lexicon(name, language) else {}
    return frozenset(str(word) for key in keys for word in table.get(key, ()))


def word_list(name: str, key: str, *, language: str = LANGUAGE) -> tuple[str, ...]:
    """Return the words of list ``key`` of file ``name``, in the file's order; an unknown key is a ``KeyError``."""
    return tuple(str(word) for word in load_lexicon(name, language)[key])


def word_set(name: str, *keys: str, language: str = LANGUAGE) -> frozenset[str]:
    """Return the words of one list or of several lists of file ``name`` together."""
    return frozenset(word for key in keys for word in word_list(name, key, language=language))


def word_map(name: str, key: str, *, language: str = LANGUAGE) -> dict[str, str]:
    """Return table ``key`` of file ``name`` that gives one word (or phrase) for each word."""
    return {str(word): str(value) for word, value in load_lexicon(name, language)[key].items()}


def word_lists(name: str, key: str, *, language: str = LANGUAGE) -> dict[str, tuple[str, ...]]:
    """Return table ``key`` of file ``name`` that gives several words for each word, in the file's order."""
    table = load_lexicon(name, language)[key]
    return {str(word): tuple(str(value) for value in values) for word, values in table.items()}


def alternation(words: Iterable[str]) -> str:
    """Return a regular expression that matches any of the words, longer words first; it has no group around it."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
