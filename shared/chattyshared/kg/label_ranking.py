"""How well a text matches a label: one score for local and remote search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import COUNTRIES_BY_DEMONYM
from chattyshared.language.scripts import WORD, strip_accents

EXACT, SAME_WORDS, WITHOUT_ARTICLE, WITHOUT_BRACKETS, SAME_SINGULAR = 1.0, 0.98, 0.97, 0.96, 0.94
"""Scores of texts that differ only in case and accents; punctuation; an article; a part in brackets; plural."""
MIN_SCORE = 0.3
"""Lower scores do not count as matches."""
_OTHER_NUMBER_FACTOR = 0.3
"""Factor (0..1) if text and label have different numbers: flat 12 is not flat 13. Set by hand."""
_LETTERS_PER_SLIP = 4
"""Letters of a word per letter that may be wrong, left out, added or swapped; the first one is right. Set by hand."""
_NAMES_OF_COUNTRIES = frozenset(map(str.casefold, COUNTRIES_BY_DEMONYM.values()))
"""Names of countries and other places: one is no slip of another (Iceland is not Ireland)."""
MAX_TEXT_LENGTH = 300
"""Longer texts match only exactly."""

_ARTICLES = word_set("articles", "label_articles")
_FUNCTION_WORDS = word_set("function_words", "small_label_words")
_PUNCTUATION = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-", "ß": "ss"}
)
_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d"})
_NUMBER = re.compile(r"0*(\d+)")
_BRACKETS = re.compile(r"(?<!\s)\s*[(\[][^()\[\]]*[)\]]")


@lru_cache(maxsize=65536)
def fold_text(text: str) -> str:
    """Return a text with case, accents, quotes, dashes and white space normalized."""
    text = text.encode("utf-8", "ignore").decode()  # lone surrogates, which no store accepts
    return " ".join(strip_accents(text.translate(_PUNCTUATION)).translate(_LETTERS).split())


@lru_cache(maxsize=65536)
def split_words(text: str) -> tuple[str, ...]:
    """Return the folded words of a text without punctuation and possessive ``'s``."""
    return tuple(WORD.findall(re.sub(r"'s\b", "", fold_text(text))))


@lru_cache(maxsize=65536)
def bare(text: str) -> str:
    """Return a text's words without bracketed parts and leading article, unless nothing would remain."""
    words = split_words(_BRACKETS.sub("", text)) or split_words(text)
    return " ".join(_without_article(words))


def content_words(text: str) -> tuple[str, ...]:
    """Return a text's words without articles, prepositions and conjunctions, unless there are no others."""
    return tuple(word for word in split_words(text) if word not in _FUNCTION_WORDS) or split_words(text)


@lru_cache(maxsize=65536)
def singularize(word: str) -> str:
    """Return an English word without its plural ending: a key for matching, not always a word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@lru_cache(maxsize=65536)
def singular_key(text: str) -> str:
    """Return the words of ``bare`` in the singular."""
    return " ".join(singularize(word) for word in bare(text).split())


@dataclass(frozen=True, slots=True)
class _TextForms:
    """A text in the forms that ``label_similarity`` compares; cached, since a label meets many texts."""

    folded: str
    words: tuple[str, ...]
    led: tuple[str, ...]
    bare: str
    loose: str
    weights: tuple[float, ...]
    weight: float
    bracketless: str
    numbers: frozenset[str]


@lru_cache(maxsize=65536)
def _text_forms(text: str) -> _TextForms:
    words = split_words(text)
    weights = tuple(0.25 if word in _FUNCTION_WORDS else 1.0 for word in words)
    bracketless = _BRACKETS.sub("", text) if "(" in text or "[" in text else ""
    return _TextForms(
        fold_text(text),
        words,
        _without_article(words),
        bare(text),
        singular_key(text),
        weights,
        sum(weights),
        bracketless,
        frozenset(_NUMBER.findall(text)),
    )


@lru_cache(maxsize=65536)
def label_similarity(text: str, label: str) -> float:
    """Return how well a text matches a label, 0 to 1; 1 means equal but for case and accents.

    Abbreviations of up to three letters need their capitals: "us" is not quite US.
    """
    text_forms, label_forms = _text_forms(text), _text_forms(label)
    if text_forms.folded == label_forms.folded:
        return SAME_SINGULAR if len(label) <= 3 and label.isupper() and not text.isupper() else EXACT
    if not text_forms.words or not label_forms.words or len(text) > MAX_TEXT_LENGTH:
        return 0.0
    if text_forms.words == label_forms.words:
        return SAME_WORDS
    if text_forms.led == label_forms.led:
        return WITHOUT_ARTICLE
    if text_forms.bare == label_forms.bare:
        return WITHOUT_BRACKETS
    if text_forms.loose == label_forms.loose:
        return SAME_SINGULAR
    score = _overlap(text_forms, label_forms, min(len(text), len(label)))
    if label_forms.bracketless:
        bracketless = _text_forms(label_forms.bracketless)
        score = max(score, _overlap(text_forms, bracketless, min(len(text), len(label_forms.bracketless))) - 0.02)
    return round(_OTHER_NUMBER_FACTOR * score if _have_other_numbers(text_forms, label_forms) else score, 4)


def _have_other_numbers(text_forms: _TextForms, label_forms: _TextForms) -> bool:
    """Tell whether both have numbers, and each has one that the other has not; zeros in front do not count."""
    one, two = text_forms.numbers, label_forms.numbers
    return bool(one and two and one - two and two - one)


def _overlap(text_forms: _TextForms, label_forms: _TextForms, length: int) -> float:
    """Weigh the shared words, small differences in spelling allowed; ``length`` is that of the shorter text."""
    if not text_forms.words or not label_forms.words:
        return 0.0
    if _NAMES_OF_COUNTRIES.issuperset((text_forms.folded, label_forms.folded)):
        return 0.0
    shared, matched = 0.0, set[str]()
    for word, weight in zip(text_forms.words, text_forms.weights, strict=True):
        if word in label_forms.words:
            shared += weight
            matched.add(word)
            continue
        likeness, match = _most_similar_word(word, label_forms.words)
        if likeness:
            shared += likeness * weight
            matched.add(match)
    covered = 0.0
    for word, weight in zip(label_forms.words, label_forms.weights, strict=True):
        if word in matched:
            covered += weight
    partial = 0.9 * (shared / text_forms.weight) * (0.6 + 0.4 * covered / label_forms.weight)
    return (
        partial
        if length <= 3
        else max(partial, 0.009 * fuzz.ratio(text_forms.folded, label_forms.folded, score_cutoff=80))
    )


@lru_cache(maxsize=1 << 17)
def _most_similar_word(word: str, candidates: tuple[str, ...]) -> tuple[float, str]:
    """Return the most similar word of a label with its similarity. Cached: the n-grams of a question share words."""
    return max([(_word_similarity(word, candidate), candidate) for candidate in candidates])


@lru_cache(maxsize=1 << 18)
def _word_similarity(a: str, b: str) -> float:
    if a == b:
        return 1.0
    if singularize(a) == singularize(b):
        return 0.97
    if min(len(a), len(b)) < 4 or a.isdigit() or b.isdigit():
        return 0.0
    if (
        _NAMES_OF_COUNTRIES.issuperset((a, b))
        or a[0] != b[0]
        or OSA.distance(a, b) > max(len(a), len(b)) // _LETTERS_PER_SLIP
    ):
        return 0.0
    return fuzz.ratio(a, b, score_cutoff=75) / 100


def _without_article(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words
