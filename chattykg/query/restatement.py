"""Words that a reading leaves out and that its query says all the same, in other words or by its classes.

"Which firm built it" has a firm in the range of its relation, "the German Shepherd dog" a dog in the type of its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.language.morphology import FUNCTION_WORDS, lemma_of, normalize_text
from chattyshared.language.wordnet import hypernyms, near_words, related_forms

from chattykg.query.candidates import Query

_LEVELS, _SENSES = 3, 2
"""Levels above a noun, and its commonest senses, in which it names a kind of something."""


def unstated_words(words: Sequence[str], query: Query, vocabulary: Vocabulary, question: str) -> tuple[str, ...]:
    """Return those of some words of a question that neither its query nor the kinds of its things say again."""
    stated = frozenset(_words_of(_labels(query, vocabulary)))
    named = frozenset(_words_of(_kinds_of_names(query)))
    lemmas = ["", *(lemma_of(word) for word in normalize_text(question).split()), ""]
    spans = [(name, span) for name in _names(query) for span in _spans(name, lemmas)]
    beside = frozenset(lemmas[end] for _, (_, end) in spans)
    modifiers = frozenset(lemmas[start - 1] for name, (start, _) in spans if name.islower()) - FUNCTION_WORDS
    return tuple(
        word
        for word in words
        for lemma in [lemma_of(word.lower())]
        if not any(_says(lemma, other) for other in (named if lemma in modifiers else stated | named))
        and not (lemma in beside and any(_is_kind(lemma, kind) for kind in named))
    )


def _names(query: Query) -> Iterator[str]:
    """Yield the names in the question that are linked to things."""
    yield from (text for text, link in query.interpretation.grounded.entity_links.items() if link.kind == "vertex")


def _spans(name: str, lemmas: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places where a name begins in a sentence, each with the place behind it."""
    words = [lemma_of(word) for word in normalize_text(name).split()]
    for start in range(len(lemmas) - len(words)):
        if lemmas[start : start + len(words)] == words:
            yield start, start + len(words)


def _labels(query: Query, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the labels of the predicates and classes of a query, and of the classes that the predicates relate."""
    classes = {iri for body in query.pattern.bodies for _, iris in body.types for iri in iris}
    for iri in query.predicates().union(*(e.candidate.second_predicates for e in query.interpretation.edges)):
        if entry := vocabulary.predicates.get(iri):
            yield from (entry.label, *entry.alt_labels, entry.comment)
            classes |= {*entry.domains[:1], *entry.ranges[:1]}
    yield from (vocabulary.classes[iri].label for iri in classes if iri in vocabulary.classes)


def _kinds_of_names(query: Query) -> Iterator[str]:
    for link in query.interpretation.grounded.entity_links.values():
        yield from (label for candidate in link.candidates for label in candidate.types)


def _words_of(labels: Iterator[str]) -> Iterator[str]:
    for label in labels:
        yield from (lemma_of(word) for word in normalize_text(label).split() if word not in FUNCTION_WORDS)
        initials = "".join(word[:1] for word in label.split() if word[:1].isupper())
        yield from (initials.lower(),) if len(initials) > 1 else ()


@lru_cache(maxsize=10_000)
def _says(word: str, other: str) -> bool:
    """Tell whether a word says what another one does: the same, a synonym, a derivation, or something wider."""
    return word == other or other in near_words(word) or bool(_family(word) & _family(other)) or _is_kind(other, word)


def _is_kind(word: str, wider: str) -> bool:
    return wider in hypernyms(word, _LEVELS, senses=_SENSES)


def _family(word: str) -> frozenset[str]:
    return frozenset((word, *related_forms(word)))
