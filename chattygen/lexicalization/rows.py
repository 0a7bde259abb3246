"""Rows of English as data: which rows of a table fit a subject, and their texts with its words in the slots.

A row has conditions (``if``) on attributes of the subject: true or false, a regular expression for the whole text
(its named groups are slots, and later conditions may be on them), or a list of words, of which ``@FILE.KEY`` names a
word list and ``#CLASS`` one of ``WORD_CLASSES``; of a group, each word is in the list. A slot may name forms of its
word: ``{done|base}``, ``{things|singular|a}``. The first row that fits ends the search, unless it says ``also = true``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from typing import Any, Protocol

from chattyshared.language.lexicon import load_lexicon, word_set

from chattygen.lexicalization.word_forms import WORD_CLASSES, WORD_FORMS

Row = Mapping[str, Any]


class Subject(Protocol):
    """What rows are matched with: its attributes by name."""

    def __getitem__(self, name: str) -> Any:
        """Return an attribute: a text, a truth, or some words."""


_SLOT = re.compile(r"\{(\w+)((?:\|\w+)*)(\??)\}")


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
    is_missing = False

    def fill(slot: re.Match[str]) -> str:
        nonlocal is_missing
        name, forms, optional = slot.groups()
        word = groups[name] if name in groups else str(subject[name])
        is_missing |= not (word or optional)
        return reduce(lambda text, form: WORD_FORMS[form](text), forms.split("|")[1:], word) if word else word

    text = " ".join(_SLOT.sub(fill, template).split())
    return "" if is_missing else text.replace(" ?", "?")


def _match(conditions: Mapping[str, Any], subject: Subject) -> dict[str, str] | None:
    groups: dict[str, str] = {}
    for name, wanted in conditions.items():
        actual = groups[name] if name in groups else subject[name]
        if isinstance(wanted, bool):
            if bool(actual) != wanted:
                return None
        elif isinstance(wanted, list):
            words = {actual} if isinstance(actual, str) else set(actual or ())
            if not (_are_listed(groups[name], wanted) if name in groups else _words(tuple(wanted)) & words):
                return None
        else:
            found = re.fullmatch(wanted, actual)
            if found is None:
                return None
            groups |= found.groupdict("")
    return groups


def _are_listed(text: str, wanted: list[str]) -> bool:
    classes = [WORD_CLASSES[entry[1:]] for entry in wanted if entry[0] == "#"]
    listed = _words(tuple(wanted))
    return text.lower() in listed or all(
        word in listed or any(fits(word) for fits in classes) for word in text.lower().split()
    )


@cache
def _words(listed: tuple[str, ...]) -> frozenset[str]:
    names = (word.removeprefix("@").split(".") for word in listed if word.startswith("@"))
    return frozenset(word for word in listed if word[0] not in "@#").union(*(word_set(*name) for name in names))
