"""WordNet 3.0, reduced to common words: synonyms, related forms, hypernyms, verb frames, measures, demonyms.

The source is ``chattydata/LANGUAGE/wordnet.txt``; ``benchmarks/reduce_wordnet.py`` makes it, and its first lines tell
its format. Unknown words and other languages have empty results. All functions ignore case and are thread-safe.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from chattyshared.language.lexicon import LANGUAGE

PartOfSpeech = Literal["noun", "verb", "adjective", "adverb"]

_CODES: dict[PartOfSpeech, str] = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r"}
_NEAR_PARTS = "nv"
"""Parts of speech whose synonyms name classes and relations."""
_PARTS: dict[str, PartOfSpeech] = {code: part for part, code in _CODES.items()}
_CACHED_WORDS = 50_000
"""Words in each cache: more than the file has lines."""
_COMMON_SENSES = 2
"""Senses of a word, the commonest first, that are taken for likely."""
_ARGUMENTS = {"p": "person", "t": "thing"}


@dataclass(frozen=True, slots=True)
class WordForm:
    """A word with its part of speech; ``is_person`` tells whether a related noun is one for persons (composer)."""

    word: str
    part_of_speech: PartOfSpeech
    is_person: bool = False


@dataclass(frozen=True, slots=True)
class VerbFrame:
    """A sentence frame of a verb.

    ``subject`` is "person", "thing" or "it"; ``objects`` holds "person" or "thing" for each object. ``complement`` is
    empty or "prep" (any preposition), "to", "from", "with", "of", "on" (that preposition), "that" (clause), "inf" (with
    "to"), "bare" (infinitive without "to"), "gerund", "whether" (infinitive), "complement" (adjective or noun).
    """

    subject: str
    objects: tuple[str, ...]
    complement: str


@dataclass(frozen=True, slots=True)
class _Sense:
    kind: str
    synonyms: tuple[str, ...]
    hypernyms: tuple[tuple[str, int], ...]


def synonyms(word: str, part_of_speech: PartOfSpeech, *, language: str = LANGUAGE) -> tuple[str, ...]:
    """Return the synonyms of a word: those of its commonest sense first, in each sense the commonest first."""
    senses = _senses(word.lower(), _CODES[part_of_speech], language)
    return tuple(dict.fromkeys(each for sense in senses for each in sense.synonyms))


@lru_cache(maxsize=_CACHED_WORDS)
def near_words(word: str, *, language: str = LANGUAGE) -> frozenset[str]:
    """Return the nouns and verbs for the commonest sense of a word, in lower case.

    The sense must be one of the two commonest of the other word: rarer ones make far-fetched pairs (direct, address).
    """
    first = [sense for code in _NEAR_PARTS for sense in _senses(word, code, language)[:1]]
    synonyms = {synonym.lower() for sense in first for synonym in sense.synonyms}
    return frozenset(synonym for synonym in synonyms if word in _common_synonyms(synonym, language))


@lru_cache(maxsize=_CACHED_WORDS)
def has_sense(word: str, *, language: str = LANGUAGE) -> bool:
    """Tell whether a word in its base form is a noun, verb, adjective or adverb."""
    return any(_senses(word.lower(), code, language) for code in _PARTS)


def related_forms(
    word: str, part_of_speech: PartOfSpeech | None = None, *, language: str = LANGUAGE
) -> tuple[WordForm, ...]:
    """Return the derivationally related forms of a word (die: death), commonest first; by default of all its parts."""
    return tuple(dict.fromkeys(_forms(word, part_of_speech, "rel", language)))


@lru_cache(maxsize=_CACHED_WORDS)
def hypernyms(
    word: str,
    levels: int = 3,
    *,
    senses: int | None = None,
    part_of_speech: PartOfSpeech = "noun",
    language: str = LANGUAGE,
) -> tuple[str, ...]:
    """Return the hypernyms (and their synonyms) of a noun or verb, by sense, in each sense the nearest level first.

    ``senses`` limits them to the commonest senses of the word.

    composer: musician, artist, creator. The highest abstractions (entity, object) are left out, but not "person".
    """
    code = _CODES[part_of_speech]
    words: dict[str, None] = {}
    for sense in _senses(word.lower(), code, language)[:senses]:
        above = [sense]
        for _ in range(levels):
            references = [reference for lower in above for reference in lower.hypernyms]
            above = [_senses(name, code, language)[at] for name, at in references]
            for (name, _), higher in zip(references, above, strict=True):
                words.update(dict.fromkeys((name, *higher.synonyms)))
    return tuple(words)


def noun_kinds(noun: str, *, language: str = LANGUAGE) -> tuple[str, ...]:
    """Return the kinds (person, group, location, time, quantity, artifact ...) of a noun, by sense, commonest first."""
    return tuple(dict.fromkeys(sense.kind for sense in _senses(noun.lower(), _CODES["noun"], language)))


def irregular_bases(
    word: str, part_of_speech: PartOfSpeech | None = None, *, language: str = LANGUAGE
) -> tuple[WordForm, ...]:
    """Return the base forms of an irregular form (went: go), nouns before verbs; none for a regular form or a base."""
    return tuple(_forms(word, part_of_speech, "base", language))


@lru_cache(maxsize=_CACHED_WORDS)
def verb_frames(verb: str, *, language: str = LANGUAGE) -> tuple[VerbFrame, ...]:
    """Return the sentence frames of a verb, those of its commonest sense first."""
    return tuple(_parse_frame(code) for code in _values(verb, "v", "frame", language))


def measured_by(adjective: str, *, language: str = LANGUAGE) -> tuple[str, ...]:
    """Return the nouns of what an adjective measures (tall: height; expensive: price), likeliest first.

    An adjective without any has those of the adjective to which it is most similar (huge: size, by large).
    """
    similar = similar_adjectives(adjective, language=language)
    return _values(adjective, "a", "attr", language) or _values("".join(similar[:1]), "a", "attr", language)


def measuring_adjectives(noun: str, *, language: str = LANGUAGE) -> tuple[str, ...]:
    """Return the adjectives that measure a quantity, both directions (height: tall, short), by sense of the noun."""
    return _values(noun, "n", "attr", language)


def antonyms(word: str, part_of_speech: PartOfSpeech, *, language: str = LANGUAGE) -> tuple[str, ...]:
    """Return the direct antonyms of a word (tall: short; husband: wife), those of its commonest sense first."""
    return _values(word, _CODES[part_of_speech], "anto", language)


def similar_adjectives(adjective: str, *, language: str = LANGUAGE) -> tuple[str, ...]:
    """Return the adjectives of similar meaning, those of the commonest sense first."""
    return _values(adjective, "a", "sim", language)


def demonym_of(word: str, *, language: str = LANGUAGE) -> tuple[str, ...]:
    """Return the names of the place of a demonym, the usual name first (Danish, Dane: Denmark), adjectives first."""
    return tuple(dict.fromkeys(_values(word, "a", "loc", language) + _values(word, "n", "loc", language)))


@cache
def places_by_demonym(*, language: str = LANGUAGE) -> Mapping[str, str]:
    """Return the usual name of the place for each adjective that means only where something is from (danish)."""
    entries = (line.decode().split("\t") for line in _lines(language) if b"\tloc=" in line)
    return {
        word: demonym_of(word, language=language)[0]
        for word, code, *fields in entries
        if code == _CODES["adjective"] and not any(field.startswith("sim=") for field in fields)
    }


@cache
def _lines(language: str) -> list[bytes]:
    file = files("chattydata").joinpath(language, "wordnet.txt")
    return file.read_bytes().split(b"\n") if file.is_file() else []


@lru_cache(maxsize=_CACHED_WORDS)
def _fields(word: str, code: str, language: str) -> dict[str, str]:
    lines = _lines(language)
    start = f"{word}\t{code}\t".encode()
    at = bisect_left(lines, start)
    is_known = at < len(lines) and lines[at].startswith(start)
    return dict(field.split("=", 1) for field in lines[at][len(start) :].decode().split("\t")) if is_known else {}


def _values(word: str, code: str, field: str, language: str) -> tuple[str, ...]:
    value = _fields(word.lower(), code, language).get(field)
    return tuple(value.split(",")) if value else ()


@lru_cache(maxsize=_CACHED_WORDS)
def _senses(word: str, code: str, language: str) -> tuple[_Sense, ...]:
    text = _fields(word, code, language).get("sense")
    return tuple(_parse_sense(sense, code) for sense in text.split("|")) if text is not None else ()


@lru_cache(maxsize=_CACHED_WORDS)
def _common_synonyms(word: str, language: str) -> frozenset[str]:
    senses = (sense for code in _NEAR_PARTS for sense in _senses(word, code, language)[:_COMMON_SENSES])
    return frozenset(synonym for sense in senses for synonym in sense.synonyms)


def _parse_sense(text: str, code: str) -> _Sense:
    kind, _, rest = text.partition(":") if code == "n" else ("", "", text)
    words, *references = rest.split("<")
    parsed = (reference.partition("#") for reference in references)
    above = tuple((word, int(number or 1) - 1) for word, _, number in parsed)
    return _Sense(kind, tuple(words.split(",")) if words else (), above)


def _forms(word: str, part_of_speech: PartOfSpeech | None, field: str, language: str) -> Iterator[WordForm]:
    for code in _PARTS if part_of_speech is None else (_CODES[part_of_speech],):
        for value in _values(word, code, field, language):
            form, _, target = value.partition("/")
            is_person = target == "p"
            yield WordForm(form, "noun" if is_person else _PARTS[target or code], is_person)


def _parse_frame(code: str) -> VerbFrame:
    words, _, complement = code.partition("+")
    subject, *objects = [words] if words == "it" else [_ARGUMENTS[each] for each in words]
    return VerbFrame(subject, tuple(objects), complement)
