"""The simplified approach: questions first, then one call per question for the fact that supports it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from chattyshared.agent import Agent, TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, Seed
from chattyshared.language.scripts import contains_name
from chattyshared.model import Usage
from rdflib import URIRef

from chattygen.approaches import multi_stage
from chattygen.checks import check_answers_hidden, check_fact_binding, check_question_texts
from chattygen.context.dialogue_context import Context
from chattygen.context.facts import Fact, QuestionRequest, Summary
from chattygen.context.summary import fact_answer_texts
from chattygen.rejection import SeedRejected, reject_failures_at, reject_if_any
from chattygen.run import RunContext, in_stage
from chattygen.stages.questions import ProposedQuestion, collapse_whitespace

ASK_QUESTIONS = load_agent("generate/questions_only", check_question_texts, truncatable=(TruncatableVariable("facts"),))
BIND_QUESTION = load_agent("generate/binding", truncatable=(TruncatableVariable("facts"),))


def write_dialogue(run: RunContext, context: Context, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Write a dialogue in four stages: questions, the facts that support them, queries, dialogue.

    Raises:
        SeedRejected: a stage failed, with the problems.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    seed = Seed(str(iri), context.seed.entity.label, type_iri)
    return multi_stage.write_staged_dialogue(run, context, seed, identity, propose_then_bind)


def propose_then_bind(
    run: RunContext, summary: Summary, requests: Sequence[QuestionRequest], required_fact: Fact | None
) -> tuple[tuple[ProposedQuestion, ...], Usage]:
    """Have a model write questions, of which only the forms are requested, and then bind each to one fact."""
    free_requests = [
        request if request.form == "boolean" or _asks(request, required_fact) else QuestionRequest(request.form)
        for request in requests
    ]
    texts, usage = _write_questions(run, summary, free_requests)
    bound: dict[int, ProposedQuestion] = {}
    for text in texts:
        question, more = _bind(run, summary, text, bound)
        bound[question.fact_number] = question
        usage += more
    if required_fact is not None and required_fact.number not in bound:
        raise SeedRejected("triples", [Problem("wanted", f"no question rests on fact {required_fact.number}")])
    return tuple(bound.values()), usage


def _asks(request: QuestionRequest, fact: Fact | None) -> bool:
    return fact is not None and request.fact_number == fact.number


def _write_questions(
    run: RunContext, summary: Summary, requests: Sequence[QuestionRequest]
) -> tuple[tuple[str, ...], Usage]:
    """Have a model write the texts of the questions."""

    def check_answers(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        # The fact of a question is not known yet, and only a full context reveals answers.
        if run.options.context == "full":
            for text in reply["questions"]:
                yield from check_answers_hidden(text, _hidden_texts(run, summary))

    variables: dict[str, Any] = {
        "entity": summary.entity, "number": str(len(requests)), "wanted": tuple(requests), "facts": summary.facts,
        "language": run.language,
    }  # fmt: skip
    with reject_failures_at("questions"):
        reply = Agent(ASK_QUESTIONS.prompt, (*ASK_QUESTIONS.checks, check_answers), ASK_QUESTIONS.truncatable)(
            run.model, variables, theta=run.options.theta
        )
    return tuple(collapse_whitespace(text) for text in reply.value["questions"]), reply.usage


def _hidden_texts(run: RunContext, summary: Summary) -> Iterator[str]:
    """Yield the texts of the hidden ends, without those that a question may contain.

    These are offered values and the labels of classes and predicates.
    """
    allowed = {word.casefold() for fact in summary.facts for word in (fact.last_step.label, *fact.class_labels)}
    offers = [fact.offered_value for fact in summary.facts if fact.offered_value]
    for fact in (fact for fact in summary.facts if not fact.offered_value):
        for text in fact_answer_texts(run.kg, summary, fact.number, fact.forms[0]):
            if text.casefold() not in allowed and not any(contains_name(offer, text) for offer in offers):
                yield text


@in_stage("queries")
def _bind(
    run: RunContext, summary: Summary, text: str, bound: Mapping[int, ProposedQuestion]
) -> tuple[ProposedQuestion, Usage]:
    """Have a model bind one question to one fact that supports no other question; ``bound`` is by fact number."""

    def check_new(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        before = bound.get(reply["facts"][0])
        if before is not None:
            yield Problem("repeated-fact", f'fact {before.fact_number} supports "{before.question}" already')

    variables = {"entity": summary.entity, "question": text, "facts": summary.facts}
    check_fact = partial(check_fact_binding, language=run.language)
    with reject_failures_at("triples"):
        reply = Agent(BIND_QUESTION.prompt, (check_fact, check_new), BIND_QUESTION.truncatable)(
            run.model, variables, theta=run.options.theta
        )
    question = ProposedQuestion(text, reply.value["form"], reply.value["facts"][0])
    reject_if_any(
        "questions",
        check_answers_hidden(text, fact_answer_texts(run.kg, summary, question.fact_number, question.form)),
    )
    return question, reply.usage
