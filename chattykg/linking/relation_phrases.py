"""Relation phrases: those that name no predicate, and those of everyday relations with the end that has them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

from chattyshared.language.languages import load_language
from chattyshared.language.lexicon import load_lexicon, word_set
from chattyshared.language.morphology import GENERIC_WORDS, PREPOSITIONS, analyze_phrase

WHERE_PHRASE = "location"
"""The relation to the place where a thing is."""
_TYPE_WORDS = frozenset("type kind class category instance sort".split())
_LABEL_WORDS = frozenset("name call title label entitle".split())
_PLACE_PHRASES = (("in",), ("at",), ("from",), ("on",), ("out", "of"))
_CONTAINMENT_WORDS = word_set("places", "containment_words")
_LIGHT_VERBS = word_set("verbs", "light_verbs")
_FUNCTION_LEMMAS = frozenset(PREPOSITIONS) | word_set("verbs", "bare_verbs")


def is_type_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase asks for a type (``type``, ``is a``, ``kind of``)."""
    content = analyze_phrase(phrase).content_lemmas
    return not phrase.strip() or phrase.strip().casefold() in ("is a", "is an", "is", "are", "a") or (
        len(content) <= 2 and all(word in _TYPE_WORDS for word in content)
    )  # fmt: skip


def is_label_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase asks for a label."""
    lemmas = analyze_phrase(phrase).lemmas
    return lemmas in (("know", "as"), ("stand", "for")) or (bool(lemmas) and all(w in _LABEL_WORDS for w in lemmas))


def is_generic_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase holds only function words and generic nouns (``in``, ``in year``)."""
    return all(word in _FUNCTION_LEMMAS or word in GENERIC_WORDS for word in analyze_phrase(phrase).lemmas)


def is_locative_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase is a verb with a preposition of place or origin (``grow in``, ``come from``)."""
    lemmas = analyze_phrase(phrase).lemmas
    return lemmas[1:] in _PLACE_PHRASES and lemmas[:1] not in _PLACE_PHRASES


def is_containment_phrase(phrase: str) -> bool:
    """Tell whether a phrase says that something is within or a part of another thing (``contained in place``)."""
    return not _CONTAINMENT_WORDS.isdisjoint(analyze_phrase(phrase).words)


@lru_cache(maxsize=20_000)
def is_light_verb_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase holds only light verbs (``take``, ``place``, ``take place in``)."""
    return all(
        word in _LIGHT_VERBS or word in _FUNCTION_LEMMAS for word in analyze_phrase(phrase).lemmas
    ) and not is_function_phrase(phrase)


@lru_cache(maxsize=20_000)
def is_function_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase holds only function words (``of``, ``in``, ``has``)."""
    return all(word in _FUNCTION_LEMMAS for word in analyze_phrase(phrase).lemmas)


# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_LAST_PHRASE_WEIGHT = 0.75
"""Weight (0..1) to which the phrases of an entry fall; the first has 1."""
_CONTENT_SHARE, PART_SHARE, PART_LENGTH_WEIGHT = 0.93, 0.5, 0.4
"""Shares (0..1) of a phrase without its prepositions and of any other part, and what is added for the share of its
content words."""
_MAX_WORDS = 5
"""Words of the longest part of a phrase that is looked up."""


@cache
def _sense_index(tag: str) -> Mapping[frozenset[str], Mapping[str, tuple[float, float]]]:
    """Return the weights of the phrases of a language's thesaurus on both sides of relations, by their lemmas."""
    language = load_language(tag)
    if language.has_words("relations"):
        groups = load_lexicon("relations", language.name)
    else:
        groups = tomllib.loads(files("chattydata").joinpath("relations.toml").read_text(encoding="utf-8"))
    index: dict[frozenset[str], dict[str, tuple[float, float]]] = {}
    for relation, sides in (pair for group in groups.values() for pair in group.items()):
        for side, text in enumerate(sides):
            phrases = [phrase.strip() for phrase in text.split(";") if phrase.strip()]
            for position, phrase in enumerate(phrases):
                weight = 1 - (1 - _LAST_PHRASE_WEIGHT) * position / len(phrases)
                _add(index.setdefault(frozenset(lemmas_in(phrase, tag)), {}), relation, side, weight)
    return index


def _add(senses: dict[str, tuple[float, float]], relation: str, side: int, weight: float) -> None:
    has, inverse = senses.get(relation, (0.0, 0.0))
    senses[relation] = (has, max(weight, inverse)) if side else (max(weight, has), inverse)


def lemmas_in(text: str, tag: str) -> tuple[str, ...]:
    """Return the lemmas of a phrase by which the thesaurus of a language finds it."""
    language = load_language(tag)
    is_own = language.has_words("relations")
    return language.morphology.stems_of(text) if is_own else analyze_phrase(text).lemmas


@lru_cache(maxsize=40_000)
def look_up_senses(text: str, tag: str = "en", *, by_generic: bool = True) -> Mapping[str, tuple[float, float]]:
    """Return the relations that a phrase names, each with two weights (0..1): the first end *has* the second; inverse.

    A weight tells how much of the phrase was used, all its words or a part, and how central the words are to the
    relation. Without ``by_generic``, no part of generic words alone names one ("year" of "repaired in year").
    """
    lemmas, index = lemmas_in(text, tag), _sense_index(tag)
    whole = index.get(frozenset(lemmas), {})
    best = dict(whole)
    content = tuple(word for word in lemmas if word not in PREPOSITIONS)
    parts = [lemmas[i:j] for i in range(len(lemmas)) for j in range(i + 1, min(len(lemmas), i + _MAX_WORDS) + 1)]
    for part in dict.fromkeys((content, *parts)):
        inner = [word for word in part if word not in PREPOSITIONS]
        if not inner or part == lemmas or not by_generic and GENERIC_WORDS.issuperset(inner):
            continue
        share = _CONTENT_SHARE if part == content else PART_SHARE + PART_LENGTH_WEIGHT * len(inner) / len(content)
        for relation, weights in index.get(frozenset(part), {}).items():
            for side, weight in enumerate(weights) if relation not in whole else ():
                _add(best, relation, side, share * weight)
    return best
