"""The examples of a run, read from experience files and freed of leaks, and their retrieval for a question."""

from __future__ import annotations

import logging
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from chattyshared.jsonlines import output_path
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.morphology import lemma_of
from chattyshared.sparql.analysis import parse_query_shape
from chattyshared.terms import iri_to_words

from chattykg.experience.experience_file import ExperienceItem, experience_digest, read_experience_of
from chattykg.experience.leak_guard import GuardedItems, HeldOutQuestion, bar_leaks, fold_question
from chattykg.experience.query_kinds import is_lookup, kind_overlap, kinds_of_query, kinds_of_question
from chattykg.linking.mentions import Mention
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.strategies import find_model_strategy

MAX_EXAMPLES = 5
"""Examples in a prompt; its budget of characters may hold fewer."""
MAX_OF_KIND = 2
"""Most examples of the same kinds of query, of queries that only read one fact, and of queries of other kinds."""
MIN_SIMILARITY = 0.2
"""Least similarity (0..1) of an example by words. Set by hand on generated questions."""
WORDING_WEIGHT = 0.3
"""What a usual wording adds to the similarity (0..1) of one of several items with the same query. Set by hand."""
_WORD = re.compile(r"\[[^\[\]]*\]|\w+")
_NUMBER = re.compile(r"(?<![\w\[])\d[\d.,:/-]*")
UNTYPED, TEXT, NUMBER = "[thing]", "[text]", "[number]"
"""What stands for a name without a class, for a text, and for a number or a date."""
ExperienceSource = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None
"""The file of an experience, or several."""
logger = logging.getLogger(__name__)


class ExamplePool:
    """Finds examples among items; with ``bars_same_question`` none that asks the very question. Thread-safe."""

    def __init__(self, items: Sequence[ExperienceItem], *, bars_same_question: bool = False) -> None:
        self.items = tuple(items)
        self._bars_same_question = bars_same_question
        counts = [Counter(_terms(item.pattern)) for item in self.items]
        frequencies = Counter(term for terms in counts for term in terms)
        self._weights = {term: math.log(1 + len(counts) / n) for term, n in frequencies.items()}
        self._vectors = [self._vector(terms) for terms in counts]
        self._usualness = _measure_wordings(self.items)

    def find_examples(self, question: str, card: VocabularyCard, kg: KnowledgeGraph) -> tuple[ExperienceItem, ...]:
        """Return at most ``MAX_EXAMPLES`` items of different queries, those of the question's kind first.

        A question that needs more than one fact has no use for items that read one. The last item is one that the
        graph does not answer, if there is one, so that the others do not tempt to answer everything.
        """
        pattern = delexicalize(question, card, kg)
        barred = fold_question(question) if self._bars_same_question else None
        scores = self._score(pattern)
        allowed = [i for i, item in enumerate(self.items) if fold_question(item.question) != barred]
        unanswerable = [i for i in allowed if self.items[i].unused]
        solved = [i for i in allowed if not self.items[i].unused and scores[i] >= MIN_SIMILARITY]
        if not (examples := self._select(solved, scores, pattern, MAX_EXAMPLES - bool(unanswerable))):
            return ()
        examples += sorted(unanswerable, key=lambda i: (-scores[i], i))[:1]
        return tuple(self.items[i] for i in examples)

    def _select(self, indexes: Sequence[int], scores: Sequence[float], pattern: str, count: int) -> list[int]:
        """Return the indexes of examples: of each query the best wording, by kind and similarity."""
        kinds = kinds_of_question(pattern)
        best: dict[tuple[object, ...], int] = {}
        worth = {i: scores[i] + WORDING_WEIGHT * self._usualness[i] for i in indexes}
        for index in sorted(indexes, key=lambda i: (-worth[i], i)):
            best.setdefault(_query_signature(self.items[index].sparql), index)
        overlaps = {i: kind_overlap(kinds, kinds_of_query(self.items[i].sparql)) for i in best.values()}
        selected: list[int] = []
        counts = Counter[object]()
        for index in sorted(overlaps, key=lambda i: (-scores[i] - overlaps[i], i)):
            sparql = self.items[index].sparql
            kind = "lookup" if is_lookup(sparql) else kinds_of_query(sparql) if overlaps[index] else "other"
            if (kind == "lookup" and kinds - {"boolean"}) or counts[kind] == MAX_OF_KIND:
                continue
            counts[kind] += 1
            selected.append(index)
        return selected[:count]

    def _score(self, pattern: str) -> Sequence[float]:
        """Return the similarity of each item."""
        query = self._vector(Counter(_terms(pattern)))
        return [sum(weight * query.get(term, 0.0) for term, weight in vector.items()) for vector in self._vectors]

    def _vector(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Return the unit vector of words by their rarity; words that no item has count as the rarest."""
        rarest = math.log(1 + len(self.items))
        vector = {term: count * self._weights.get(term, rarest) for term, count in counts.items()}
        norm = math.sqrt(sum(weight * weight for weight in vector.values())) or 1.0
        return {term: weight / norm for term, weight in vector.items()}


def _measure_wordings(items: Iterable[ExperienceItem]) -> list[float]:
    """Return for each item the share of its pairs of neighboring words that items of other queries have as well."""
    pairs = [(_query_signature(item.sparql), set(pairwise(_terms(item.pattern)))) for item in items]
    queries: dict[tuple[str, str], set[object]] = {}
    for signature, found in pairs:
        for pair in found:
            queries.setdefault(pair, set()).add(signature)
    return [sum(len(queries[pair]) > 1 for pair in found) / max(1, len(found)) for _, found in pairs]


def _terms(pattern: str) -> list[str]:
    return [word if word.startswith("[") else lemma_of(word) for word in _WORD.findall(pattern.casefold())]


@lru_cache(maxsize=10_000)
def _query_signature(sparql: str) -> tuple[object, ...]:
    """Return what two queries of one kind share: form, predicates and features."""
    shape = parse_query_shape(sparql)
    return (shape.form, frozenset(shape.predicates), shape.features) if shape else (sparql,)


def delexicalize(question: str, card: VocabularyCard, kg: KnowledgeGraph) -> str:
    """Return a question with ``[class]`` in place of the names and texts that its card links."""
    named = [m for m in card.mentions if m.kind in ("vertex", "value") and not _is_vocabulary(m, card)]
    end, parts = len(question), []
    for mention in reversed(_longest_apart(named)):
        parts += [question[mention.end : end], _placeholder(mention, kg)]
        end = mention.start
    text = "".join(reversed([*parts, question[:end]]))
    return _NUMBER.sub(NUMBER, text)


def _is_vocabulary(name: Mention, card: VocabularyCard) -> bool:
    """Tell whether the words of a name are as well the label of a class or predicate."""
    others = (m for m in card.mentions if m.kind in ("class", "predicate"))
    return any((m.start, m.end) == (name.start, name.end) and m.score >= name.score for m in others)


def _longest_apart(mentions: list[Mention]) -> list[Mention]:
    """Return mentions that do not overlap, in the order of the question; of those that do, the longest."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, -m.score, m.kind != "vertex")):
        if all(mention.end <= other.start or other.end <= mention.start for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda m: m.start)


def _placeholder(mention: Mention, kg: KnowledgeGraph) -> str:
    if mention.kind == "value":
        return TEXT
    class_ = next((iri for hit in mention.hits[:1] for iri in hit.types), "")
    entry = kg.vocabulary.classes.get(class_)
    return f"[{(entry.label if entry else iri_to_words(class_)).casefold()}]" if class_ else UNTYPED


@dataclass(frozen=True, slots=True)
class SelectedExamples:
    """The pool that agents search, the guarded items in it, and the digest of the files."""

    pool: ExamplePool
    guarded: GuardedItems
    digest: str

    def to_manifest(self) -> dict[str, Any]:
        """Return the manifest entry: the digest of the files, how many items they hold, how many were barred."""
        return {"digest": self.digest, "items": self.guarded.total, "barred": dict(self.guarded.barred)}


def examples_from(
    source: ExperienceSource, kg: KnowledgeGraph, model: str, held_out: Iterable[HeldOutQuestion] | None = None
) -> SelectedExamples | None:
    """Return the examples that a Python caller names for a model (None: none, or the model uses none).

    Raises:
        ConfigError: it is no path, a file cannot be read, or is of another graph.
    """
    if source is None:
        return None
    is_one = isinstance(source, str | os.PathLike) or not isinstance(source, Iterable)
    sources: Iterable[object] = (source,) if is_one else source  # type: ignore[assignment]
    selected = select_examples(tuple(map(output_path, sources)), kg, held_out)
    if find_model_strategy(model).is_promptable:
        return selected
    logger.warning("the rules use no examples: they answer alike with and without an experience")
    return None


def select_examples(
    paths: Sequence[Path], kg: KnowledgeGraph, held_out: Iterable[HeldOutQuestion] | None = None
) -> SelectedExamples:
    """Read experience files of a graph; leave out what leaks to questions under test (None: nothing is under test).

    Raises:
        ConfigError: a file cannot be read, or is of another graph.
    """
    guarded = bar_leaks(read_experience_of(paths, kg), held_out or (), kg.profile.types)
    pool = ExamplePool(guarded.items, bars_same_question=held_out is not None)
    return SelectedExamples(pool, guarded, experience_digest(paths))
