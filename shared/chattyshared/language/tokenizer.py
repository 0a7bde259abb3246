"""A question as tokens: words, numbers, quoted text and marks, with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from chattyshared.language.morphology import lemma_of

TokenKind = Literal["word", "number", "quoted", "mark", "possessive"]

_TOKEN = re.compile(
    r"""
    (?P<possessive>(?<=[\w)\].!?"”])['’]s(?!\w)|(?<=s)['’](?=\s))
  | (?P<quoted>[“"„«](?P<a>[^“”"„«»]+)[”"“»]|(?<![\w])['‘](?P<b>[^'‘’]{2,80})['’](?![\w]))
  | (?P<number>[$€£]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w])|[$€£]?\d+(?:\.\d+)?(?!\w|[-/.:]\w))
  | (?P<word>(?<![\w+])\+\d+(?:[ -]\d{2,})*(?!\w)|(?:[^\W\d_]\.){2,}|\w+(?:[-./&+'’:@]\w+)*\+*)
  | (?P<mark>[^\w\s\ufeff\u200b-\u200f\u2060])
    """,
    re.VERBOSE,
)
_SPLIT = re.compile(r"(?i)^(who|what|where|when|how|that|there|it|he|she)['’]s$|^(\w+)['’]s$")
_CONTRACTED = {"'re": "are", "n't": "not", "'ve": "have", "'ll": "will", "'d": "would"}
LONGEST = 2_000
"""Characters of a question that are read; what stands behind is left out."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token: ``question[start:end]``; ``lower`` is what the grammar compares."""

    text: str
    lower: str
    start: int
    end: int
    kind: TokenKind

    @property
    def is_capitalized(self) -> bool:
        """Tell whether it begins with a capital letter or holds a digit among letters (a code)."""
        return self.text[:1].isupper() or (self.kind == "word" and any(c.isdigit() for c in self.text))

    @property
    def lemma(self) -> str:
        """The dictionary form."""
        return lemma_of(self.lower)


@lru_cache(maxsize=512)
def tokenise(question: str) -> tuple[Token, ...]:
    """Split a question (its first 2,000 characters) into tokens."""
    found: list[Token] = []
    for match in _TOKEN.finditer(question[:LONGEST]):
        if match["quoted"]:
            name = "a" if match["a"] else "b"
            inner = match[name]
            found.append(Token(inner, inner.lower(), match.start(name), match.end(name), "quoted"))
        elif match["possessive"]:
            found.append(_possessive(match, found))
        elif match["number"]:
            found.append(Token(match[0], match[0].replace(",", "").lstrip("$€£"), *match.span(), "number"))
        elif match["word"]:
            found.extend(_word(match))
        else:
            found.append(Token(match[0], match[0], *match.span(), "mark"))
    return tuple(found)


def _possessive(match: re.Match[str], before: list[Token]) -> Token:
    if before and before[-1].lower in ("who", "what", "where", "when", "how", "that", "there", "it", "he", "she"):
        return Token(match[0], "is", *match.span(), "word")
    return Token(match[0], "'s", *match.span(), "possessive")


def _word(match: re.Match[str]) -> list[Token]:
    text, (start, end) = match[0], match.span()
    if text.lower() in ("whats", "whos", "wheres"):
        asked = Token(text[:-1], text[:-1].lower(), start, end - 1, "word")
        return [asked, Token(text[-1:], "is", end - 1, end, "word")]
    cut = max(text.rfind("'"), text.rfind("’"))
    tail = text[cut:].replace("’", "'").lower() if cut > 0 else ""
    if tail == "'s":
        whole = _SPLIT.match(text)
        kind: TokenKind = "word" if whole and whole[1] else "possessive"
        said = "is" if kind == "word" else "'s"
        return [
            Token(text[:cut], text[:cut].lower(), start, start + cut, "word"),
            Token(text[cut:], said, start + cut, end, kind),
        ]
    if tail == "'t" and text[cut - 1 : cut].lower() == "n":
        cut, tail = cut - 1, "n't"
    if tail in _CONTRACTED:
        return [
            Token(text[:cut], text[:cut].lower(), start, start + cut, "word"),
            Token(text[cut:], _CONTRACTED[tail], start + cut, end, "word"),
        ]
    return [Token(text, text.lower(), start, end, "word")]
