"""Confidence: the probability that an answer is right, estimated from what the engine knows once it has the result."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import exp, log

from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import (
    ADJECTIVE_ANTONYMS,
    ADJECTIVE_QUANTITIES,
    GENERIC_WORDS,
    PREPOSITIONS,
    STOP_WORDS,
    lemma_of,
    related_stems,
)
from chattyshared.language.tokenizer import tokenize

from chattykg.linking.predicate_candidates import LinkedRelation
from chattykg.qir import QIR
from chattykg.query.composition import Query
from chattykg.query.execution import QueryResult
from chattykg.query.grounding import QueryContext

_SHARPNESS = 4
"""Exponent of link scores: nearly all links score above 0.7, and the differences near 1 count most."""
_WORDS_WITHOUT_CONTENT = (
    STOP_WORDS
    | PREPOSITIONS
    | GENERIC_WORDS
    | word_set("function_words", "uncovered_words", "mention_stop_words", "card_stop_words")
)
_MODIFIER_WORDS = word_set("gradable_adjectives", "comparatives", "extremes", "unique_modifiers")


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """A logistic regression: the intercept and the weights of features, in log-odds."""

    intercept: float
    weights: Mapping[str, float]

    def estimate(self, features: Mapping[str, float]) -> float:
        """Return the probability (0..1) that an answer with these features is right.

        Raises:
            KeyError: a feature of the model is missing.
        """
        return 1 / (1 + exp(-self.intercept - sum(weight * features[name] for name, weight in self.weights.items())))


@dataclass(frozen=True, slots=True)
class ParseEvidence:
    """How the question was understood: how well it parses (0..1; 1 without a scored parse), whether it follows earlier
    turns, and whether references to them were resolved in it.
    """

    parse_score: float = 1.0
    has_history: bool = False
    is_rewritten: bool = False


@lru_cache(maxsize=1)
def load_confidence_model() -> ConfidenceModel:
    """Return the shipped model; ``benchmarks/fit_confidence.py`` fits it."""
    value = tomllib.loads(files("chattydata").joinpath("confidence.toml").read_text(encoding="utf-8"))
    return ConfidenceModel(value["intercept"], {**value["evidence"], **value["shape"]})


def extract_features(
    context: QueryContext, queries: Sequence[Query], result: QueryResult, reading: ParseEvidence
) -> dict[str, float]:
    """Return the features of the answer of a result, each from 0 to 1; ``queries`` are the candidates, best first.

    Names that begin with ``is_`` are the shape of the question. All others are evidence: more of it speaks for the
    answer.
    """
    query, grounded, qir = result.query, result.query.grounded, result.query.qir
    words = content_words(context.question)
    entity_scores = [link.score for link in grounded.entity_links.values()]
    conditions = (entity_scores, query.classes, grounded.types, grounded.values, qir.filters)
    has_result = not result.is_empty if result.boolean is None else result.boolean
    shapes = {f"is_{shape}": float(qir.shape == shape) for shape in ("boolean", "count", "table")}
    return {
        "parse_score": reading.parse_score,
        "entity_score": min([1.0, *entity_scores]) ** _SHARPNESS,
        "relation_score": min([1.0, *(_relation_score(edge, query) for edge in query.edges)]) ** _SHARPNESS,
        "has_entity": float(bool(entity_scores)),
        "has_class": float(bool(query.classes)),
        "has_condition": float(any(conditions)),
        "few_candidates": _fewness(len(queries)),
        "coverage": 1 - len(unused_words(words, context.qir, query)) / max(1, len(words)),
        "as_asked": float(not reading.is_rewritten),
        "context_resolved": float(reading.is_rewritten or not reading.has_history),
        "has_result": float(has_result),
        "few_values": _fewness(len(result.rows)),
        **shapes,
        "is_negated": float(bool(qir.negated)),
        "is_aggregated": float(bool(qir.aggregate or qir.having)),
        "is_joined": float(len(qir.triples) > 1),
    }


def _relation_score(edge: LinkedRelation, query: Query) -> float:
    """Return the score of a link; a relation that is written as its predicate is as sure as the query is."""
    return query.score if edge.relation.relation in edge.candidate.predicates else edge.candidate.score


def _fewness(number: int) -> float:
    return 1 / (1 + log(max(1, number)))


def content_words(question: str) -> tuple[str, ...]:
    """Return the words of a question that are no function words, in lower case."""
    tokens = (token for token in tokenize(question) if token.kind == "word")
    return tuple(token.lower for token in tokens if token.lower not in _WORDS_WITHOUT_CONTENT)


def unused_words(words: Sequence[str], qir: QIR, query: Query) -> tuple[str, ...]:
    """Return the words that neither the QIR nor the labels of the links hold, also by a word of the same family."""
    used = {stem for text in _used_texts(qir, query) for token in tokenize(text) for stem in related_stems(token.lower)}
    is_modified = bool(qir.order or qir.filters or qir.having or qir.aggregate)
    unused = (word for word in words if not related_stems(word) & used)
    return tuple(word for word in unused if not (is_modified and _is_modifier(word)))


def _is_modifier(word: str) -> bool:
    lemma = lemma_of(word)
    return word in _MODIFIER_WORDS or lemma in ADJECTIVE_QUANTITIES or lemma in ADJECTIVE_ANTONYMS


def _used_texts(qir: QIR, query: Query) -> Iterator[str]:
    yield from (*qir.entities(), *qir.relations(), *(name for _, name in qir.classes))
    yield from (condition.value for condition in qir.filters)
    yield from (edge.candidate.label for edge in query.edges)
    yield from (link.label for _, link in query.classes)
    yield from (link.candidates[0].label for link in query.grounded.entity_links.values())
