"""Vocabulary index: the classes or predicates whose names may be similar to a phrase, without comparing all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.abbreviations import is_abbreviation
from chattyshared.language.morphology import analyze_phrase, split_label
from chattyshared.terms import iri_to_words
from rapidfuzz import fuzz, process

from chattykg.linking.relation_phrases import look_up_senses
from chattykg.linking.similarity import MIN_CHARACTER_RATIO, MIN_PREFIX_LETTERS, near_words_of

MAX_CACHED_PHRASES = 4_096
"""Phrases whose near names one index keeps."""
COMMENT_CHARACTERS = 300
"""Characters of a comment that are read."""

MAX_NAME_CHARACTERS = 200
"""Characters of a name that are read: others hold whole texts."""


class VocabularyIndex:
    """The names and comments of classes or predicates by all that `LexicalSimilarity` compares.

    A name is near to a phrase if they share a stem, the beginning of one, a near word or an everyday relation, if most
    of their letters agree, or if the name has an abbreviation. All others have the similarity 0.
    """

    def __init__(self, entries: Iterable[ClassEntry | PredicateEntry], language_tag: str) -> None:
        self._by_key: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._by_letters: dict[str, set[str]] = defaultdict(set)
        self._by_class: dict[str, list[str]] = defaultdict(list)
        for entry in entries:
            ends = (*entry.domains, *entry.ranges) if isinstance(entry, PredicateEntry) else ()
            for iri in dict.fromkeys(ends) or ("",):
                self._by_class[iri].append(entry.iri)
            for full_name in (*entry.names_in(language_tag), iri_to_words(entry.iri)):
                name = full_name[:MAX_NAME_CHARACTERS]
                words = analyze_phrase(name)
                for key in (*_keys_of(name), *(("word", word) for word in words.content_lemmas)):
                    self._by_key[key].add(entry.iri)
                self._by_letters["".join(words.content_lemmas)].add(entry.iri)
                if any(map(is_abbreviation, split_label(name))):
                    self._by_key["any", ""].add(entry.iri)
            for stem in analyze_phrase(entry.comment[:COMMENT_CHARACTERS]).stems if entry.comment else ():
                self._by_key["stem", stem].add(entry.iri)
        self._letters = tuple(self._by_letters)
        self._near = lru_cache(MAX_CACHED_PHRASES)(self._look_up)

    def near(self, phrases: Iterable[str]) -> frozenset[str]:
        """Return the IRIs of what may be similar to one of some phrases."""
        return frozenset().union(*map(self._near, phrases))

    def at_classes(self, classes: Iterable[str]) -> frozenset[str]:
        """Return the IRIs of the predicates at things of some classes, and of those whose classes are unknown."""
        return frozenset(iri for each in (*classes, "") for iri in self._by_class.get(each, ()))

    def _look_up(self, phrase: str) -> frozenset[str]:
        words = analyze_phrase(phrase)
        near = (("word", word) for word in near_words_of(words.content_lemmas, frozenset(words.words)))
        found = {iri for key in (*_keys_of(phrase), *near, ("any", "")) for iri in self._by_key.get(key, ())}
        letters, cutoff = "".join(words.content_lemmas), 100 * MIN_CHARACTER_RATIO
        for alike, _, _ in process.extract(letters, self._letters, scorer=fuzz.ratio, score_cutoff=cutoff, limit=None):
            found |= self._by_letters[alike]
        return frozenset(found)


def vocabulary_index(kg: KnowledgeGraph, kind: Literal["class", "predicate"], language_tag: str) -> VocabularyIndex:
    """Return the index of the names that the classes or predicates of a KG have in a language; it is made once."""
    vocabulary = kg.vocabulary
    entries = vocabulary.classes if kind == "class" else vocabulary.predicates
    return kg.remember("names", (kind, language_tag), lambda: VocabularyIndex(entries.values(), language_tag))


def _keys_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a phrase and a name may share."""
    for stem in analyze_phrase(text).stems:
        yield "stem", stem
        if len(stem) >= MIN_PREFIX_LETTERS:
            yield "beginning", stem[:MIN_PREFIX_LETTERS]
    yield from (("relation", relation) for relation in look_up_senses(text))
