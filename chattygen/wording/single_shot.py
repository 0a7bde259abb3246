"""The single-shot baseline: one prompt for questions, dialogue and queries in parallel lists, without stages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from random import Random
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Turn
from chattyshared.endpoint import Endpoint
from chattyshared.model import Usage
from chattyshared.question_forms import FORM_BY_NAME
from chattyshared.terms import n3
from rdflib import URIRef

from chattygen.context.dialogue_context import Context, sample_bridges
from chattygen.context.facts import Entity, Fact, HiddenEnds, Step, Summary, add_two_hop_facts
from chattygen.context.summary import fact_answer_texts
from chattygen.run import RunContext, in_stage
from chattygen.turns import FactRow, TurnSpec, render_pattern
from chattygen.wording.checks import check_answers_hidden, check_questions, check_rewriting
from chattygen.wording.gold import BoundQuestion, assemble_turns, collapse_whitespace
from chattygen.wording.queries import (
    ResultTerms,
    check_written_query,
    iris_in,
    query_on_one_line,
    run_untrusted_query,
    sorted_terms,
)
from chattygen.wording.staged import QuestionTask, drafts_of, draw_task, drop_confusable, number_turns, prepare_task

REQUESTED_ROWS = TruncatableVariable(
    "facts",
    must_keep=lambda row, variables: row.fact.number in {request.fact_number for request in variables["wanted"]},
)
WRITE_ALL = load_agent("generate/single_shot", truncatable=(REQUESTED_ROWS,))
_COUNT = re.compile(r"\bCOUNT\s*\(", re.IGNORECASE)


@in_stage("questions")
def write_turns(run: RunContext, context: Context) -> tuple[tuple[Turn, ...], Usage]:
    """Write the turns of a dialogue in one call; the model always writes its queries.

    Raises:
        SeedRejected: no reply passed, with the problems of the last one.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    task = _draw_task(run, context, Random(f"{run.options.seed}/dialogue/{context.seed.entity.iri}"))
    summary, questions = task.summary, list[BoundQuestion]()

    def check_reply(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        length_problems = tuple(check_list_lengths(reply, len(task.requests)))
        yield from length_problems
        if length_problems:
            return
        questions.clear()
        for number, (text, sparql) in enumerate(zip(reply["questions"], reply["queries"], strict=True), 1):
            question, problems = align_question(run.kg.endpoint, summary, text, sparql)
            yield from _of_stage("query", problems, f"query {number}: ")
            questions.extend([question] if question else [])
        if len(questions) == len(task.requests):
            questions[:] = number_turns(questions, summary.entity)
            yield from check_texts(run, task, questions, reply["dialogue"])

    entity, requests = summary.entity, task.requests
    variables = {
        "entity": entity, "iri": n3(entity.iri), "facts": tuple(starmap(_fact_row, summary.facts_with_ends)),
        "number": str(len(requests)), "wanted": requests, "language": run.language,
    }  # fmt: skip
    reply = run.ask(WRITE_ALL, "questions", variables, check_reply)
    return assemble_turns(run.kg, questions, reply.value["dialogue"]), reply.usage


@in_stage("extraction")
def _draw_task(run: RunContext, context: Context, rng: Random) -> QuestionTask:
    """Draw the requests, a lookup first: forms, and facts that can carry them together."""
    summary = context.seed
    for bridge in sample_bridges(context, rng):
        summary = add_two_hop_facts(summary, bridge)
    task = prepare_task(run, context, draw_task(run, drop_confusable(summary, rng), rng), rng)
    opening = [request for request in task.requests if FORM_BY_NAME[request.form].is_lookup][:1]
    return replace(task, requests=(*opening, *(request for request in task.requests if request not in opening)))


def _fact_row(fact: Fact, hidden: HiddenEnds) -> FactRow:
    offer = n3(hidden.offered_term) if hidden.offered_term is not None else ""
    return FactRow(fact, render_pattern("THIS", fact, hidden, ""), offer)


def check_list_lengths(reply: Mapping[str, Any], turns: int) -> Iterator[Problem]:
    """Each list has one element for each turn."""
    lengths = {name: len(reply[name]) for name in ("questions", "dialogue", "queries")}
    if set(lengths.values()) != {turns}:
        got = ", ".join(f"{number} {name}" for name, number in lengths.items())
        yield Problem("dialogue/alignment", f"write {turns} elements in each list, in the same order; got {got}")


def check_texts(
    run: RunContext, task: QuestionTask, questions: Sequence[BoundQuestion], dialogue: Sequence[str]
) -> Iterator[Problem]:
    """Check the questions, each with the fact that its query asks; then the dialogue, which begins with the first
    question and refers to the entity in all later ones."""
    texts, first = list(map(collapse_whitespace, dialogue)), questions[0].text
    variables = {
        "entity": task.summary.entity, "wanted": task.requests, "facts": task.summary.facts, "language": run.language
    }  # fmt: skip
    items = [{"question": q.text, "facts": [q.turn.fact.number], "form": q.turn.form} for q in questions]
    later = [{"turn": number, "question": text} for number, text in enumerate(texts, 1)][1:]
    answers = [fact_answer_texts(run.kg, task.summary, q.turn.fact.number, q.turn.form) for q in questions]
    yield from _of_stage("questions", check_questions({"questions": items}, variables))
    for question, hidden in zip(questions, answers, strict=True):
        yield from _of_stage("questions", check_answers_hidden(question.text, hidden))
    if texts[0] != first:
        yield Problem("dialogue/first-turn", f'begin the dialogue with the first question as it stands: "{first}"')
    variables = {"turns": drafts_of(questions), "language": run.language}
    yield from _of_stage("dialogue", check_rewriting({"turns": later}, variables))
    for text, hidden in list(zip(texts, answers, strict=True))[1:]:
        yield from _of_stage("dialogue", check_answers_hidden(text, hidden))


def _of_stage(stage: str, problems: Iterable[Problem], place: str = "") -> Iterator[Problem]:
    """Yield the problems with the stage in front of their rules, and the place in front of their sentences."""
    for problem in problems:
        yield Problem(f"{stage}/{problem.rule}", f"{place}{problem.sentence}")


def align_question(
    endpoint: Endpoint, summary: Summary, text: str, sparql: str
) -> tuple[BoundQuestion | None, tuple[Problem, ...]]:
    """Run the query of a question, and return it bound to the one fact that it asks, or the problems if there is none.

    Raises:
        EndpointUnavailable: the endpoint is gone.
    """
    sparql, entity = query_on_one_line(sparql), summary.entity
    offered = {str(hidden.offered_term) for hidden in summary.hidden if isinstance(hidden.offered_term, URIRef)}
    predicates = {fact.number: _predicates_of(fact) for fact in summary.facts}
    askable = frozenset().union(*predicates.values())
    result, problems = run_untrusted_query(endpoint, sparql, askable | offered | {str(entity.iri)})
    if result is None:
        return None, problems
    result = result if isinstance(result, bool) else sorted_terms(result)
    query_iris = iris_in(sparql)
    asked = [
        (fact, hidden) for fact, hidden in summary.facts_with_ends
        if str(entity.iri) in query_iris and predicates[fact.number] == query_iris & askable
    ]  # fmt: skip
    # Two directions are two facts, even with the same answers: the one of the query comes first.
    asked.sort(key=lambda pair: not _is_written_step(sparql, entity, pair[0].steps[0]))
    fact_problems: list[Problem] = []
    for fact, hidden in asked:
        form = _form_of(fact, sparql, result)
        if form in fact.forms:
            turn = TurnSpec(0, form, "topic", entity, fact, hidden=hidden, query=sparql)
            problems = tuple(check_written_query(turn, sparql, result))
            if not problems:
                return BoundQuestion(collapse_whitespace(text), turn, result), ()
            fact_problems.extend(problems)
    no_fact = Problem("one-fact", "ask one listed fact, in a form that it can carry, by its own triples")
    return None, tuple(fact_problems[:1]) or (no_fact,)


def _predicates_of(fact: Fact) -> frozenset[str]:
    return frozenset(predicate for step in fact.steps for predicate, _ in step.path)


def _is_written_step(sparql: str, entity: Entity, step: Step) -> bool:
    """Tell whether a query has a step as a triple in this direction, next to the entity."""
    predicate_iri, direction = step.path[0]
    iri, predicate = n3(entity.iri), n3(URIRef(predicate_iri))
    first, second = (iri, predicate) if direction == "out" else (predicate, iri)
    return re.search(rf"{re.escape(first)}\s*{re.escape(second)}", sparql) is not None


def _form_of(fact: Fact, sparql: str, result: ResultTerms) -> str:
    """Return the form in which a query asks a fact, or an empty text if the fact cannot carry it."""
    kinds = [FORM_BY_NAME[form] for form in fact.forms]
    if isinstance(result, bool):
        fitting = [kind for kind in kinds if kind.is_yes_no]
    elif _COUNT.search(sparql):
        fitting = [kind for kind in kinds if kind.is_count]
    else:
        fitting = [kind for kind in kinds if not (kind.is_yes_no or kind.is_count)]
    return fitting[0].name if fitting else ""
