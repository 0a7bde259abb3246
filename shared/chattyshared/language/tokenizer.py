"""Tokenizer: a question as words, numbers, quoted texts and marks, each with its character offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from chattyshared.language.morphology import lemma_of
from chattyshared.language.scripts import COMBINING_MARKS

TokenKind = Literal["word", "number", "quoted", "mark", "possessive"]

_W = rf"[\w{COMBINING_MARKS}]"
_TOKEN = re.compile(
    rf"""
    (?P<possessive>(?<=[\w)\].!?"”])['’]s(?!\w)|(?<=s)['’](?=\s))
  | (?P<quoted>[“"„«]\s*(?P<a>[^“”"„«»]+?)\s*[”"“»]|(?<![\w])['‘](?P<b>[^'‘’]{{2,80}})['’](?![\w]))
  | (?P<continental>(?<![\w.,])(?:\d{{1,3}}(?:\.\d{{3}}){{2,}}(?:,\d+)?|\d{{1,3}}(?:\.\d{{3}})+,\d+|\d+,\d{{1,2}})
    (?![.,]?\w))
  | (?P<number>[$€£]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![\w])|[$€£]?\d+(?:\.\d+)?(?!\w|[-/.:]\w))
  | (?P<word>(?<![\w+])\+\d+(?:[ -]\d{{2,}})*(?!\w)|(?:[^\W\d_]\.){{2,}}|{_W}+(?:[-./&+'’:@]{_W}+)*\+*)
  | (?P<mark>[^\w\s\ufeff\u200b-\u200f\u2060])
    """,
    re.VERBOSE,
)
_CONTRACTED = {"'re": "are", "n't": "not", "'ve": "have", "'ll": "will", "'d": "would"}
LONGEST = 2_000
"""The tokenizer reads this many characters of a question and drops the rest."""
_CONTRACTED_BEFORE_IS = ("who", "what", "where", "when", "how", "that", "there", "it", "he", "she")
"""Words behind which *'s* is the verb *is*; behind any other word it is the possessive."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token, ``question[start:end]``; the grammar compares ``lower``."""

    text: str
    lower: str
    start: int
    end: int
    kind: TokenKind

    @property
    def is_capitalized(self) -> bool:
        """Tell whether the token begins with a capital letter or is a word with a digit (a code)."""
        return self.text[:1].isupper() or (self.kind == "word" and any(c.isdigit() for c in self.text))

    @property
    def lemma(self) -> str:
        """The dictionary form."""
        return lemma_of(self.lower)


@lru_cache(maxsize=512)
def tokenize(question: str) -> tuple[Token, ...]:
    """Split a question (its first 2,000 characters) into tokens.

    A number that can only have a decimal comma or points between its thousands is read so: "3,5", "1.500.000".
    """
    tokens: list[Token] = []
    for match in _TOKEN.finditer(question[:LONGEST]):
        if match["quoted"]:
            name = "a" if match["a"] else "b"
            inner = match[name]
            tokens.append(Token(inner, inner.lower(), match.start(name), match.end(name), "quoted"))
        elif match["possessive"]:
            tokens.append(_possessive(match, tokens))
        elif match["continental"]:
            tokens.append(Token(match[0], match[0].replace(".", "").replace(",", "."), *match.span(), "number"))
        elif match["number"]:
            tokens.append(Token(match[0], match[0].replace(",", "").lstrip("$€£"), *match.span(), "number"))
        elif match["word"]:
            tokens.extend(_word(match))
        else:
            tokens.append(Token(match[0], match[0], *match.span(), "mark"))
    return tuple(tokens)


def _possessive(match: re.Match[str], before: list[Token]) -> Token:
    if before and before[-1].lower in _CONTRACTED_BEFORE_IS:
        return Token(match[0], "is", *match.span(), "word")
    return Token(match[0], "'s", *match.span(), "possessive")


def _word(match: re.Match[str]) -> list[Token]:
    text, (start, end) = match[0], match.span()

    def split(cut: int, lower: str, kind: TokenKind = "word") -> list[Token]:
        first = Token(text[:cut], text[:cut].lower(), start, start + cut, "word")
        return [first, Token(text[cut:], lower, start + cut, end, kind)]

    if text.lower() in ("whats", "whos", "wheres"):
        return split(len(text) - 1, "is")
    cut = max(text.rfind("'"), text.rfind("’"))
    tail = text[cut:].replace("’", "'").lower() if cut > 0 else ""
    if tail == "'s":
        is_verb = text[:cut].lower() in _CONTRACTED_BEFORE_IS
        return split(cut, "is") if is_verb else split(cut, "'s", "possessive")
    if tail == "'t" and text[cut - 1 : cut].lower() == "n":
        cut, tail = cut - 1, "n't"
    if tail in _CONTRACTED:
        return split(cut, _CONTRACTED[tail])
    return [Token(text, text.lower(), start, end, "word")]
