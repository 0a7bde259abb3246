"""Kinds of relation phrases that name no predicate of their own: what a thing is, what it is called, or nothing."""

from __future__ import annotations

from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import GENERIC_WORDS, PREPOSITIONS, analyze_phrase

_TYPE_WORDS = frozenset("type kind class category instance sort".split())
_LABEL_WORDS = frozenset("name call title label entitle".split())
_OF_PLACE = frozenset("in at from on".split())
_LIGHT = word_set("verbs", "light_verbs")
_BARE = frozenset(PREPOSITIONS) | word_set("verbs", "bare_verbs")


def is_type_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase says what something is (``type``, ``is a``, ``kind of``)."""
    content = analyze_phrase(phrase).content_lemmas
    return not phrase.strip() or phrase.strip().casefold() in ("is a", "is an", "is", "are", "a") or (
        len(content) <= 2 and all(word in _TYPE_WORDS for word in content)
    )  # fmt: skip


def is_label_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase says what something is called."""
    lemmas = analyze_phrase(phrase).lemmas
    return lemmas in (("know", "as"), ("stand", "for")) or (
        bool(lemmas) and all(word in _LABEL_WORDS for word in lemmas)
    )


def is_generic_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase leads only to when, where or how many (``in``, ``in year``, ``at place``)."""
    return all(word in _BARE or word in GENERIC_WORDS for word in analyze_phrase(phrase).lemmas)


def is_locative_phrase(phrase: str) -> bool:
    """Tell whether a verb only fills a preposition of place or origin (``grow in``, ``come from``)."""
    lemmas = analyze_phrase(phrase).lemmas
    return len(lemmas) == 2 and lemmas[1] in _OF_PLACE and lemmas[0] not in _OF_PLACE


def is_light_verb_phrase(phrase: str) -> bool:
    """Tell whether a verb says that there is a relation and hardly which (``take``, ``place``, ``take place in``)."""
    return all(word in _LIGHT or word in _BARE for word in analyze_phrase(phrase).lemmas) and not is_function_phrase(
        phrase
    )


def is_function_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase names no relation (``of``, ``in``, ``has``)."""
    return all(word in _BARE for word in analyze_phrase(phrase).lemmas)
