"""Relation thesaurus: the phrases of everyday relations, each with the end from which it states the relation."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from chattyshared.language.morphology import PREPOSITIONS, analyze_phrase, quantities_of

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
def look_up_senses(text: str) -> Mapping[str, tuple[Sense, ...]]:
    """Return the senses of a phrase by relation: of all its words, or else without prepositions or of a part.

    The weight tells how much of the phrase was used and how central the words are to the relation.
    """
    analyzed = analyze_phrase(text)
    best: dict[tuple[str, int], float] = {}
    whole_relations = {sense.relation for sense in _sense_index().get(analyzed.lemmas, ())}
    for key, share in _parts(analyzed.lemmas):
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
