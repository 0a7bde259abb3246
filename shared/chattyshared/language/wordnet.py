"""WordNet 3.0, reduced to common words of English: synonyms, related forms, hypernyms, measures, demonyms.

The source is ``chattydata/english/wordnet.txt``; ``benchmarks/reduce_wordnet.py`` makes it, and its first lines tell
its format. Unknown words have empty results. All functions ignore case and are thread-safe.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from chattyshared.language.lexicon import LANGUAGE

_NOUN, _VERB, _ADJECTIVE, _ADVERB = "nvar"
_NEAR_PARTS = (_NOUN, _VERB)
"""Parts of speech whose synonyms name classes and relations."""
_CACHED_WORDS = 50_000
"""Words in each cache: more than the file has lines."""
_COMMON_SENSES = 2
"""Senses of a word, the commonest first, that are taken for likely."""


@dataclass(frozen=True, slots=True)
class _Sense:
    kind: str
    synonyms: tuple[str, ...]
    hypernyms: tuple[tuple[str, int], ...]


def noun_synonyms(noun: str) -> tuple[str, ...]:
    """Return the synonyms of a noun: those of its commonest sense first, in each sense the commonest first."""
    return tuple(dict.fromkeys(each for sense in _senses(noun.lower(), _NOUN) for each in sense.synonyms))


@lru_cache(maxsize=_CACHED_WORDS)
def near_words(word: str) -> frozenset[str]:
    """Return the nouns and verbs for the commonest sense of a word, in lower case.

    The sense must be one of the two commonest of the other word: rarer ones make far-fetched pairs (direct, address).
    """
    first = [sense for code in _NEAR_PARTS for sense in _senses(word, code)[:1]]
    synonyms = {synonym.lower() for sense in first for synonym in sense.synonyms}
    return frozenset(synonym for synonym in synonyms if word in _common_synonyms(synonym))


@lru_cache(maxsize=_CACHED_WORDS)
def has_sense(word: str, *parts: str) -> bool:
    """Tell whether a word in its base form is a noun, verb, adjective or adverb, or one of some of these (codes)."""
    return any(_senses(word.lower(), code) for code in parts or (_NOUN, _VERB, _ADJECTIVE, _ADVERB))


def related_forms(word: str) -> tuple[str, ...]:
    """Return the derivationally related forms of a word (die: death), in all its parts of speech."""
    forms = (form for code in (_NOUN, _VERB, _ADJECTIVE, _ADVERB) for form in _values(word, code, "rel"))
    return tuple(dict.fromkeys(form.partition("/")[0] for form in forms))


@lru_cache(maxsize=_CACHED_WORDS)
def hypernyms(noun: str, levels: int = 3, *, senses: int | None = None) -> tuple[str, ...]:
    """Return the hypernyms (and their synonyms) of a noun, by sense, in each sense the nearest level first.

    ``senses`` limits them to the commonest senses of the noun.

    composer: musician, artist, creator. The highest abstractions (entity, object) are left out, but not "person".
    """
    words: dict[str, None] = {}
    for sense in _senses(noun.lower(), _NOUN)[:senses]:
        above = [sense]
        for _ in range(levels):
            references = [reference for lower in above for reference in lower.hypernyms]
            above = [_senses(name, _NOUN)[at] for name, at in references]
            for (name, _), higher in zip(references, above, strict=True):
                words.update(dict.fromkeys((name, *higher.synonyms)))
    return tuple(words)


def noun_kinds(noun: str) -> tuple[str, ...]:
    """Return the kinds (person, group, location, time, quantity, artifact ...) of a noun, by sense, commonest first."""
    return tuple(dict.fromkeys(sense.kind for sense in _senses(noun.lower(), _NOUN)))


def is_verb(word: str) -> bool:
    """Tell whether a word in its base form is a verb."""
    return bool(_values(word, _VERB, "frame"))


def measured_by(adjective: str) -> tuple[str, ...]:
    """Return the nouns of what an adjective measures (tall: height; expensive: price), likeliest first.

    An adjective without any has those of the adjective to which it is most similar (huge: size, by large).
    """
    similar = similar_adjectives(adjective)
    return _values(adjective, _ADJECTIVE, "attr") or _values("".join(similar[:1]), _ADJECTIVE, "attr")


def similar_adjectives(adjective: str) -> tuple[str, ...]:
    """Return the adjectives whose sense is near to that of an adjective (vacant: empty), nearest first."""
    return _values(adjective, _ADJECTIVE, "sim")


def is_adjective(word: str) -> bool:
    """Tell whether a word is an adjective that has a similar one or an antonym."""
    return any(_values(word, _ADJECTIVE, field) for field in ("sim", "anto"))


@cache
def places_by_demonym() -> Mapping[str, str]:
    """Return the usual name of the place for each adjective that means only where something is from (danish)."""
    entries = (line.decode().split("\t") for line in _lines() if b"\tloc=" in line)
    return {
        word: _values(word, _ADJECTIVE, "loc")[0]
        for word, code, *fields in entries
        if code == _ADJECTIVE and not any(field.startswith("sim=") for field in fields)
    }


@cache
def _lines() -> list[bytes]:
    return files("chattydata").joinpath(LANGUAGE, "wordnet.txt").read_bytes().split(b"\n")


@lru_cache(maxsize=_CACHED_WORDS)
def _fields(word: str, code: str) -> dict[str, str]:
    lines = _lines()
    start = f"{word}\t{code}\t".encode()
    at = bisect_left(lines, start)
    is_known = at < len(lines) and lines[at].startswith(start)
    return dict(field.split("=", 1) for field in lines[at][len(start) :].decode().split("\t")) if is_known else {}


def _values(word: str, code: str, field: str) -> tuple[str, ...]:
    value = _fields(word.lower(), code).get(field)
    return tuple(value.split(",")) if value else ()


@lru_cache(maxsize=_CACHED_WORDS)
def _senses(word: str, code: str) -> tuple[_Sense, ...]:
    text = _fields(word, code).get("sense")
    return tuple(_parse_sense(sense, code) for sense in text.split("|")) if text is not None else ()


@lru_cache(maxsize=_CACHED_WORDS)
def _common_synonyms(word: str) -> frozenset[str]:
    senses = (sense for code in _NEAR_PARTS for sense in _senses(word, code)[:_COMMON_SENSES])
    return frozenset(synonym for sense in senses for synonym in sense.synonyms)


def _parse_sense(text: str, code: str) -> _Sense:
    kind, _, rest = text.partition(":") if code == _NOUN else ("", "", text)
    words, *references = rest.split("<")
    parsed = (reference.partition("#") for reference in references)
    above = tuple((word, int(number or 1) - 1) for word, _, number in parsed)
    return _Sense(kind, tuple(words.split(",")) if words else (), above)
