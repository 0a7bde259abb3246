"""The simplified approach: questions alone first, then one call per question for the fact that supports it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattyshared.agent import Agent, TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, Seed
from chattyshared.model import Usage
from rdflib import URIRef

from chattygen.approaches import multi_stage
from chattygen.checks import check_answers_hidden, check_fact_binding, check_question_texts, contains_label
from chattygen.rejection import SeedRejected, reject_failures_at, reject_if_any
from chattygen.run import RunContext
from chattygen.stages.questions import ProposedQuestion, collapse_whitespace
from chattygen.subgraph import serialization
from chattygen.subgraph.facts import Fact, QuestionRequest, Summary

ASK_QUESTIONS = load_agent("generate/questions_only", check_question_texts, truncatable=(TruncatableVariable("facts"),))
BIND_QUESTION = load_agent("generate/binding", check_fact_binding, truncatable=(TruncatableVariable("facts"),))


def write_dialogue(run: RunContext, summary: Summary, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Write a dialogue in four stages: questions, the facts that support them, queries, dialogue.

    Raises:
        SeedRejected: a stage failed, with the problems.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    seed = Seed(str(iri), summary.entity.label, type_iri)
    return multi_stage.write_staged_dialogue(run, summary, seed, identity, propose_then_bind)


def propose_then_bind(
    run: RunContext, summary: Summary, requests: Sequence[QuestionRequest], required_fact: Fact | None
) -> tuple[tuple[ProposedQuestion, ...], Usage]:
    """Have questions written freely, only their forms being wished for, and then bind each to one fact."""
    wishes = [
        wish if wish.form == "boolean" or _is(wish, required_fact) else QuestionRequest(wish.form) for wish in requests
    ]
    texts, usage = _write(run, summary, wishes)
    found: dict[int, ProposedQuestion] = {}
    for text in texts:
        one, more = _bind(run, summary, text, found)
        found[one.fact_number] = one
        usage += more
    if required_fact is not None and required_fact.number not in found:
        raise SeedRejected("triples", [Problem("wanted", f"no question rests on fact {required_fact.number}")])
    return tuple(found.values()), usage


def _is(wish: QuestionRequest, needed: Fact | None) -> bool:
    return needed is not None and wish.fact_number == needed.number


def _write(run: RunContext, summary: Summary, wishes: Sequence[QuestionRequest]) -> tuple[tuple[str, ...], Usage]:
    """Have the questions written, as texts and nothing else."""

    def keeps(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        # Which fact a question rests on is not known yet, and only a full context gives anything away.
        if run.options.context == "full":
            for text in reply["questions"]:
                yield from check_answers_hidden(text, _secrets(run, summary))

    variables: dict[str, Any] = {
        "entity": summary.entity, "number": str(len(wishes)), "wanted": tuple(wishes), "facts": summary.facts,
    }  # fmt: skip
    with reject_failures_at("questions"):
        reply = Agent(ASK_QUESTIONS.prompt, (*ASK_QUESTIONS.checks, keeps), ASK_QUESTIONS.truncatable)(
            run.model, variables, theta=run.options.theta
        )
    return tuple(collapse_whitespace(text) for text in reply.value["questions"]), reply.usage


def _secrets(run: RunContext, summary: Summary) -> Iterator[str]:
    """Yield what stands at the ends of the facts, but what a question may say: offered values, names of classes and
    of predicates."""
    free = {word.casefold() for fact in summary.facts for word in (fact.last_step.label, *fact.class_labels)}
    offers = [fact.offered_value for fact in summary.facts if fact.offered_value]
    for fact in (fact for fact in summary.facts if not fact.offered_value):
        for text in serialization.fact_answer_texts(run.kg, summary, fact.number, fact.forms[0]):
            if text.casefold() not in free and not any(contains_label(offer, text) for offer in offers):
                yield text


def _bind(
    run: RunContext, summary: Summary, text: str, had: Mapping[int, ProposedQuestion]
) -> tuple[ProposedQuestion, Usage]:
    """Have one question bound to one fact that no other question rests on."""

    def is_new(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        before = had.get(reply["facts"][0])
        if before is not None:
            yield Problem("repeated-fact", f'fact {before.fact_number} supports "{before.question}" already')

    variables = {"entity": summary.entity, "question": text, "facts": summary.facts}
    with reject_failures_at("triples"):
        reply = Agent(BIND_QUESTION.prompt, (*BIND_QUESTION.checks, is_new), BIND_QUESTION.truncatable)(
            run.model, variables, theta=run.options.theta
        )
    one = ProposedQuestion(text, reply.value["form"], reply.value["facts"][0])
    reject_if_any(
        "questions",
        check_answers_hidden(text, serialization.fact_answer_texts(run.kg, summary, one.fact_number, one.form)),
    )
    return one, reply.usage
