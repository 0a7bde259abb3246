"""What the comment of a predicate tells of its objects: nouns for them, and the descriptions of codes.

"Number of people in the crew" gives people and crew, "A = active, I = inactive" the descriptions of two codes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from chattyshared.language.lexicon import word_set
from chattyshared.language.wordnet import noun_kinds

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|[.,;:()]")
_ARTICLES = frozenset("the a an its their his her".split())
_PHRASE_ENDS = word_set("function_words", "noun_phrase_ends")
_COUNT_NOUNS = frozenset("number count amount total quantity".split())
_EMPTY_NOUNS = word_set("nouns", "empty_nouns")
_CLAUSE_WORDS = frozenset("whether who what where when how this it".split())
_NEGATIONS = word_set("closed_classes", "negations")
_PEOPLE_NOUNS = frozenset("people persons individuals".split())
_CODE = re.compile(
    r"(?:^|(?<=[\s,;/|(:]))(?:(\w{1,8})\s*(=|->|→|:(?=\s)|(?<=\d)\s+is(?=\s))\s*|([A-Z]{1,5}|\d{1,3})\s+(?=[a-z]))"
)
_AROUND_CODES = " ,;/|.()"
# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_MAX_NOUN_WORDS = 4
"""Words of the longest noun phrase that is read."""
_MAX_COMMENT_CHARACTERS, _MAX_COMMENT_WORDS = 300, 40
"""Characters and words at the beginning of a comment that are read."""
_MAX_CODE_LIST_CHARACTERS = 1_000
"""Characters of a list of codes that are read."""


@dataclass(frozen=True, slots=True)
class CommentNouns:
    """Nouns of a comment for the objects of its predicate, or for what the predicate counts."""

    object_nouns: tuple[str, ...] = ()
    counted_nouns: tuple[str, ...] = ()


@lru_cache(maxsize=20_000)
def extract_comment_nouns(comment: str) -> CommentNouns:
    """Return the noun by which an English comment defines the objects, or the nouns of what it counts.

    "A crate on the manifest of a vessel." calls its objects crates; other comments give no nouns.
    """
    words = [word.lower() for word in _WORD.findall(comment[:_MAX_COMMENT_CHARACTERS])][:_MAX_COMMENT_WORDS]
    if words and words[0] in _ARTICLES:
        words = words[1:]
    if words and words[0] in _CLAUSE_WORDS:
        return CommentNouns()
    if len(words) > 2 and words[0] in _COUNT_NOUNS and words[1] in ("of", "in"):
        return CommentNouns(counted_nouns=_counted_nouns(words[2:]))
    first = _leading_noun_phrase(words)
    phrases = [first] if first else []
    if first and words[len(first.split()) : len(first.split()) + 1] == ["of"]:
        rest = words[len(first.split()) + 1 :]
        owner = _leading_noun_phrase(rest[1:] if rest[:1] and rest[0] in _ARTICLES else rest)
        phrases += [f"{owner} {first.split()[-1]}"] if owner else []
    for conjunction in ("or", "and"):
        phrases = [part.strip() for phrase in phrases for part in re.split(rf"\b{conjunction}\b", phrase)]
    heads = [phrase.split()[-1] for phrase in phrases if phrase]
    return CommentNouns(object_nouns=tuple(dict.fromkeys(w for w in (*phrases, *heads) if w and w not in _EMPTY_NOUNS)))


@lru_cache(maxsize=20_000)
def extract_flag_nouns(comment: str) -> tuple[str, ...]:
    """Return the nouns of a comment on a truth value, which name it: "Usable with a wheelchair."; () if it negates."""
    words = [word.lower() for word in _WORD.findall(comment[:_MAX_COMMENT_CHARACTERS])][:_MAX_COMMENT_WORDS]
    if not _NEGATIONS.isdisjoint(words):
        return ()
    plain = (word for word in words if word.isalpha() and word not in _PHRASE_ENDS | _CLAUSE_WORDS | _EMPTY_NOUNS)
    return tuple(dict.fromkeys(word for word in plain if noun_kinds(word)[:1] == ("artifact",)))


def _counted_nouns(words: list[str]) -> tuple[str, ...]:
    """Return the nouns of what is counted, and of the group that it forms ("people in the crew")."""
    nouns = []
    first = _leading_noun_phrase(words)
    if first:
        nouns = [first, first.split()[-1]]
        rest = words[len(first.split()) :]
        if nouns[1] in _PEOPLE_NOUNS and len(rest) > 2 and rest[0] == "in" and rest[1] in _ARTICLES:
            nouns.append(_leading_noun_phrase(rest[2:]))
    return tuple(dict.fromkeys(word for word in nouns if word and word not in _EMPTY_NOUNS))


def _leading_noun_phrase(words: list[str]) -> str:
    """Return the noun phrase at the beginning of a list of words ("" without one)."""
    end = 0
    while end < len(words) and words[end] not in _PHRASE_ENDS and (words[end] not in _ARTICLES or not end):
        end += 1
    return " ".join(words[:end]) if 0 < end <= _MAX_NOUN_WORDS else ""


def parse_code_list(comment: str) -> Mapping[str, str]:
    """Return the description of each code that a comment lists, empty unless it lists codes.

    A single code needs a sign ("0 = ground floor"); without signs the list must begin the comment.
    """
    comment = comment[:_MAX_CODE_LIST_CHARACTERS]
    marks = list(_CODE.finditer(comment))
    if not marks or not marks[0][2] and (len(marks) < 2 or marks[0].start()):
        return {}
    ends = [*(mark.start() for mark in marks[1:]), len(comment)]
    described = ((mark[1] or mark[3], comment[mark.end() : end]) for mark, end in zip(marks, ends, strict=True))
    return {code: text.strip(_AROUND_CODES) for code, text in described if text.strip(_AROUND_CODES)}
