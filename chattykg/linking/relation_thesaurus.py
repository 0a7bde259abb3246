"""The thesaurus of everyday relations: which phrases speak of one relation, and from which of its ends."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from chattyshared.language.morphology import PREPOSITIONS, analyze_phrase

_LEAST = 0.75
"""What the last word of an entry is worth; the first is worth 1."""


@dataclass(frozen=True, slots=True)
class Sense:
    """A phrase as one side of one relation: ``side`` is 0 where the first end *has* the second, 1 the other way."""

    relation: str
    side: int
    weight: float


@lru_cache(maxsize=1)
def _index() -> Mapping[tuple[str, ...], tuple[Sense, ...]]:
    text = files("chattydata").joinpath("relations.toml").read_text(encoding="utf-8")
    found: dict[tuple[str, ...], dict[tuple[str, int], float]] = {}
    for group in tomllib.loads(text).values():
        for relation, sides in group.items():
            for side, phrases in enumerate(sides):
                for key, worth in _keys(phrases):
                    senses = found.setdefault(key, {})
                    senses[relation, side] = max(worth, senses.get((relation, side), 0.0))
    return {
        key: tuple(Sense(relation, side, worth) for (relation, side), worth in senses.items())
        for key, senses in found.items()
    }


def _keys(phrases: str) -> Iterator[tuple[tuple[str, ...], float]]:
    listed = [phrase.strip() for phrase in phrases.split(";") if phrase.strip()]
    for place, phrase in enumerate(listed):
        reading = analyze_phrase(phrase)
        yield reading.lemmas, 1 - (1 - _LEAST) * place / len(listed)


@lru_cache(maxsize=1)
def _longest() -> int:
    """Return the words of the longest phrase: longer parts of a text are none of them."""
    return max(map(len, _index()), default=0)


@lru_cache(maxsize=20_000)
def look_up_senses(text: str) -> Mapping[str, tuple[Sense, ...]]:
    """Return, per relation, what a phrase may say of it: by all its words, or else without prepositions or in part.

    The worth tells how much of the phrase was used and how central the words are to the relation.
    """
    reading = analyze_phrase(text)
    best: dict[tuple[str, int], float] = {}
    whole = {sense.relation for sense in _index().get(reading.lemmas, ())}
    for key, share in _parts(reading.lemmas):
        for sense in _index().get(key, ()):
            if sense.relation in whole and key != reading.lemmas:
                continue
            at = (sense.relation, sense.side)
            best[at] = max(best.get(at, 0.0), sense.weight * share)
    grouped: dict[str, list[Sense]] = {}
    for (relation, side), worth in best.items():
        grouped.setdefault(relation, []).append(Sense(relation, side, worth))
    return {relation: tuple(found) for relation, found in grouped.items()}


def _parts(lemmas: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:
    yield lemmas, 1.0
    content = tuple(word for word in lemmas if word not in PREPOSITIONS)
    if content and content != lemmas:
        yield content, 0.93
    size = len(lemmas)
    for length in range(min(size - 1, _longest()), 0, -1):
        for start in range(size - length + 1):
            part = lemmas[start : start + length]
            if any(word not in PREPOSITIONS for word in part):
                inner = sum(word not in PREPOSITIONS for word in part)
                yield part, 0.5 + 0.4 * inner / max(1, len(content))
