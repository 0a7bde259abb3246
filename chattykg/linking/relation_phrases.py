"""Relation phrases: those that name no predicate, and those of everyday relations with the end that has them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import GENERIC_WORDS, PREPOSITIONS, analyze_phrase, quantities_of

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
WITHOUT_PREPOSITIONS_SHARE = 0.93
"""Share (0..1) of a phrase that is used if its prepositions are left out."""
PART_SHARE, PART_LENGTH_WEIGHT = 0.5, 0.4
"""Share (0..1) of any part of a phrase, and what is added for the share of its content words."""


@dataclass(frozen=True, slots=True)
class Sense:
    """A phrase as one side of a relation: ``side`` is 0 if the first end *has* the second, 1 if it is the reverse."""

    relation: str
    side: int
    weight: float


@lru_cache(maxsize=1)
def _sense_index() -> Mapping[tuple[str, ...], tuple[Sense, ...]]:
    text = files("chattydata").joinpath("relations.toml").read_text(encoding="utf-8")
    senses_by_lemmas: dict[tuple[str, ...], dict[tuple[str, int], float]] = {}
    for group in tomllib.loads(text).values():
        for relation, sides in group.items():
            for side, phrases in enumerate(sides):
                for phrase, weight in phrase_weights(phrases):
                    senses = senses_by_lemmas.setdefault(analyze_phrase(phrase).lemmas, {})
                    senses[relation, side] = max(weight, senses.get((relation, side), 0.0))
    return {k: tuple(Sense(r, side, w) for (r, side), w in s.items()) for k, s in senses_by_lemmas.items()}


def phrase_weights(phrases: str) -> Iterator[tuple[str, float]]:
    """Yield the phrases of an entry, each with its weight."""
    entries = [phrase.strip() for phrase in phrases.split(";") if phrase.strip()]
    for position, phrase in enumerate(entries):
        yield phrase, 1 - (1 - _LAST_PHRASE_WEIGHT) * position / len(entries)


@lru_cache(maxsize=1)
def _max_phrase_words() -> int:
    """Return the number of words of the longest phrase."""
    return max(map(len, _sense_index()), default=0)


@lru_cache(maxsize=20_000)
def look_up_senses(text: str, *, by_generic: bool = True) -> Mapping[str, tuple[Sense, ...]]:
    """Return the senses of a phrase by relation: of all its words, or else without prepositions or of a part.

    The weight tells how much of the phrase was used and how central the words are to the relation. Without
    ``by_generic``, no part of generic words alone has a sense ("year" of "repaired in year").
    """
    analyzed = analyze_phrase(text)
    best: dict[tuple[str, int], float] = {}
    whole_relations = {sense.relation for sense in _sense_index().get(analyzed.lemmas, ())}
    for key, share in _parts(analyzed.lemmas):
        if not by_generic and key != analyzed.lemmas and GENERIC_WORDS.union(PREPOSITIONS).issuperset(key):
            continue
        if len(key) == 1 and f"{key[0]}s" in analyzed.words and quantities_of(key[0]):
            continue  # "lights" is no adjective
        for sense in _sense_index().get(key, ()):
            if sense.relation in whole_relations and key != analyzed.lemmas:
                continue
            at = (sense.relation, sense.side)
            best[at] = max(best.get(at, 0.0), sense.weight * share)
    grouped: dict[str, list[Sense]] = {}
    for (relation, side), weight in best.items():
        grouped.setdefault(relation, []).append(Sense(relation, side, weight))
    return {relation: tuple(senses) for relation, senses in grouped.items()}


def _parts(lemmas: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:
    yield lemmas, 1.0
    content = tuple(word for word in lemmas if word not in PREPOSITIONS)
    if content and content != lemmas:
        yield content, WITHOUT_PREPOSITIONS_SHARE
    size = len(lemmas)
    for length in range(min(size - 1, _max_phrase_words()), 0, -1):
        for start in range(size - length + 1):
            part = lemmas[start : start + length]
            if any(word not in PREPOSITIONS for word in part):
                inner = sum(word not in PREPOSITIONS for word in part)
                yield part, PART_SHARE + PART_LENGTH_WEIGHT * inner / max(1, len(content))
