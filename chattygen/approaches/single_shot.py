"""The single-shot baseline: one prompt for questions, dialogue and queries in parallel lists, no stage between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from chattyshared.agent import Agent, Cut, agent
from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, Seed
from chattyshared.terms import n3
from rdflib import URIRef

from chattygen.approaches import multi_stage
from chattygen.rejection import stage
from chattygen.run import Run
from chattygen.stages import alignment, questions
from chattygen.stages.alignment import within
from chattygen.stages.queries import Bound, shown_pattern
from chattygen.stages.turns import links_of, together
from chattygen.subgraph import serialization
from chattygen.subgraph.bridge_entities import bridges, two_steps
from chattygen.subgraph.facts import Fact, Hidden, Summary, Wish

FACTS = Cut("facts", stays=lambda line, said: line.fact.number in {wish.fact for wish in said["wanted"]})
WRITE_ALL = agent("generate/in_one", cuts=(FACTS,))


@dataclass(frozen=True, slots=True)
class Line:
    """A fact as the prompt shows it, with the triples that a query for it is made of, and its yes-no value as a term.

    In the triples THIS stands for the entity, ``?x`` for what is asked for.
    """

    fact: Fact
    triples: str
    offer: str = ""

    def shown(self) -> str:
        """Say the fact in words and in SPARQL."""
        offer = f" (?x as yes-no value: {self.offer})" if self.offer else ""
        return f"{self.fact.shown()}\n   {' '.join(self.triples.splitlines())}{offer}"


@dataclass(slots=True)
class Shot:
    """What one call shall give, and how its reply is judged; ``bounds`` keeps what passed."""

    run: Run
    summary: Summary
    wanted: tuple[Wish, ...]
    bounds: list[Bound] = field(default_factory=list)

    def __call__(self, reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        """Check the lists, then each question with its query, then the dialogue."""
        apart = tuple(alignment.aligned(reply, len(self.wanted)))
        yield from apart
        if apart:
            return
        self.bounds.clear()
        for number, (question, sparql) in enumerate(zip(reply["questions"], reply["queries"], strict=True), 1):
            bound, problems = alignment.bind(self.run.kg.endpoint, self.summary, question, sparql)
            for problem in problems:
                yield Problem(f"query/{problem.rule}", f"query {number}: {problem.sentence}")
            self.bounds.extend([bound] if bound else [])
        if len(self.bounds) < len(self.wanted):
            return
        answers = partial(serialization.answers, self.run.kg, self.summary)
        yield from within("questions", alignment.asked(self.bounds, self.summary, self.wanted, answers))
        texts = [questions.one_line(text) for text in reply["dialogue"]]
        yield from within("dialogue", alignment.told(texts, self.bounds, answers))

    def variables(self) -> dict[str, Any]:
        """Return the variables of the prompt."""
        entity = self.summary.entity
        pairs = zip(self.summary.facts, self.summary.hidden, strict=True)
        return {
            "entity": entity, "iri": n3(entity.iri), "facts": tuple(_line(fact, hidden) for fact, hidden in pairs),
            "number": str(len(self.wanted)), "wanted": self.wanted,
        }  # fmt: skip


def make(run: Run, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Make a dialogue about one entity in one call; its queries are always the model's own.

    Raises:
        Unfit: no reply passed, with the problems of the last one.
        EndpointError, ModelError: the world cannot be asked.
    """
    chance = Random(f"{run.options.seed}/dialogue/{iri}")
    shot = _shot(run, multi_stage.about(run, iri, type_iri), chance)
    with stage("questions"):
        reply = Agent(WRITE_ALL.prompt, (shot,), WRITE_ALL.cuts)(run.model, shot.variables(), theta=run.options.theta)
    texts = [questions.one_line(text) for text in reply.value["dialogue"]]
    links = links_of(len(texts), len(texts))
    seed = Seed(str(iri), shot.summary.entity.label, type_iri)
    return Dialogue(identity, seed, together(run.kg, shot.bounds, links, texts), reply.usage)


def _shot(run: Run, summary: Summary, chance: Random) -> Shot:
    """Draw what is wanted: forms, and facts that can carry them together."""
    for bridge in bridges(run, summary, chance):
        summary = two_steps(summary, bridge)
    summary = multi_stage.told_apart(summary, chance)
    wanted: Sequence[Wish] = questions.wishes(summary.facts, run.options.turns, chance, mix=run.options.mix)
    multi_stage.enough(len(wanted), run.options.turns)
    summary, wanted = multi_stage.offered(run.kg, summary, wanted, chance)
    return Shot(run, multi_stage.shown(run, summary, wanted), _plain_first(wanted))


def _plain_first(wanted: Sequence[Wish]) -> tuple[Wish, ...]:
    """Let a plain question open the talk, if there is one."""
    opening = [wish for wish in wanted if wish.form in questions.LOOKUPS][:1]
    return (*opening, *(wish for wish in wanted if wish not in opening))


def _line(fact: Fact, hidden: Hidden) -> Line:
    offer = n3(hidden.offer) if hidden.offer is not None else ""
    return Line(fact, shown_pattern("THIS", fact, hidden, ""), offer)
