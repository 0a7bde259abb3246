"""Confidence: the probability that an answer is right, estimated from what the engine knows once it has the result."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import exp, log
from statistics import fmean

from chattyshared.dialogue import History
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
from chattykg.query.candidates import Query, QueryContext
from chattykg.query.execution import QueryResult

_SHARPNESS = 4
"""Exponent of link scores: nearly all links score above 0.7, and the differences near 1 count most."""
_NEAR_BEST_SHARE = 0.9
"""Share (0..1) of the query's score from which another candidate has to agree with it."""
_NAMELESS = word_set("function_words", "nameless")
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
    """How the question was understood: how well it parses (0..1; 1 without a scored parse), whether references to
    earlier turns were resolved in it, and those turns.
    """

    parse_score: float = 1.0
    is_rewritten: bool = False
    history: History = ()


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
    return {
        "parse_score": reading.parse_score,
        **_link_features(result.query),
        **_agreement_features(result.query, queries),
        **_coverage_features(context, result.query),
        **_context_features(reading),
        **_result_features(result),
        **_shape_features(result.query.interpretation.grounded.qir),
    }


def _link_features(query: Query) -> dict[str, float]:
    """Return how well the links fit, and whether the query is bound to anything that the question names."""
    interpretation = query.interpretation
    grounded = interpretation.grounded
    entity_scores = [link.score for link in grounded.entity_links.values()]
    class_scores = [link.score for _, link in interpretation.classes]
    has_unlinked_class = len(class_scores) < len(grounded.qir.classes)
    conditions = (entity_scores, class_scores, grounded.types, grounded.values, grounded.qir.filters)
    return {
        "entity_score": min([1.0, *entity_scores]) ** _SHARPNESS,
        "relation_score": min([1.0, *(_relation_score(edge, query) for edge in interpretation.edges)]) ** _SHARPNESS,
        "class_score": 0.0 if has_unlinked_class else min([1.0, *class_scores]),
        "has_entity": float(bool(entity_scores)),
        "has_class": float(bool(class_scores)),
        "has_condition": float(any(conditions)),
        "names_target": float(grounded.qir.target.strip("?0123456789_") not in _NAMELESS),
    }


def _relation_score(edge: LinkedRelation, query: Query) -> float:
    """Return the score of a link; a relation that is written as its predicate is as sure as the query is."""
    return query.score if edge.relation.relation in edge.candidate.predicates else edge.candidate.score


def _agreement_features(query: Query, queries: Sequence[Query]) -> dict[str, float]:
    """Return the margin to the best candidate that uses other predicates, and how many near candidates agree."""
    predicates = query.predicates()
    rival_scores = [other.score for other in queries if not other.predicates() <= predicates]
    near = [other for other in queries if other.score >= _NEAR_BEST_SHARE * query.score]
    return {
        "margin": 1 - min(1.0, max(rival_scores, default=0.0) / query.score),
        "agreement": fmean([float(other.predicates() <= predicates) for other in near] or [1.0]),
        "few_candidates": _fewness(len(queries)),
    }


def _coverage_features(context: QueryContext, query: Query) -> dict[str, float]:
    words = content_words(context.question)
    unused = unused_words(words, context.qir, query)
    return {
        "coverage": 1 - len(unused) / max(1, len(words)),
        "all_used": float(not unused),
    }


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
    interpretation = query.interpretation
    yield from (*qir.entities(), *qir.relations())
    yield from (name for _, name in qir.classes)
    yield from (condition.value for condition in qir.filters)
    yield from (edge.candidate.label for edge in interpretation.edges)
    yield from (link.label for _, link in interpretation.classes)
    yield from (link.candidates[0].label for link in interpretation.grounded.entity_links.values())


def _context_features(reading: ParseEvidence) -> dict[str, float]:
    """Return whether the question needs no earlier turn, and how sure the answer is that a reference leads to."""
    answers = (exchange.answer for exchange in reversed(reading.history))
    confidence = next((answer.confidence for answer in answers if answer.values), 1.0)
    return {
        "as_asked": float(not reading.is_rewritten),
        "context_resolved": float(reading.is_rewritten or not reading.history),
        "referent_confidence": confidence if reading.is_rewritten else 1.0,
    }


def _result_features(result: QueryResult) -> dict[str, float]:
    has_result = not result.is_empty if result.boolean is None else result.boolean
    return {"has_result": float(has_result), "few_values": _fewness(len(result.rows))}


def _fewness(number: int) -> float:
    return 1 / (1 + log(max(1, number)))


def _shape_features(qir: QIR) -> dict[str, float]:
    return {
        "is_boolean": float(qir.shape == "boolean"),
        "is_count": float(qir.shape == "count"),
        "is_table": float(qir.shape == "table"),
        "is_filtered": float(bool(qir.filters)),
        "is_negated": float(bool(qir.negated)),
        "is_aggregated": float(bool(qir.aggregate or qir.having)),
        "is_joined": float(len(qir.triples) > 1),
    }
