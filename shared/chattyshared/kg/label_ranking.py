"""How well words fit a label: one measure for local and remote search."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

EXACT, SAME_WORDS, WITHOUT_ARTICLE, WITHOUT_BRACKETS, SAME_SINGULAR = 1.0, 0.98, 0.97, 0.96, 0.94
"""Scores of being the same but for case and accents; punctuation; an article; a part in brackets; plural."""
MIN_SCORE = 0.3
"""Below this, words do not fit a label at all."""
MAX_TEXT_LENGTH = 300
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
def fold_text(text: str) -> str:
    """Return a text with case, accents, kinds of quotes and dashes, and runs of blanks made equal."""
    text = text.encode("utf-8", "ignore").decode()  # halves of surrogate pairs, which no store takes
    text = unicodedata.normalize("NFKD", text.translate(_TYPED_ALIKE)).casefold().translate(_SPECIAL)
    return " ".join("".join(c for c in text if not unicodedata.combining(c)).split())


@lru_cache(maxsize=65536)
def split_words(text: str) -> tuple[str, ...]:
    """Return the folded words of a text without punctuation; a possessive ``'s`` is no word."""
    return tuple(_WORD.findall(re.sub(r"'s\b", "", fold_text(text))))


@lru_cache(maxsize=65536)
def bare(text: str) -> str:
    """Return a text's words without bracketed parts and leading article (of what is left, if anything is)."""
    found = split_words(_BRACKETS.sub("", text)) or split_words(text)
    return " ".join(_led(found))


def content_words(text: str) -> tuple[str, ...]:
    """Return a text's words without articles and prepositions, unless there are no others."""
    return tuple(word for word in split_words(text) if word not in _SMALL) or split_words(text)


@lru_cache(maxsize=65536)
def singularize(word: str) -> str:
    """Return an English word without the ending of a plural: a key for matching, not always a word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@lru_cache(maxsize=65536)
def singular_key(text: str) -> str:
    """Return a text's bare words in the singular."""
    return " ".join(singularize(word) for word in bare(text).split())


@dataclass(frozen=True, slots=True)
class _Read:
    """A text as ``fit`` compares it; read once, for a label meets many texts."""

    folded: str
    words: tuple[str, ...]
    led: tuple[str, ...]
    bare: str
    loose: str
    weights: tuple[float, ...]
    weight: float
    bracketless: str


@lru_cache(maxsize=65536)
def _read(text: str) -> _Read:
    found = split_words(text)
    weights = tuple(0.25 if word in _SMALL else 1.0 for word in found)
    shorter = _BRACKETS.sub("", text) if "(" in text or "[" in text else ""
    return _Read(fold_text(text), found, _led(found), bare(text), singular_key(text), weights, sum(weights), shorter)


@lru_cache(maxsize=65536)
def label_similarity(text: str, label: str) -> float:
    """Return how well a text fits a label, 0 to 1; 1 means equal but for case and accents.

    Abbreviations of up to three letters want their capitals: "us" is not quite US.
    """
    ours, theirs = _read(text), _read(label)
    if ours.folded == theirs.folded:
        return SAME_SINGULAR if len(label) <= 3 and label.isupper() and not text.isupper() else EXACT
    if not ours.words or not theirs.words or len(text) > MAX_TEXT_LENGTH:
        return 0.0
    if ours.words == theirs.words:
        return SAME_WORDS
    if ours.led == theirs.led:
        return WITHOUT_ARTICLE
    if ours.bare == theirs.bare:
        return WITHOUT_BRACKETS
    if ours.loose == theirs.loose:
        return SAME_SINGULAR
    score = _overlap(ours, theirs, min(len(text), len(label)))
    if theirs.bracketless:
        shorter = _read(theirs.bracketless)
        score = max(score, _overlap(ours, shorter, min(len(text), len(theirs.bracketless))) - 0.02)
    return round(score, 4)


def _overlap(ours: _Read, theirs: _Read, length: int) -> float:
    """Weigh the words that both share, small differences in spelling allowed; ``length`` is the shorter text's."""
    if not ours.words or not theirs.words:
        return 0.0
    shared, met = 0.0, set[str]()
    for word, weight in zip(ours.words, ours.weights, strict=True):
        if word in theirs.words:
            shared += weight
            met.add(word)
            continue
        likeness, best = _likest(word, theirs.words)
        if likeness:
            shared += likeness * weight
            met.add(best)
    covered = 0.0
    for word, weight in zip(theirs.words, theirs.weights, strict=True):
        if word in met:
            covered += weight
    partial = 0.9 * (shared / ours.weight) * (0.6 + 0.4 * covered / theirs.weight)
    return partial if length <= 3 else max(partial, 0.009 * fuzz.ratio(ours.folded, theirs.folded, score_cutoff=80))


@lru_cache(maxsize=1 << 17)
def _likest(word: str, others: tuple[str, ...]) -> tuple[float, str]:
    """Return the word of a label that is likest to a word, with its likeness: the n-grams of a question share words."""
    return max([(_alike(word, other), other) for other in others])


@lru_cache(maxsize=1 << 18)
def _alike(a: str, b: str) -> float:
    if a == b:
        return 1.0
    if singularize(a) == singularize(b):
        return 0.97
    if min(len(a), len(b)) < 4 or a.isdigit() or b.isdigit():
        return 0.0
    return fuzz.ratio(a, b, score_cutoff=75) / 100


def _led(found: tuple[str, ...]) -> tuple[str, ...]:
    return found[1:] if len(found) > 1 and found[0] in _ARTICLES else found
