"""Similarity of relation phrases and names of predicates."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from chattyshared.language.abbreviations import expand_towards
from chattyshared.language.languages import QuestionLanguage, load_language
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import GENERIC_WORDS, PREPOSITIONS, AnalyzedPhrase, analyze_phrase, lemma_stem_of
from chattyshared.language.wordnet import has_sense, measured_by, near_words
from rapidfuzz import fuzz

from chattykg.linking.relation_phrases import lemmas_in, look_up_senses

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
SAME_CONTENT_SCORE, SAME_STEMS_SCORE = 0.97, 0.93
"""Scores (0..1) of two phrases with the same content lemmas in any order, and with the same stems."""
_HEAD_NOUN_SCORE = 0.86
"""Score (0..1) of a noun and the same noun with a modifier (``composer``, ``music composer``)."""
_GENERIC_OBJECT_SCORE = 0.9
"""Score (0..1) of a phrase and a label with a generic noun behind it (``kept in place``, ``join date``)."""
MOMENT_NOUNS = word_set("followups", "moment_nouns")
"""Nouns of a label that its kind of values tells (``join date``)."""
_OTHER_PREPOSITION_SCORE = 0.8
"""Score (0..1) of the same content behind different prepositions (``from pier``, ``to pier``)."""
_VERB_OBJECT_SCORE = 0.88
"""Score (0..1) of a verb and a label with its object (``carry``, ``carries load``)."""
STEM_OVERLAP_WEIGHT, GENERIC_STEM_WEIGHT = 0.85, 0.3
"""Weight (0..1) of the overlap of stems, and of a generic stem in it."""
NEAR_WORD_WEIGHT = 0.8
"""Weight (0..1) of the overlap of words if some of them are near by WordNet only."""
CHARACTER_WEIGHT, MIN_CHARACTER_RATIO = 0.85, 0.8
"""Weight (0..1) of the similarity of characters, and the ratio (0..1) from which it counts."""
COMPOUND_SCORE = 0.62
"""Score (0..1) of one stem that begins another (``admitted``, ``admittancedate``), over the number of stems."""
MIN_PREFIX_LETTERS = 5
"""Letters of the shortest stem that begins another."""
THESAURUS_WEIGHT = 0.95
"""Weight (0..1) of the agreement of two phrases by the thesaurus."""
_TIE = 1e-9

MIN_PART_LETTERS = 4
"""Letters of the shortest part of a compound."""
COMPOUND_PART_SCORE = 0.75
"""Score (0..1) of a noun and a compound of it (``Preis``, ``Eintrittspreis``)."""


class Similarity(Protocol):
    """Scores texts against a phrase."""

    def __call__(self, phrase: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a score in 0..1 for each text: 1 means the same, 0 is unrelated."""


class LexicalSimilarity:
    """Similarity by lemmas, stems, shared words and characters, and the thesaurus of everyday relations."""

    def __call__(self, phrase: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a score in 0..1 for each text."""
        return [lexical_similarity(phrase, text) for text in texts]


@lru_cache(maxsize=200_000)
def lexical_similarity(phrase: str, text: str, *, expands: bool = True) -> float:
    """Return the similarity of two phrases (0..1): the highest of the lexical scores.

    Abbreviations are expanded once: what "id" stands for beside "id documents" holds "id" again.
    """
    one, two = analyze_phrase(phrase), analyze_phrase(text)
    if not one.words or not two.words:
        return 0.0
    if one.text == two.text or one.lemmas == two.lemmas:
        return 1.0
    if sorted(one.content_lemmas) == sorted(two.content_lemmas):
        return SAME_CONTENT_SCORE if _has_same_preposition(one, two) else _OTHER_PREPOSITION_SCORE
    if one.stems == two.stems and len(one.content_lemmas) == len(two.content_lemmas):
        return SAME_STEMS_SCORE
    expanded, weight = expand_towards(text, one.words) if expands else (text, 1.0)
    return max(
        weight * lexical_similarity(phrase, expanded, expands=False) if weight < 1 else 0.0,
        _stem_overlap(one, two),
        _head_noun_score(one, two),
        _verb_object_score(one, two),
        _generic_object_score(one, two),
        _thesaurus_agreement(phrase, text)[0],
        _character_similarity(one, two),
        _compound_score(one, two),
        _near_word_overlap(one, two),
    )


@lru_cache(maxsize=200_000)
def argument_polarity(phrase: str, text: str, tag: str = "en") -> int:
    """Return whether two phrases state a relation from the same end (1), from opposite ends (-1), or neither (0)."""
    is_same = analyze_phrase(phrase).words == analyze_phrase(text).words
    return 1 if is_same else _thesaurus_agreement(phrase, text, tag)[1]


def _stem_overlap(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Return the weighted overlap of stems; generic words weigh little."""
    common = one.stems & two.stems
    if not common:
        return 0.0
    dice = 2 * _weight(common) / (_weight(one.stems) + _weight(two.stems))
    return STEM_OVERLAP_WEIGHT * dice


def _near_word_overlap(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Return the weighted overlap of words that are the same or near by WordNet, 0 without a near word."""
    near = near_words_of(one.content_lemmas, frozenset(one.words))
    common = {stem for other in two.content_lemmas if other in near for stem in (near[other], lemma_stem_of(other))}
    stems = one.stems | two.stems
    return NEAR_WORD_WEIGHT * _weight(common | one.stems & two.stems) / _weight(stems) if common else 0.0


@lru_cache(maxsize=20_000)
def near_words_of(lemmas: tuple[str, ...], forms: frozenset[str]) -> dict[str, str]:
    """Return the near words of some words, and what adjectives measure, each with the stem of its word.

    ``forms`` are the words as they stand: "lights" is no adjective.
    """
    content = [word for word in lemmas if word not in GENERIC_WORDS]
    measures = ((other, word) for word in content if word in forms for other in measured_by(word))
    near = (*((other, word) for word in content for other in near_words(word)), *measures)
    return {other: lemma_stem_of(word) for other, word in near if other not in GENERIC_WORDS}


_BROAD_STEMS = frozenset(lemma_stem_of(word) for word in GENERIC_WORDS)


def _weight(stems: Set[str]) -> float:
    return sum(GENERIC_STEM_WEIGHT if word in _BROAD_STEMS else 1.0 for word in stems)


def _head_noun_score(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Compare a noun with the same noun and a modifier: ``composer`` and ``music composer``."""
    size = len(one.content_lemmas)
    is_head = 0 < size < len(two.content_lemmas) and two.content_lemmas[-size:] == one.content_lemmas
    return _HEAD_NOUN_SCORE if is_head and not set(one.content_lemmas) <= GENERIC_WORDS else 0.0


def _character_similarity(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Compare the characters of two phrases, unless both are words of their own ("country", "currency")."""
    if all(len(phrase.content_lemmas) == 1 and has_sense(phrase.content_lemmas[0], "n") for phrase in (one, two)):
        return 0.0
    ratio = fuzz.ratio("".join(one.content_lemmas), "".join(two.content_lemmas)) / 100
    return CHARACTER_WEIGHT * ratio if ratio >= MIN_CHARACTER_RATIO else 0.0


def _compound_score(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Compare a word with a compound that begins with it: ``admitted`` and ``admittancedate``."""
    for stem in one.stems:
        for other_stem in two.stems:
            short, long = sorted((stem, other_stem), key=len)
            if len(short) >= MIN_PREFIX_LETTERS and long.startswith(short):
                return COMPOUND_SCORE / max(len(one.stems), len(two.stems))
    return 0.0


def _verb_object_score(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Compare a verb with a label of the verb and its object: ``carry`` and ``carries load``."""
    has_object = len(two.content_lemmas) == 2 and one.content_lemmas == two.content_lemmas[:1] == two.lemmas[:1]
    is_third_person = two.words[0] != two.lemmas[0] and two.words[0].endswith("s")
    return _VERB_OBJECT_SCORE if has_object and is_third_person else 0.0


def _has_same_preposition(one: AnalyzedPhrase, two: AnalyzedPhrase) -> bool:
    """Tell whether not both phrases begin with a preposition, or both with the same."""
    return one.words[0] == two.words[0] or not {one.words[0], two.words[0]} <= PREPOSITIONS


def _generic_object_score(one: AnalyzedPhrase, two: AnalyzedPhrase) -> float:
    """Compare a phrase with a label that adds a generic noun: ``kept`` and ``kept in place``, ``join date``."""
    has_object = len(two.words) > 2 and two.words[-1] in GENERIC_WORDS and two.words[-2] in PREPOSITIONS
    has_object |= len(two.words) > 1 and two.words[-1] in MOMENT_NOUNS and PREPOSITIONS.isdisjoint(two.words)
    return _GENERIC_OBJECT_SCORE if has_object and two.content_lemmas[:-1] == one.content_lemmas else 0.0


def _thesaurus_agreement(phrase: str, text: str, tag: str = "en") -> tuple[float, int]:
    """Return how well two phrases agree by the thesaurus (0..1), and their polarity (0: it does not tell).

    A generic word is not what two phrases agree in that both have others: "repaired in year", "year built".
    """
    by_generic = any(GENERIC_WORDS.issuperset(analyze_phrase(each).content_lemmas) for each in (phrase, text))
    senses, others = (look_up_senses(each, tag, by_generic=by_generic) for each in (phrase, text))
    pairs = [(senses[relation], others[relation]) for relation in senses.keys() & others.keys()]
    same = max((max(one[0] * two[0], one[1] * two[1]) for one, two in pairs), default=0.0)
    turned = max((max(one[0] * two[1], one[1] * two[0]) for one, two in pairs), default=0.0)
    polarity = 0 if abs(same - turned) < _TIE else 1 if same > turned else -1
    return THESAURUS_WEIGHT * max(same, turned), polarity


# ------------------------------------------------------------------------------------------------- other languages
def similarity_in(language: QuestionLanguage, similarity: Similarity) -> Similarity:
    """Return the similarity for the questions of a language: ``similarity`` if it has no thesaurus of its own."""
    return LanguageSimilarity(language.tag) if language.has_words("relations") else similarity


@dataclass(frozen=True, slots=True)
class LanguageSimilarity:
    """Similarity by lemmas, shared words, parts of compounds and the thesaurus of a language, or as in English."""

    tag: str

    def __call__(self, phrase: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a score in 0..1 for each text."""
        return [_similarity(self.tag, phrase, text) for text in texts]


@lru_cache(maxsize=100_000)
def _similarity(tag: str, phrase: str, text: str) -> float:
    one, two = frozenset(lemmas_in(phrase, tag)), frozenset(lemmas_in(text, tag))
    if not one or not two or one == two:
        return float(bool(one) and one == two)
    overlap = STEM_OVERLAP_WEIGHT * 2 * len(one & two) / (len(one) + len(two))
    agreement, _ = _thesaurus_agreement(phrase, text, tag)
    return max(overlap, _noun_part_score(tag, one, two), agreement, lexical_similarity(phrase, text))


def _noun_part_score(tag: str, one: frozenset[str], two: frozenset[str]) -> float:
    """Compare a noun with a compound of it."""
    if len(one) > 1 or len(two) > 1:
        return 0.0
    (word,), (other,) = one, two
    is_part = word in _compound_parts(tag, other) or other in _compound_parts(tag, word)
    return COMPOUND_PART_SCORE if is_part else 0.0


@lru_cache(maxsize=20_000)
def _compound_parts(tag: str, word: str) -> tuple[str, str]:
    """Return the lemmas of the modifier and the head of a compound ("eintritt", "preis"); ("", "") for others."""
    morphology = load_language(tag).morphology
    for cut in range(MIN_PART_LETTERS, len(word) - MIN_PART_LETTERS + 1):
        head, modifier = word[cut:], word[:cut]
        wholes = (modifier, modifier.removesuffix("s"), modifier.removesuffix("n"))  # "s" and "n" join two nouns
        whole = next((w for w in wholes if len(w) >= MIN_PART_LETTERS and morphology.is_word(w)), "")
        if whole and morphology.is_word(head):
            return morphology.lemma_of(whole), morphology.lemma_of(head)
    return "", ""
