"""Retrieval of examples: the items whose delexicalised questions are nearest, each with another kind of query."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.morphology import lemma_of
from chattyshared.sparql.analysis import parse_query_shape

from chattykg.experience.delexicalization import delexicalize
from chattykg.experience.items import ExperienceItem
from chattykg.experience.leak_guard import normalize_question
from chattykg.linking.embedding_similarity import EmbeddingSimilarity
from chattykg.linking.similarity import Similarity
from chattykg.linking.vocabulary_card import VocabularyCard

MAX_EXAMPLES = 5
"""Examples in a prompt; its budget of characters may hold fewer."""
MIN_LEXICAL, MIN_COSINE = 0.2, 0.3
"""Least similarity (0..1) of an example by words, and by a sentence encoder. Set by hand on generated questions."""
_WORD = re.compile(r"\[[^\[\]]*\]|\w+")


class ExamplePool:
    """Finds examples among items; with ``bars_same_question`` none that asks the very question. Thread-safe."""

    def __init__(self, items: Sequence[ExperienceItem], *, bars_same_question: bool = False) -> None:
        self.items = tuple(items)
        self._bars_same_question = bars_same_question
        counts = [Counter(_terms(item.pattern)) for item in self.items]
        frequencies = Counter(term for terms in counts for term in terms)
        self._weights = {term: math.log(1 + len(counts) / n) for term, n in frequencies.items()}
        self._vectors = [self._vector(terms) for terms in counts]

    def find_examples(
        self, question: str, card: VocabularyCard, kg: KnowledgeGraph, similarity: Similarity
    ) -> tuple[ExperienceItem, ...]:
        """Return at most ``MAX_EXAMPLES`` items, nearest first, no two of them with the same kind of query."""
        pattern = delexicalize(question, card, kg)
        barred = normalize_question(question) if self._bars_same_question else None
        kinds: set[tuple[object, ...]] = set()
        examples: list[ExperienceItem] = []
        for index in self._rank(pattern, similarity):
            item = self.items[index]
            kind = _query_kind(item.sparql)
            if kind in kinds or normalize_question(item.question) == barred:
                continue
            kinds.add(kind)
            examples.append(item)
            if len(examples) == MAX_EXAMPLES:
                break
        return tuple(examples)

    def _rank(self, pattern: str, similarity: Similarity) -> list[int]:
        """Return the indexes of the items that are near enough, nearest first."""
        query = self._vector(Counter(_terms(pattern)))
        lexical = [sum(weight * query.get(term, 0.0) for term, weight in vector.items()) for vector in self._vectors]
        if isinstance(similarity, EmbeddingSimilarity):
            scores, least = similarity.cosines(pattern, [item.pattern for item in self.items]), MIN_COSINE
        else:
            scores, least = lexical, MIN_LEXICAL
        near = [index for index, score in enumerate(scores) if score >= least]
        return sorted(near, key=lambda index: (-scores[index], -lexical[index], index))

    def _vector(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Return the unit vector of words by their rarity; words that no item has count as the rarest."""
        rarest = math.log(1 + len(self.items)) if self.items else 1.0
        vector = {term: count * self._weights.get(term, rarest) for term, count in counts.items()}
        norm = math.sqrt(sum(weight * weight for weight in vector.values())) or 1.0
        return {term: weight / norm for term, weight in vector.items()}


def _terms(pattern: str) -> list[str]:
    return [word if word.startswith("[") else lemma_of(word) for word in _WORD.findall(pattern.casefold())]


@lru_cache(maxsize=10_000)
def _query_kind(sparql: str) -> tuple[object, ...]:
    """Return what two queries of one kind share: form, predicates and features."""
    shape = parse_query_shape(sparql)
    return (shape.form, frozenset(shape.predicates), shape.features) if shape else (sparql,)
