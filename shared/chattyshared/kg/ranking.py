"""How well words fit a label: one measure for local and remote search."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz import fuzz

EXACT, SPELLED, LED, BARE, LOOSE = 1.0, 0.98, 0.97, 0.96, 0.94
"""Scores of being the same but for case and accents; punctuation; an article; a part in brackets; plural."""
LEAST = 0.3
"""Below this, words do not fit a label at all."""
LONGEST = 300
"""Longer texts fit nothing but exactly."""

_ARTICLES = frozenset("the a an der die das el la los las le les l il lo i gli".split())
_SMALL = frozenset(
    "the a an of in on at to for and or by with from de la le les el los las del der die das und von van den du y e i"
    " il di da do dos das".split()
)
_TYPED_ALIKE = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-", "ß": "ss"}
)
_SPECIAL = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d"})
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Return a text with case, accents, kinds of quotes and dashes, and runs of blanks made equal."""
    text = text.encode("utf-8", "ignore").decode()  # halves of surrogate pairs, which no store takes
    text = unicodedata.normalize("NFKD", text.translate(_TYPED_ALIKE)).casefold().translate(_SPECIAL)
    return " ".join("".join(c for c in text if not unicodedata.combining(c)).split())


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[str, ...]:
    """Return the folded words of a text without punctuation; a possessive ``'s`` is no word."""
    return tuple(_WORD.findall(re.sub(r"'s\b", "", fold(text))))


@lru_cache(maxsize=65536)
def bare(text: str) -> str:
    """Return a text's words without bracketed parts and leading article (of what is left, if anything is)."""
    found = words(_BRACKETS.sub("", text)) or words(text)
    return " ".join(_led(found))


def content(text: str) -> tuple[str, ...]:
    """Return a text's words without articles and prepositions, unless there are no others."""
    return tuple(word for word in words(text) if word not in _SMALL) or words(text)


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """Return an English word without the ending of a plural: a key for matching, not always a word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@lru_cache(maxsize=65536)
def loose(text: str) -> str:
    """Return a text's bare words in the singular."""
    return " ".join(singular(word) for word in bare(text).split())


def fit(text: str, label: str) -> float:
    """Return how well a text fits a label, 0 to 1; 1 means equal but for case and accents.

    Abbreviations of up to three letters want their capitals: "us" is not quite US.
    """
    if fold(text) == fold(label):
        return LOOSE if len(label) <= 3 and label.isupper() and not text.isupper() else EXACT
    if not words(text) or not words(label) or len(text) > LONGEST:
        return 0.0
    if words(text) == words(label):
        return SPELLED
    if _led(words(text)) == _led(words(label)):
        return LED
    if bare(text) == bare(label):
        return BARE
    if loose(text) == loose(label):
        return LOOSE
    score = _overlap(text, label)
    if "(" in label or "[" in label:
        score = max(score, _overlap(text, _BRACKETS.sub("", label)) - 0.02)
    return round(score, 4)


def _overlap(text: str, label: str) -> float:
    """Weigh the words that both share, small differences in spelling allowed."""
    ours, theirs = words(text), words(label)
    if not ours or not theirs:
        return 0.0
    hits = {a: (1.0, a) if a in theirs else max((_alike(a, b), b) for b in theirs) for a in ours}
    asked = sum(_weight(a) for a in ours)
    shared = sum(hits[a][0] * _weight(a) for a in ours)
    met = {b for likeness, b in hits.values() if likeness}
    covered = sum(_weight(b) for b in theirs if b in met) / sum(_weight(b) for b in theirs)
    whole = fuzz.ratio(fold(text), fold(label), score_cutoff=80) / 100
    partial = 0.9 * (shared / asked) * (0.6 + 0.4 * covered)
    return max(partial, 0.9 * whole if min(len(text), len(label)) > 3 else 0.0)


@lru_cache(maxsize=1 << 18)
def _alike(a: str, b: str) -> float:
    if a == b:
        return 1.0
    if singular(a) == singular(b):
        return 0.97
    if min(len(a), len(b)) < 4 or a.isdigit() or b.isdigit():
        return 0.0
    return fuzz.ratio(a, b, score_cutoff=75) / 100


def _weight(word: str) -> float:
    return 0.25 if word in _SMALL else 1.0


def _led(found: tuple[str, ...]) -> tuple[str, ...]:
    return found[1:] if len(found) > 1 and found[0] in _ARTICLES else found
