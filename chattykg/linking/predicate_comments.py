"""What a predicate's comment calls its objects: "Number of people in the crew" speaks of people and a crew."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from chattyshared.language.lexicon import word_set

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|[.,;:()]")
_ARTICLES = frozenset("the a an its their his her".split())
_ENDS = word_set("function_words", "noun_phrase_ends")
_NUMBER_OF = frozenset("number count amount total quantity".split())
_EMPTY = word_set("nouns", "empty_nouns")
_CLAUSES = frozenset("whether who what where when how this it".split())
_PEOPLE = frozenset("people persons individuals".split())
_LONGEST = 4
_FIRST_WORDS = 40


@dataclass(frozen=True, slots=True)
class CommentNouns:
    """Nouns by which a comment calls the objects of its predicate (``objects``), or what it counts (``counted``)."""

    object_nouns: tuple[str, ...] = ()
    counted_nouns: tuple[str, ...] = ()


@lru_cache(maxsize=20_000)
def extract_comment_nouns(comment: str) -> CommentNouns:
    """Read the beginning of a comment in English: the noun it defines by, or the things whose number it states.

    "A crate on the manifest of a vessel." calls its objects crates; a comment of another kind says nothing.
    """
    words = [word.lower() for word in _WORD.findall(comment[:300])][:_FIRST_WORDS]
    if words and words[0] in _ARTICLES:
        words = words[1:]
    if words and words[0] in _CLAUSES:
        return CommentNouns()
    if len(words) > 2 and words[0] in _NUMBER_OF and words[1] in ("of", "in"):
        return CommentNouns(counted_nouns=_counted(words[2:]))
    first = _group(words)
    found = [first] if first else []
    if first and words[len(first.split()) : len(first.split()) + 1] == ["of"]:
        rest = words[len(first.split()) + 1 :]
        owner = _group(rest[1:] if rest[:1] and rest[0] in _ARTICLES else rest)
        found += [f"{owner} {first.split()[-1]}"] if owner else []
    for joint in ("or", "and"):
        found = [part.strip() for phrase in found for part in re.split(rf"\b{joint}\b", phrase)]
    heads = [phrase.split()[-1] for phrase in found if phrase]
    return CommentNouns(
        object_nouns=tuple(dict.fromkeys(word for word in (*found, *heads) if word and word not in _EMPTY))
    )


def _counted(words: list[str]) -> tuple[str, ...]:
    """Return the things counted, and what they make up ("people in the crew")."""
    found = []
    first = _group(words)
    if first:
        found = [first, first.split()[-1]]
        rest = words[len(first.split()) :]
        if found[1] in _PEOPLE and len(rest) > 2 and rest[0] == "in" and rest[1] in _ARTICLES:
            found.append(_group(rest[2:]))
    return tuple(dict.fromkeys(word for word in found if word and word not in _EMPTY))


def _group(words: list[str]) -> str:
    """Return the noun group that begins a list of words ("" where none does)."""
    end = 0
    while end < len(words) and words[end] not in _ENDS and (words[end] not in _ARTICLES or not end):
        end += 1
    return " ".join(words[:end]) if 0 < end <= _LONGEST else ""
