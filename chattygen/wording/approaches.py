"""The approaches by name, and the one function from a seed to its dialogues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from chattyshared.agent import Agent
from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, Seed, Turn
from chattyshared.model import Usage
from rdflib import URIRef

from chattygen.context.dialogue_context import Context
from chattygen.context.reader import read_context
from chattygen.options import Options
from chattygen.planning.plan import DialoguePlan, DialoguePlans
from chattygen.planning.planner import plan_single_dialogue
from chattygen.rejection import SeedRejected
from chattygen.run import RunContext
from chattygen.sampling.label_predicates import CHOOSE_LABEL
from chattygen.sampling.seeds import Slot
from chattygen.wording import planned, single_shot, staged
from chattygen.wording.queries import WRITE_QUERY


@dataclass(frozen=True, slots=True)
class Approach:
    """A way to write a dialogue: the agents that it asks, and the function from a run and a plan or the context of a
    seed to turns with their usage.

    The agents are those without label predicates and queries that a model writes.
    """

    agents: tuple[Agent, ...]
    write_turns: Callable[[RunContext, Any], tuple[tuple[Turn, ...], Usage]]


APPROACHES: Mapping[str, Approach] = {
    "planned": Approach((planned.VERBALIZE,), planned.write_turns),
    "multi-stage": Approach(
        (staged.PROPOSE, staged.REWRITE), partial(staged.write_turns, propose=staged.propose_in_one_call)
    ),
    "simplified": Approach(
        (staged.ASK_QUESTIONS, staged.BIND_QUESTION, staged.REWRITE),
        partial(staged.write_turns, propose=staged.propose_then_bind),
    ),
    "single-shot": Approach((single_shot.WRITE_ALL,), single_shot.write_turns),
}


def agents_of(options: Options) -> tuple[Agent, ...]:
    """Return the agents that a run can ask: their prompts can change its results."""
    writer = (WRITE_QUERY,) if options.queries == "llm" and options.approach != "single-shot" else ()
    return (CHOOSE_LABEL, *APPROACHES[options.approach].agents, *writer)


def write_dialogues(
    run: RunContext, slot: Slot, plans: DialoguePlans, iri: URIRef, identity: str
) -> tuple[Dialogue, ...]:
    """Write the dialogue of one slot about one seed, in each language of the run.

    Raises:
        SeedRejected: a stage failed, with the problems; or the dialogues in several languages do not ask the same.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    context: DialoguePlan | Context
    if run.options.approach == "planned":
        context = _plan_of(run, slot, plans, iri)
        label = next(turn.entity.label for turn in context.turns if turn.entity.iri == iri)
    else:
        context = read_context(run, iri, slot.type)
        label = context.seed.entity.label
    languages = run.options.lang
    dialogues = []
    for tag in languages or ("",):
        turns, usage = APPROACHES[run.options.approach].write_turns(run.in_language(tag) if tag else run, context)
        seed = Seed(str(iri), label, slot.type)
        dialogues.append(Dialogue(identity, seed, turns, usage, tag, identity if len(languages) > 1 else ""))
    if len({tuple((turn.sparql, turn.form, turn.link) for turn in dialogue.turns) for dialogue in dialogues}) > 1:
        raise SeedRejected("dialogue", [Problem("alignment", "the languages do not ask the same in each turn")])
    return tuple(dialogues)


def _plan_of(run: RunContext, slot: Slot, plans: DialoguePlans, iri: URIRef) -> DialoguePlan:
    """Return the plan of a seed; one that is not planned yet is planned by itself, in place of the slot's."""
    plan = plans.by_seed.get(iri) or plan_single_dialogue(run, iri, slot.type, plans.counts_by_slot.get(slot.index, {}))
    if isinstance(plan, SeedRejected):
        raise plan
    return plan
