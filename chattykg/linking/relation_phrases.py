"""Types of relation phrases that name no predicate: type, label, locative, light verb, function words."""

from __future__ import annotations

from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import GENERIC_WORDS, PREPOSITIONS, analyze_phrase

WHERE_PHRASE = "location"
"""The relation to the place where a thing is."""
_TYPE_WORDS = frozenset("type kind class category instance sort".split())
_LABEL_WORDS = frozenset("name call title label entitle".split())
_PLACE_PREPOSITIONS = frozenset("in at from on".split())
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
    return len(lemmas) == 2 and lemmas[1] in _PLACE_PREPOSITIONS and lemmas[0] not in _PLACE_PREPOSITIONS


def is_containment_phrase(phrase: str) -> bool:
    """Tell whether a phrase says that something is within or a part of another thing (``contained in place``)."""
    return not _CONTAINMENT_WORDS.isdisjoint(analyze_phrase(phrase).words)


def is_light_verb_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase holds only light verbs (``take``, ``place``, ``take place in``)."""
    return all(
        word in _LIGHT_VERBS or word in _FUNCTION_LEMMAS for word in analyze_phrase(phrase).lemmas
    ) and not is_function_phrase(phrase)


def is_function_phrase(phrase: str) -> bool:
    """Tell whether a relation phrase holds only function words (``of``, ``in``, ``has``)."""
    return all(word in _FUNCTION_LEMMAS for word in analyze_phrase(phrase).lemmas)
