"""Rows of English as data: which rows of a table fit a subject, and their texts with its words in the slots.

A row has conditions (``if``) on attributes of the subject: true or false, a regular expression for the whole text
(its named groups are slots), or a list of words, of which ``@FILE.KEY`` names a word list. The first row that fits
ends the search, unless it says ``also = true``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Protocol

from chattyshared.language.lexicon import load_lexicon, word_set

Row = Mapping[str, Any]


class Subject(Protocol):
    """What rows are matched with: its attributes by name."""

    def __getitem__(self, name: str) -> Any:
        """Return an attribute: a text, a truth, or some words."""


_SLOT = re.compile(r"\{(\w+)(\??)\}")


def fitting_rows(file: str, table: str, subject: Subject) -> Iterator[tuple[Row, dict[str, str]]]:
    """Yield the rows of a table that fit a subject, each with the named groups of its conditions."""
    for row in load_lexicon(file)[table]:
        groups = _match(row.get("if", {}), subject)
        if groups is not None:
            yield row, groups
            if not row.get("also"):
                return


def texts_of_rows(file: str, table: str, subject: Subject) -> Iterator[str]:
    """Yield the texts (``say``) of the rows that fit a subject; a text with an empty slot is left out."""
    for row, groups in fitting_rows(file, table, subject):
        for template in row["say"]:
            if text := fill_slots(template, subject, groups):
                yield text[:1].upper() + text[1:]


def fill_slots(template: str, subject: Subject, groups: Mapping[str, str]) -> str:
    """Return a template with words in its slots; "" if the word of one is empty and the slot needs one (``{unit?}``
    needs none)."""
    words = {name: groups[name] if name in groups else str(subject[name]) for name, _ in _SLOT.findall(template)}
    if not all(words[name] or optional for name, optional in _SLOT.findall(template)):
        return ""
    text = " ".join(_SLOT.sub(lambda slot: words[slot[1]], template).split())
    return text.replace(" ?", "?")


def _match(conditions: Mapping[str, Any], subject: Subject) -> dict[str, str] | None:
    groups: dict[str, str] = {}
    for name, wanted in conditions.items():
        actual = subject[name]
        if isinstance(wanted, bool):
            if bool(actual) != wanted:
                return None
        elif isinstance(wanted, list):
            if not _words(tuple(wanted)) & ({actual} if isinstance(actual, str) else set(actual or ())):
                return None
        else:
            found = re.fullmatch(wanted, actual)
            if found is None:
                return None
            groups |= found.groupdict()
    return groups


@cache
def _words(listed: tuple[str, ...]) -> frozenset[str]:
    names = (word.removeprefix("@").split(".") for word in listed if word.startswith("@"))
    return frozenset(word for word in listed if word[0] != "@").union(*(word_set(file, key) for file, key in names))
