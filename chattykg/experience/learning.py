"""Learning: the questions of a training set with their gold queries, and what a model's first attempts got wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from chattyshared.errors import ConfigError
from chattyshared.formats.gold import GoldFile, read_gold
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.sparql.analysis import parse_query_shape, parse_query_terms

from chattykg.experience.experience_file import (
    MAX_QUESTION_CHARACTERS,
    ExperienceItem,
    find_query_problem,
    require_same_graph,
)
from chattykg.experience.leak_guard import fold_question
from chattykg.experience.query_representations import represent_query
from chattykg.experience.retrieval import delexicalize
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import to_json

_MAX_PREDICATES = 3
"""Predicates that a feedback names."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A model's answer to a training question: its query, its F1, and why there is no query."""

    sparql: str
    f1: float
    reason: str = ""


def read_training_set(path: Path, kg: KnowledgeGraph, lang: str = "") -> GoldFile:
    """Read a benchmark of a graph, or a file of any known format with queries.

    Raises:
        ConfigError: the file cannot be read, is of another graph, or has no question with a query and an answer.
    """
    file = read_gold(path, lang=lang)
    if file.format == "benchmark":
        require_same_graph(path, file.content.fingerprint, kg)  # type: ignore[union-attr]
    if not any(map(is_solved, file.questions)):
        raise ConfigError(f"{path}: holds no question with a query and an answer: there is nothing to learn")
    return file


def is_solved(question: Question) -> bool:
    """Tell whether a question has a gold query that can be learned, and an answer if the file states answers."""
    return _is_learnable(question) and bool(question.answers or question.answers is None)


def _is_learnable(question: Question) -> bool:
    text = question.standalone or question.question
    return len(text) <= MAX_QUESTION_CHARACTERS and not find_query_problem(question.sparql)


def find_unborne_names(question: Question) -> tuple[str, ...]:
    """Return the names in an unanswerable question that nothing in the graph bears; none for other questions."""
    if question.extra.get("unanswerable") != "entity" or not _is_learnable(question):
        return ()
    text, certificate = question.standalone or question.question, question.extra.get("certificate", {})
    return tuple(name for name in certificate.get("names", ()) if name in text)


def learn_items(
    questions: Iterable[Question], kg: KnowledgeGraph, attempts: Mapping[str, Attempt] | None = None
) -> Iterator[ExperienceItem]:
    """Yield an item for each solved question, and for those about names that the graph lacks, each question once.

    ``attempts`` are those of a model by question id.

    Raises:
        EndpointError: the graph could not be asked.
    """
    attempts, seen = attempts or {}, set[str]()
    for question in questions:
        text = question.standalone or question.question
        unused = find_unborne_names(question)
        if not (unused or is_solved(question)) or fold_question(text) in seen:
            continue
        seen.add(fold_question(text))
        pattern = delexicalize(text, build_vocabulary_card(text, kg), kg)
        form = str(question.extra.get("form", ""))
        if unused:
            yield ExperienceItem(text, question.sparql, pattern, form, unused=unused)
            continue
        qir = represent_query(question.sparql, kg, form, len(question.answers or ()))
        item = ExperienceItem(text, question.sparql, pattern, form, to_json(qir) if qir else None)
        yield _with_attempt(item, attempts.get(str(question.id)))


def _with_attempt(item: ExperienceItem, attempt: Attempt | None) -> ExperienceItem:
    if attempt is None or attempt.f1 == 1.0:
        return item
    return replace(item, attempt=attempt.sparql, feedback=describe_mistake(attempt, item.sparql))


def describe_mistake(attempt: Attempt, gold: str) -> str:
    """Return what is wrong with an attempt and what mends it; IRIs stand in angle brackets."""
    used, right = parse_query_terms(attempt.sparql), parse_query_terms(gold)
    if used is None or right is None:
        return f"there was no query ({attempt.reason})" if attempt.reason else "there was no query"
    wrong, missing = used.predicates - right.predicates, right.predicates - used.predicates
    if wrong or missing:
        parts = [f"not {_name(wrong)}"] if wrong else []
        parts += [f"{_name(missing)} is needed"] if missing else []
        return "; ".join(parts)
    if used.vertices != right.vertices:
        return f"not {_name(used.vertices - right.vertices)}; {_name(right.vertices - used.vertices)} is meant"
    had, needs = (_features(query) for query in (attempt.sparql, gold))
    if had != needs:
        return f"it had {_words(had - needs)}; it needs {_words(needs - had)}"
    return "right predicates, but another direction, column or value"


def _name(iris: Iterable[str]) -> str:
    names = [f"<{iri}>" for iri in sorted(iris)]
    return ", ".join(names[:_MAX_PREDICATES]) or "a further thing"


def _words(features: Iterable[str]) -> str:
    return ", ".join(sorted(features)) or "nothing more"


def _features(sparql: str) -> frozenset[str]:
    shape = parse_query_shape(sparql)
    return frozenset(shape.features) if shape else frozenset()
