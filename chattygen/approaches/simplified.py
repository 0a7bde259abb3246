"""The simplified approach: questions alone first, then one call per question for the fact that supports it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattyshared.agent import Agent, Cut, agent
from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue
from chattyshared.model import Usage
from rdflib import URIRef

from chattygen.approaches import multi_stage
from chattygen.checks import contains, keeps_answers, rests_on_fact, texts_only
from chattygen.rejection import Unfit, reject_if, stage
from chattygen.run import Run
from chattygen.stages.questions import Proposed, one_line
from chattygen.subgraph import serialization
from chattygen.subgraph.facts import Fact, Summary, Wish

ASK = agent("generate/questions_only", texts_only, cuts=(Cut("facts"),))
BIND = agent("generate/binding", rests_on_fact, cuts=(Cut("facts"),))


def make(run: Run, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Make a dialogue about one entity: questions, the facts that support them, queries, dialogue.

    Raises:
        Unfit: a stage failed, with the problems.
        EndpointError, ModelError: the world cannot be asked.
    """
    return multi_stage.converse(run, iri, type_iri, identity, propose)


def propose(
    run: Run, summary: Summary, wanted: Sequence[Wish], needed: Fact | None
) -> tuple[tuple[Proposed, ...], Usage]:
    """Have questions written freely, only their forms being wished for, and then bind each to one fact."""
    wishes = [wish if wish.form == "boolean" or _is(wish, needed) else Wish(wish.form) for wish in wanted]
    texts, usage = _write(run, summary, wishes)
    found: dict[int, Proposed] = {}
    for text in texts:
        one, more = _bind(run, summary, text, found)
        found[one.fact] = one
        usage += more
    if needed is not None and needed.number not in found:
        raise Unfit("triples", [Problem("wanted", f"no question rests on fact {needed.number}")])
    return tuple(found.values()), usage


def _is(wish: Wish, needed: Fact | None) -> bool:
    return needed is not None and wish.fact == needed.number


def _write(run: Run, summary: Summary, wishes: Sequence[Wish]) -> tuple[tuple[str, ...], Usage]:
    """Have the questions written, as texts and nothing else."""

    def keeps(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        # Which fact a question rests on is not known yet, and only a full context gives anything away.
        if run.options.context == "full":
            for text in reply["questions"]:
                yield from keeps_answers(text, _secrets(run, summary))

    variables: dict[str, Any] = {
        "entity": summary.entity, "number": str(len(wishes)), "wanted": tuple(wishes), "facts": summary.facts,
    }  # fmt: skip
    with stage("questions"):
        reply = Agent(ASK.prompt, (*ASK.checks, keeps), ASK.cuts)(run.model, variables, theta=run.options.theta)
    return tuple(one_line(text) for text in reply.value["questions"]), reply.usage


def _secrets(run: Run, summary: Summary) -> Iterator[str]:
    """Yield what stands at the ends of the facts, but what a question may say: offered values, names of classes and
    of predicates."""
    free = {word.casefold() for fact in summary.facts for word in (fact.last.label, *fact.kinds)}
    offers = [fact.offer for fact in summary.facts if fact.offer]
    for fact in (fact for fact in summary.facts if not fact.offer):
        for text in serialization.answers(run.kg, summary, fact.number, fact.forms[0]):
            if text.casefold() not in free and not any(contains(offer, text) for offer in offers):
                yield text


def _bind(run: Run, summary: Summary, text: str, had: Mapping[int, Proposed]) -> tuple[Proposed, Usage]:
    """Have one question bound to one fact that no other question rests on."""

    def is_new(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        before = had.get(reply["facts"][0])
        if before is not None:
            yield Problem("repeated-fact", f'fact {before.fact} supports "{before.question}" already')

    variables = {"entity": summary.entity, "question": text, "facts": summary.facts}
    with stage("triples"):
        reply = Agent(BIND.prompt, (*BIND.checks, is_new), BIND.cuts)(run.model, variables, theta=run.options.theta)
    one = Proposed(text, reply.value["form"], reply.value["facts"][0])
    reject_if("questions", keeps_answers(text, serialization.answers(run.kg, summary, one.fact, one.form)))
    return one, reply.usage
