"""Learning: questions of a training set, or made from the graph itself, and what a first attempt got wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from chattyshared.errors import ConfigError
from chattyshared.formats.gold import GoldFile, read_gold
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from chattyshared.questions import Question
from chattyshared.sparql.analysis import parse_query_shape, parse_query_terms

from chattykg.experience.experience_file import (
    MAX_QUESTION_CHARACTERS,
    Experience,
    ExperienceItem,
    find_query_problem,
    make_header,
    read_experience_of,
    require_same_graph,
    write_experience,
)
from chattykg.experience.leak_guard import HeldOutQuestion, bar_leaks, fold_question
from chattykg.experience.retrieval import ExamplePool, SelectedExamples, delexicalize
from chattykg.linking.vocabulary_card import build_vocabulary_card

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
        item, attempt = ExperienceItem(text, question.sparql, pattern, unused=unused), attempts.get(str(question.id))
        if unused or attempt is None or attempt.f1 == 1.0:
            yield item
        else:
            yield replace(item, attempt=attempt.sparql, feedback=describe_mistake(attempt, item.sparql))


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


# What the rules of the generator make from a graph itself, once for each state of it.

OWN_DIALOGUES, SEED = 60, 11
"""Dialogues of which the turns become examples, and the seed of the choice of their entities."""


def select_own_examples(kg: KnowledgeGraph, held_out: Iterable[HeldOutQuestion] | None = None) -> SelectedExamples:
    """Make solved questions of a graph; leave out what leaks to questions under test, their templates too.

    Raises:
        EndpointError: the graph could not be asked.
    """
    guarded = bar_leaks(own_examples(kg), held_out or (), kg.profile.types, bars_templates=True)
    pool = ExamplePool(guarded.items, bars_same_question=held_out is not None)
    return SelectedExamples(pool, guarded, f"own {OWN_DIALOGUES} {SEED} {kg.fingerprint()}")


def own_examples(kg: KnowledgeGraph) -> tuple[ExperienceItem, ...]:
    """Return solved questions of a graph; they are kept in its folder of caches, or else with the graph in memory.

    No hosted model is asked.

    Raises:
        EndpointError: the graph could not be asked.
    """
    return kg.remember("own examples", kg.fingerprint(), lambda: _read_or_make(kg))


def _read_or_make(kg: KnowledgeGraph) -> tuple[ExperienceItem, ...]:
    path = kg.cache_dir / f"own-{kg.fingerprint()}.experience.jsonl" if kg.cache_dir else None
    if path is not None and path.exists():
        return read_experience_of([path], kg)
    items = tuple(learn_items(_make_questions(kg), kg))
    if path is not None and items:
        with suppress(ConfigError):  # a folder that takes no file costs the time of making them again
            write_experience(path, Experience(make_header(kg, {"made": "by the rules of the generator"}), items))
    return items


def _make_questions(kg: KnowledgeGraph) -> Sequence[Question]:
    from chattygen.options import Options
    from chattygen.pipeline import generate
    from chattygen.rulebook import RULEBOOK

    options = Options(dialogues=OWN_DIALOGUES, seed=SEED)
    dialogues = (result.dialogue for result in generate(kg, RuleModel(RULEBOOK), options) if result.dialogue)
    return [
        Question(
            number,
            turn.standalone,
            answers=tuple(value.value for value in turn.answers),
            extra={"sparql": turn.sparql},
        )
        for number, turn in enumerate(turn for dialogue in dialogues for turn in dialogue.turns)
        if turn.answerable
    ]
