"""Whether a KG knows a word: whether a name, a value, a class or a predicate has it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from rdflib import Literal, URIRef

from chattyshared.dialogue import Certificate
from chattyshared.kg.batches import fetch_pages
from chattyshared.kg.label_ranking import SAME_SINGULAR, content_words, singularize
from chattyshared.kg.labels import label_from_iri
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.terms import Term

if TYPE_CHECKING:
    from chattyshared.kg.knowledge_graph import KnowledgeGraph

PAGE_SIZE = 50_000
"""Terms that one request reads; set by hand."""
SEARCHED_AT_ONCE = 10
"""Texts that are searched for at once in a big KG; the rows of more of them would be cut."""
MIN_STEM = 4
"""Letters: the fewest of a stem; shorter words are compared as a whole; set by hand."""
NAMED_SCORE = 0.8
"""Similarity, 0..1, from which a label counts as one that has the text, where labels cannot be read; set by hand."""
_SUFFIX = re.compile(r"(?:ingly|edly|ation|ings?|ions?|ed|ers?|ors?|es|ly|al|ic|s|e|y)$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def stem_of(word: str) -> str:
    """Return the beginning of a word that its inflections and derivations share (``divorc``)."""
    stem = _SUFFIX.sub("", word)
    return stem if len(stem) >= MIN_STEM else word


class KnownWords:
    """The words of a KG. Those of its classes and predicates are read at once; the others at the first question where
    the KG is small, and else they are searched for. Safe to use from several threads."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._kg, self._lock = kg, Lock()
        self._all_words: tuple[str, ...] | None = None
        self._found: dict[str, bool] = {}
        vocabulary = kg.vocabulary
        entries: list[ClassEntry | PredicateEntry] = [*vocabulary.classes.values(), *vocabulary.predicates.values()]
        self._schema_words = _sorted_words(
            text for entry in entries for text in (entry.label, *entry.alt_labels, label_from_iri(entry.iri))
        )

    def has_topic(self, beginning: str) -> bool:
        """Tell whether a class or predicate has a word with this beginning."""
        return _has_beginning(self._schema_words, beginning.casefold())

    def has_words(self, text: str, *, next_texts: Iterable[str] = ()) -> bool:
        """Tell whether the KG has all content words of a text, in any inflection.

        ``next_texts`` may be asked next: where the KG is searched, some of them are looked up with the text.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        with self._lock:
            if text not in self._found:
                others = () if self._kg.is_small else (other for other in next_texts if other not in self._found)
                self._found |= self._look_up(list(dict.fromkeys((text, *others)))[:SEARCHED_AT_ONCE])
            return self._found[text]

    def find_violations(self, certificate: Certificate, *, next_texts: Iterable[str] = ()) -> Iterator[str]:
        """Yield the words, topics and names of a certificate that the KG has, against what it states.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        yield from (text for text in certificate.words if self.has_words(text, next_texts=next_texts))
        yield from (topic for topic in certificate.topics if self.has_topic(topic))
        if certificate.names:
            hits = self._kg.search(certificate.names, limit=1, whole_only=certificate.names)
            yield from (name for name in certificate.names if any(hit.score >= SAME_SINGULAR for hit in hits[name]))

    def _look_up(self, texts: Sequence[str]) -> dict[str, bool]:
        found = {text: _has_all(self._schema_words, text) for text in texts}
        for search in (self._is_in_texts,) if self._kg.is_small else (self._is_name, self._is_literal):
            if unknown := [text for text, is_found in found.items() if not is_found]:
                found |= search(unknown)
        return found

    def _is_in_texts(self, texts: Sequence[str]) -> dict[str, bool]:
        if self._all_words is None:
            self._all_words = _sorted_words((*_texts_of(self._kg), *self._schema_words))
        return {text: _has_all(self._all_words, text) for text in texts}

    def _is_name(self, texts: Sequence[str]) -> dict[str, bool]:
        hits = self._kg.search(texts, limit=3)
        return {text: any(hit.score >= NAMED_SCORE for hit in hits[text]) for text in texts}

    def _is_literal(self, texts: Sequence[str]) -> dict[str, bool]:
        hits = self._kg.search_literals(texts, limit=1)
        return {text: bool(hits[text]) for text in texts}


def _has_all(words: tuple[str, ...], text: str) -> bool:
    return all(_has_word(words, word) for word in content_words(text))


def _has_word(words: tuple[str, ...], word: str) -> bool:
    stem = stem_of(word)
    if len(stem) > MIN_STEM or stem != word:
        return _has_beginning(words, stem)
    return any(_has_exactly(words, form) for form in (word, f"{word}s", singularize(word)))


def _has_exactly(words: tuple[str, ...], word: str) -> bool:
    index = bisect_left(words, word)
    return index < len(words) and words[index] == word


def _has_beginning(words: tuple[str, ...], beginning: str) -> bool:
    index = bisect_left(words, beginning)
    return index < len(words) and words[index].startswith(beginning)


def _texts_of(kg: KnowledgeGraph) -> Iterator[str]:
    """Yield the literals of a KG, and the local names of its IRIs."""
    for query in ("SELECT DISTINCT ?x WHERE { ?s ?p ?x }", "SELECT DISTINCT ?x WHERE { ?x ?p ?o }"):
        yield from (_text(row["x"]) for row in fetch_pages(kg.endpoint, query, PAGE_SIZE))


def _text(term: Term) -> str:
    return str(term) if isinstance(term, Literal) else label_from_iri(str(term)) if isinstance(term, URIRef) else ""


def _sorted_words(texts: Iterable[str]) -> tuple[str, ...]:
    split_texts = (part for text in texts for part in (text, _CAMEL.sub(" ", text)))
    return tuple(sorted({word for part in split_texts for word in content_words(part)}))
