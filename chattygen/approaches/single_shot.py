"""The single-shot baseline: one prompt for questions, dialogue and queries in parallel lists, without stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from chattyshared.agent import Agent, TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, Seed
from chattyshared.question_forms import LOOKUP_FORMS
from chattyshared.terms import n3
from rdflib import URIRef

from chattygen.approaches import multi_stage
from chattygen.context.dialogue_context import Context, sample_bridges
from chattygen.context.facts import Fact, HiddenEnds, QuestionRequest, Summary, add_two_hop_facts
from chattygen.context.summary import fact_answer_texts
from chattygen.rejection import reject_failures_at
from chattygen.run import RunContext, in_stage
from chattygen.stages import alignment, questions
from chattygen.stages.alignment import prefix_rules
from chattygen.stages.gold import assemble_turns, links_of
from chattygen.stages.queries import BoundQuestion
from chattygen.turns import FactRow, render_pattern

FACTS_CUT = TruncatableVariable(
    "facts",
    must_keep=lambda row, variables: row.fact.number in {request.fact_number for request in variables["wanted"]},
)
WRITE_ALL = load_agent("generate/single_shot", truncatable=(FACTS_CUT,))


@dataclass(slots=True)
class SingleShotReply:
    """The check of the one reply, with its prompt variables; ``bound_questions`` keeps the questions that passed."""

    run: RunContext
    summary: Summary
    requests: tuple[QuestionRequest, ...]
    bound_questions: list[BoundQuestion] = field(default_factory=list)

    def __call__(self, reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        """Check the lists, then each question with its query, then the dialogue."""
        length_problems = tuple(alignment.check_list_lengths(reply, len(self.requests)))
        yield from length_problems
        if length_problems:
            return
        self.bound_questions.clear()
        for number, (question, sparql) in enumerate(zip(reply["questions"], reply["queries"], strict=True), 1):
            bound, problems = alignment.align_question(self.run.kg.endpoint, self.summary, question, sparql)
            for problem in problems:
                yield Problem(f"query/{problem.rule}", f"query {number}: {problem.sentence}")
            self.bound_questions.extend([bound] if bound else [])
        if len(self.bound_questions) < len(self.requests):
            return
        answers = partial(fact_answer_texts, self.run.kg, self.summary)
        yield from prefix_rules(
            "questions",
            alignment.check_bound_questions(
                self.bound_questions, self.summary, self.requests, answers, self.run.language
            ),
        )
        texts = [questions.collapse_whitespace(text) for text in reply["dialogue"]]
        yield from prefix_rules(
            "dialogue", alignment.check_aligned_dialogue(texts, self.bound_questions, answers, self.run.language)
        )

    def prompt_variables(self) -> dict[str, Any]:
        """Return the variables of the prompt."""
        entity = self.summary.entity
        pairs = zip(self.summary.facts, self.summary.hidden, strict=True)
        return {
            "entity": entity, "iri": n3(entity.iri), "facts": tuple(_fact_row(fact, hidden) for fact, hidden in pairs),
            "number": str(len(self.requests)), "wanted": self.requests,
            "language": self.run.language,
        }  # fmt: skip


@in_stage("questions")
def write_dialogue(run: RunContext, context: Context, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Write a dialogue in one call; the model always writes its queries.

    Raises:
        SeedRejected: no reply passed, with the problems of the last one.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    rng = Random(f"{run.options.seed}/dialogue/{iri}")
    shot = _draw_requests(run, context, rng)
    with reject_failures_at("questions"):
        reply = Agent(WRITE_ALL.prompt, (shot,), WRITE_ALL.truncatable)(
            run.model, shot.prompt_variables(), theta=run.options.theta
        )
    texts = [questions.collapse_whitespace(text) for text in reply.value["dialogue"]]
    links = links_of(len(texts), len(texts))
    seed = Seed(str(iri), shot.summary.entity.label, type_iri)
    return Dialogue(identity, seed, assemble_turns(run.kg, shot.bound_questions, links, texts), reply.usage)


@in_stage("extraction")
def _draw_requests(run: RunContext, context: Context, rng: Random) -> SingleShotReply:
    """Draw the requests: forms, and facts that can carry them together."""
    summary = context.seed
    for bridge in sample_bridges(context, rng):
        summary = add_two_hop_facts(summary, bridge)
    summary = multi_stage.drop_confusable(summary, rng)
    requests: Sequence[QuestionRequest] = questions.draw_requests(
        summary.facts, run.options.turns, rng, mix=run.options.mix
    )
    multi_stage.require_turns(len(requests), run.options.turns)
    summary, requests = multi_stage.add_offered_values(run, context, summary, requests, rng)
    visible = multi_stage.prepare_prompt_facts(run, summary, requests)
    return SingleShotReply(run, visible, _lookup_first(requests))


def _lookup_first(requests: Sequence[QuestionRequest]) -> tuple[QuestionRequest, ...]:
    """Return the requests with the first lookup, if there is one, at the front."""
    opening = [request for request in requests if request.form in LOOKUP_FORMS][:1]
    return (*opening, *(request for request in requests if request not in opening))


def _fact_row(fact: Fact, hidden: HiddenEnds) -> FactRow:
    offer = n3(hidden.offered_term) if hidden.offered_term is not None else ""
    return FactRow(fact, render_pattern("THIS", fact, hidden, ""), offer)
