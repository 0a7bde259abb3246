"""Abbreviations in names of tables and columns: usual ones from the lexicon, and others by their letters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from chattyshared.language.lexicon import word_lists, word_set
from chattyshared.language.morphology import FUNCTION_WORDS, PREPOSITIONS, is_english_word, lemma_of, split_label
from chattyshared.language.quantities import unit_names
from chattyshared.language.wordnet import has_sense

COLUMN_ABBREVIATIONS = {short: word for word, all_ in word_lists("abbreviations", "columns").items() for short in all_}
"""Usual abbreviations in the names of tables and columns, and the words that they stand for."""
# Origin of the numbers below: set by hand on the development sets.
CLEAR_WEIGHT, SHORT_WEIGHT = 0.9, 0.72
"""Weights (0..1) of an abbreviation with several letters or all consonants of the word, and of a shorter one."""
_MIN_CLEAR, _MIN_LETTERS, _MIN_CUT = 4, 3, 2
"""Letters of a clear abbreviation, of any but a whole skeleton, and those that an abbreviation leaves out at least."""
_MIN_GLUED = 5
"""Letters of two words in one, at least."""
_MAX_LETTERS = 100
"""Most letters of the abbreviation of a phrase."""
_MAX_COMMON_LETTERS = 4
"""Letters up to which a word that only the dictionary of lemmas knows counts as an abbreviation ("rm", "cls")."""
_SAID = word_set("abbreviations", "said", "short_words")
_MAX_SHORT_WORD = 3
"""Letters up to which a word must be a known short word to be said; set by hand."""
_MIN_NAME = 8
"""Letters from which a word that no dictionary knows may be said, if it can be pronounced; set by hand."""
_MIN_OPEN_NAME = 4
"""The same of a word that ends in a vowel ("alma mater"), as few abbreviations do; set by hand."""
_TOKEN = re.compile(r"[^\s_/()\[\],;&+'’-]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_UNPRONOUNCEABLE = re.compile(r"^[^aeiouy]{4}|[^aeiouy]{5}|[^aeiouy]{3}$|^[^aeiouy]+$")
_VOWELS = "aeiou"
_REPEATED = re.compile(r"(.)\1+")


def expand_abbreviations(name: str) -> str:
    """Return a name with the usual abbreviations expanded: ``emp no`` or ``empno``, an *employee number*."""
    words = " ".join(map(_expand_word, name.split()))
    return re.sub(r"\b(\w+) \1\b", r"\1", words)  # telephone number number


def _expand_word(word: str) -> str:
    parts = split_glued(word.casefold()).split()
    if COLUMN_ABBREVIATIONS.keys().isdisjoint(parts):
        return word
    return " ".join(COLUMN_ABBREVIATIONS.get(part, part) for part in parts)


@lru_cache(maxsize=20_000)
def split_glued(word: str) -> str:
    """Return a word of a column's name as the two words or abbreviations that make it: ``hrsworked``, *hrs worked*;
    the word itself if it is one, or if there is no such reading."""
    if len(word) < _MIN_GLUED or not word.islower() or word in COLUMN_ABBREVIATIONS or not is_abbreviation(word):
        return word
    cuts = (cut for cut in range(len(word) - 2, 1, -1) if _is_piece(word[:cut]) and _is_piece(word[cut:]))
    cut = next(cuts, 0)
    return f"{word[:cut]} {word[cut:]}" if cut else word


def _is_piece(piece: str) -> bool:
    is_known = has_sense(piece) or has_sense(lemma_of(piece)) or len(piece) >= _MIN_GLUED
    return piece in COLUMN_ABBREVIATIONS or piece == "id" or (len(piece) > 2 and is_english_word(piece) and is_known)


@lru_cache(maxsize=20_000)
def is_abbreviation(word: str) -> bool:
    """Tell whether a word of a label is no word of English, so that it may abbreviate one."""
    if not word.isalpha() or len(word) < 2 or word in FUNCTION_WORDS or word in PREPOSITIONS:
        return False
    if has_sense(word) or has_sense(lemma_of(word)):
        return False
    return len(word) <= _MAX_COMMON_LETTERS or not is_english_word(word)


@lru_cache(maxsize=20_000)
def is_sayable(label: str) -> bool:
    """Tell whether people would say an English label of a class or predicate: it has no codes and no abbreviations.

    Said acronyms (ISBN), acronyms and names among other words (``FIFA ranking``) and units may be in it. Only labels in
    English can be judged so.
    """
    tokens = [part for token in _TOKEN.findall(label) for part in _parts_of(token)]
    is_mixed = any(token.islower() and len(token) > _MAX_SHORT_WORD for token in tokens)
    if re.search(r"\d[\s_]+\d|\b[a-z] \d+\b|\b\d+ [a-z]\b", label):  # 18 49 share, flow m 3 h
        return False
    return bool(tokens) and all(_is_said(token, is_mixed=is_mixed) for token in tokens)


def _parts_of(token: str) -> list[str]:
    return [token] if token.lower() in _SAID else _CAMEL.sub(" ", token).split()


def _is_said(token: str, *, is_mixed: bool) -> bool:
    word = token.lower()
    if word in _SAID or word in PREPOSITIONS or word in FUNCTION_WORDS or word in unit_names():
        return True
    if not word.isalpha():
        return not re.search(r":|[^\W\d_][\d.]", word)
    if is_mixed and not token.islower() and (token.isupper() or not _UNPRONOUNCEABLE.search(word)):
        return True
    if len(word) <= _MAX_SHORT_WORD:
        return False
    if is_abbreviation(word):
        is_long = len(word) >= (_MIN_OPEN_NAME if word[-1] in _VOWELS else _MIN_NAME)
        return is_long and not _UNPRONOUNCEABLE.search(word)
    return True


@lru_cache(maxsize=100_000)
def abbreviation_weight(short: str, word: str) -> float:
    """Return how clearly ``short`` abbreviates a word (0..1; 0: not): its beginning, or its consonants in order.

    ``bldg`` may be a building, ``elev`` an elevator. Vowels inside tell that the letters are the beginning of a word.
    """
    best = 0.0
    for form in {word, lemma_of(word)}:
        if len(form) - len(short) < _MIN_CUT or short[0] != form[0]:
            continue
        if len(short) >= _MIN_LETTERS and form.startswith(short):
            best = max(best, CLEAR_WEIGHT if len(short) >= _MIN_CLEAR else SHORT_WEIGHT)
        elif not set(short[1:-1]) & set(_VOWELS):
            best = max(best, _skeleton_weight(_REPEATED.sub(r"\1", short), form))
    return best


def _skeleton_weight(short: str, word: str) -> float:
    """Compare an abbreviation with the first letter and the consonants of a word, and its silent e."""
    skeleton = word[0] + "".join(letter for letter in word[1:-1] if letter not in _VOWELS) + word[-1]
    skeleton = _REPEATED.sub(r"\1", skeleton)
    if short in (skeleton, skeleton.rstrip(_VOWELS)):
        return CLEAR_WEIGHT
    letters = iter(skeleton)
    in_order = len(short) >= _MIN_LETTERS and all(letter in letters for letter in short)
    if not in_order or not (skeleton.startswith(short) or short[-1] == skeleton[-1]):
        return 0.0
    return CLEAR_WEIGHT if len(short) >= _MIN_CLEAR else SHORT_WEIGHT


def abbreviates_phrase(short: str, words: Sequence[str]) -> bool:
    """Tell whether ``short`` has the first letter of each word and some of the others, in order (``repreq``)."""
    if not words or len("".join(words)) - len(short) < _MIN_CUT or len(short) > _MAX_LETTERS:
        return False
    lengths = {0}  # of the beginnings of the short form that the words so far abbreviate to
    for word in words:
        lengths = {length + 1 for length in lengths if short[length : length + 1] == word[0]}
        for letter in word[1:]:
            lengths |= {length + 1 for length in lengths if short[length : length + 1] == letter}
    return len(short) in lengths


@lru_cache(maxsize=100_000)
def expand_towards(label: str, words: tuple[str, ...]) -> tuple[str, float]:
    """Return a label with each abbreviation of one of some words expanded, and the weight (0..1) of the weakest."""
    expanded, weight = [], 1.0
    for part in split_label(label):
        full, each = _expansion(part, words) if is_abbreviation(part) else ("", 0.0)
        expanded.append(full or part)
        weight = min(weight, each or 1.0)
    return " ".join(expanded), weight


def initials(words: Iterable[str]) -> str:
    """Return the first letters of words."""
    return "".join(word[:1] for word in words)


def _expansion(short: str, words: Sequence[str]) -> tuple[str, float]:
    if len(short) > 1 and short == initials(words):
        return " ".join(words), CLEAR_WEIGHT
    each, word = max(((abbreviation_weight(short, word), word) for word in words), default=(0.0, ""))
    return (word, each) if each else ("", 0.0)
