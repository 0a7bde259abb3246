"""The single-shot baseline: one prompt for questions, dialogue and queries in parallel lists, no stage between."""

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
from chattygen.rejection import reject_failures_at
from chattygen.run import RunContext
from chattygen.stages import alignment, questions
from chattygen.stages.alignment import prefix_rules
from chattygen.stages.queries import BoundQuestion, render_pattern
from chattygen.stages.turns import assemble_turns, links_of
from chattygen.subgraph import serialization
from chattygen.subgraph.bridge_entities import add_two_hop_facts, find_bridges
from chattygen.subgraph.facts import Fact, HiddenEnds, QuestionRequest, Summary

FACTS_CUT = TruncatableVariable(
    "facts", must_keep=lambda line, said: line.fact.number in {wish.fact_number for wish in said["wanted"]}
)
WRITE_ALL = load_agent("generate/single_shot", truncatable=(FACTS_CUT,))


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact as the prompt shows it, with the triples that a query for it is made of, and its yes-no value as a term.

    In the triples THIS stands for the entity, ``?x`` for what is asked for.
    """

    fact: Fact
    triples: str
    offered_value: str = ""

    def as_prompt_text(self) -> str:
        """Say the fact in words and in SPARQL."""
        offer = f" (?x as yes-no value: {self.offered_value})" if self.offered_value else ""
        return f"{self.fact.as_prompt_text()}\n   {' '.join(self.triples.splitlines())}{offer}"


@dataclass(slots=True)
class SingleShotReply:
    """What one call shall give, and how its reply is judged; ``bounds`` keeps what passed."""

    run: RunContext
    summary: Summary
    requests: tuple[QuestionRequest, ...]
    bound_questions: list[BoundQuestion] = field(default_factory=list)

    def __call__(self, reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        """Check the lists, then each question with its query, then the dialogue."""
        apart = tuple(alignment.check_list_lengths(reply, len(self.requests)))
        yield from apart
        if apart:
            return
        self.bound_questions.clear()
        for number, (question, sparql) in enumerate(zip(reply["questions"], reply["queries"], strict=True), 1):
            bound, problems = alignment.align_question(self.run.kg.endpoint, self.summary, question, sparql)
            for problem in problems:
                yield Problem(f"query/{problem.rule}", f"query {number}: {problem.sentence}")
            self.bound_questions.extend([bound] if bound else [])
        if len(self.bound_questions) < len(self.requests):
            return
        answers = partial(serialization.fact_answer_texts, self.run.kg, self.summary)
        yield from prefix_rules(
            "questions", alignment.check_bound_questions(self.bound_questions, self.summary, self.requests, answers)
        )
        texts = [questions.collapse_whitespace(text) for text in reply["dialogue"]]
        yield from prefix_rules("dialogue", alignment.check_aligned_dialogue(texts, self.bound_questions, answers))

    def prompt_variables(self) -> dict[str, Any]:
        """Return the variables of the prompt."""
        entity = self.summary.entity
        pairs = zip(self.summary.facts, self.summary.hidden, strict=True)
        return {
            "entity": entity, "iri": n3(entity.iri), "facts": tuple(_line(fact, hidden) for fact, hidden in pairs),
            "number": str(len(self.requests)), "wanted": self.requests,
        }  # fmt: skip


def write_dialogue(run: RunContext, summary: Summary, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Write a dialogue in one call; the model always writes its queries.

    Raises:
        SeedRejected: no reply passed, with the problems of the last one.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    chance = Random(f"{run.options.seed}/dialogue/{iri}")
    shot = _shot(run, summary, chance)
    with reject_failures_at("questions"):
        reply = Agent(WRITE_ALL.prompt, (shot,), WRITE_ALL.truncatable)(
            run.model, shot.prompt_variables(), theta=run.options.theta
        )
    texts = [questions.collapse_whitespace(text) for text in reply.value["dialogue"]]
    links = links_of(len(texts), len(texts))
    seed = Seed(str(iri), shot.summary.entity.label, type_iri)
    return Dialogue(identity, seed, assemble_turns(run.kg, shot.bound_questions, links, texts), reply.usage)


def _shot(run: RunContext, summary: Summary, chance: Random) -> SingleShotReply:
    """Draw what is wanted: forms, and facts that can carry them together."""
    for bridge in find_bridges(run, summary, chance):
        summary = add_two_hop_facts(summary, bridge)
    summary = multi_stage.drop_confusable(summary, chance)
    wanted: Sequence[QuestionRequest] = questions.draw_requests(
        summary.facts, run.options.turns, chance, mix=run.options.mix
    )
    multi_stage.require_turns(len(wanted), run.options.turns)
    summary, wanted = multi_stage.add_offered_values(run.kg, summary, wanted, chance)
    return SingleShotReply(run, multi_stage.prepare_prompt_facts(run, summary, wanted), _plain_first(wanted))


def _plain_first(wanted: Sequence[QuestionRequest]) -> tuple[QuestionRequest, ...]:
    """Let a plain question open the talk, if there is one."""
    opening = [wish for wish in wanted if wish.form in LOOKUP_FORMS][:1]
    return (*opening, *(wish for wish in wanted if wish not in opening))


def _line(fact: Fact, hidden: HiddenEnds) -> FactRow:
    offer = n3(hidden.offered_term) if hidden.offered_term is not None else ""
    return FactRow(fact, render_pattern("THIS", fact, hidden, ""), offer)
