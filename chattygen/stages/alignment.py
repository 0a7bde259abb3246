"""Question-query alignment: parallel lists of questions, queries and turns must have one fact and one meaning a row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.check import Problem
from chattyshared.endpoint import Endpoint
from chattyshared.terms import n3
from rdflib import URIRef

from chattygen.checks import (
    ENGLISH,
    check_answers_hidden,
    check_fits_fact,
    check_names_entity,
    check_no_repetition,
    check_reference,
    check_requests_met,
    check_well_formed,
)
from chattygen.context.facts import Entity, Fact, HiddenEnds, QuestionRequest, Step, Summary
from chattygen.dialogue_language import DialogueLanguage
from chattygen.stages.model_queries import ResultTerms, iris_in, query_on_one_line, run_untrusted_query, sorted_terms
from chattygen.stages.queries import BoundQuestion, check_written_query
from chattygen.stages.questions import AnswerTexts, collapse_whitespace
from chattygen.turns import TurnSpec

_COUNT = re.compile(r"\bCOUNT\s*\(", re.IGNORECASE)


def check_list_lengths(reply: Mapping[str, Any], turns: int) -> Iterator[Problem]:
    """Each list has one element for each turn."""
    lengths = {name: len(reply[name]) for name in ("questions", "dialogue", "queries")}
    if set(lengths.values()) != {turns}:
        got = ", ".join(f"{number} {name}" for name, number in lengths.items())
        yield Problem("dialogue/alignment", f"write {turns} elements in each list, in the same order; got {got}")


def align_question(
    endpoint: Endpoint, summary: Summary, question: str, sparql: str
) -> tuple[BoundQuestion | None, tuple[Problem, ...]]:
    """Run the query of a question, and return it bound to the one fact that it asks, or the problems if there is none.

    Raises:
        EndpointUnavailable: the endpoint is gone.
    """
    sparql = query_on_one_line(sparql)
    result, problems = run_untrusted_query(endpoint, sparql, _allowed_iris(summary))
    if result is None:
        return None, problems
    result = result if isinstance(result, bool) else sorted_terms(result)
    fact_problems: list[Problem] = []
    for fact, hidden in _candidate_facts(summary, sparql):
        form = _form_of(fact, sparql, result)
        turn = TurnSpec(0, form, "topic", summary.entity, fact, hidden=hidden)
        problems = tuple(check_written_query(turn, sparql, result)) if form else ()
        if form and not problems:
            return BoundQuestion(collapse_whitespace(question), turn, sparql, result), ()
        fact_problems.extend(problems)
    no_fact = Problem("one-fact", "ask one listed fact, in a form that it can carry, by its own triples")
    return None, tuple(fact_problems[:1]) or (no_fact,)


def _allowed_iris(summary: Summary) -> frozenset[str]:
    """Return the IRIs that queries about an entity may name."""
    offered = (str(hidden.offered_term) for hidden in summary.hidden if isinstance(hidden.offered_term, URIRef))
    return _predicates(summary.facts) | {str(summary.entity.iri), *offered}


def _predicates(facts: Iterable[Fact]) -> frozenset[str]:
    return frozenset(predicate for fact in facts for step in fact.steps for predicate, _ in step.path)


def _candidate_facts(summary: Summary, sparql: str) -> Iterator[tuple[Fact, HiddenEnds]]:
    """Yield the facts with exactly the predicates of a query about the entity.

    Facts in the direction of the query come first: two directions are two facts, even with the same answers.
    """
    query_iris = iris_in(sparql)
    if str(summary.entity.iri) not in query_iris:
        return
    candidates = [
        (fact, hidden)
        for fact, hidden in zip(summary.facts, summary.hidden, strict=True)
        if _predicates([fact]) == query_iris & _predicates(summary.facts)
    ]
    yield from sorted(candidates, key=lambda pair: not _is_written_step(sparql, summary.entity, pair[0].steps[0]))


def _is_written_step(sparql: str, entity: Entity, step: Step) -> bool:
    """Tell whether a query has a step as a triple in this direction, next to the entity."""
    predicate_iri, direction = step.path[0]
    iri, predicate = n3(entity.iri), n3(URIRef(predicate_iri))
    first, second = (iri, predicate) if direction == "out" else (predicate, iri)
    return re.search(rf"{re.escape(first)}\s*{re.escape(second)}", sparql) is not None


def _form_of(fact: Fact, sparql: str, result: ResultTerms) -> str:
    """Return the form in which a query asks a fact, or an empty text if the fact cannot carry it."""
    if isinstance(result, bool):
        form = "boolean"
    elif _COUNT.search(sparql):
        form = "count"
    else:
        form = next((form for form in fact.forms if form not in ("boolean", "count")), "")
    return form if form in fact.forms else ""


def check_bound_questions(
    bound_questions: Sequence[BoundQuestion],
    summary: Summary,
    requests: Sequence[QuestionRequest],
    answers: AnswerTexts,
    language: DialogueLanguage = ENGLISH,
) -> Iterator[Problem]:
    """Check the questions, each with the fact that its query asks."""
    facts = {fact.number: fact for fact in summary.facts}
    items = [
        {"question": bound.text, "facts": [bound.turn.fact.number], "form": bound.turn.form}
        for bound in bound_questions
    ]
    for item, bound in zip(items, bound_questions, strict=True):
        yield from check_well_formed(bound.text, language)
        yield from check_names_entity(bound.text, summary.entity, language)
        yield from check_fits_fact(item, facts, language)
        yield from check_answers_hidden(bound.text, answers(bound.turn.fact.number, bound.turn.form))
    yield from check_requests_met(items, requests)
    yield from check_no_repetition(items)


def check_aligned_dialogue(
    texts: Sequence[str],
    bound_questions: Sequence[BoundQuestion],
    answers: AnswerTexts,
    language: DialogueLanguage = ENGLISH,
) -> Iterator[Problem]:
    """Check the dialogue: it begins with the first question, and each later turn refers to the entity."""
    first = bound_questions[0].text
    if texts[0] != first:
        yield Problem("first-turn", f'begin the dialogue with the first question as it stands: "{first}"')
    for text, bound in list(zip(texts, bound_questions, strict=True))[1:]:
        yield from check_well_formed(text, language)
        yield from check_reference(text, bound.text, bound.turn.entity, language)
        yield from check_answers_hidden(text, answers(bound.turn.fact.number, bound.turn.form))
    for text, times in Counter(text.casefold() for text in texts).items():
        if times > 1:
            yield Problem("repeated", f'two turns read the same: "{text}"')


def prefix_rules(stage: str, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the problems with the stage in front of their rules."""
    for problem in problems:
        yield replace(problem, rule=f"{stage}/{problem.rule}")
