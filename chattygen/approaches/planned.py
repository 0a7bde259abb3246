"""The planned approach: a plan with queries and gold comes first, then a model words it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, Seed
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.approaches.approach import Approach
from chattygen.planning.plan import DialoguePlan
from chattygen.planning.planner import plan_single_dialogue, plan_slots
from chattygen.rejection import SeedRejected, reject_failures_at, reject_if_any
from chattygen.run import RunContext, in_stage
from chattygen.sampling.seeds import Slot
from chattygen.stages import gold, plan_verbalization
from chattygen.stages.model_queries import write_turn_queries
from chattygen.stages.queries import run_turn
from chattygen.stages.wording_check import schema_names
from chattygen.subgraph.extraction import term_text
from chattygen.subgraph.serialization import CHARACTERS_PER_TOKEN
from chattygen.turns import TurnSpec


@dataclass(frozen=True, slots=True)
class SlotPlans:
    """What was planned for a slot: a plan, or a rejection, by seed; and the turn counts that another seed aims at."""

    by_seed: Mapping[URIRef, DialoguePlan | SeedRejected]
    targets: Mapping[str, int]

    def plan_for(self, run: RunContext, iri: URIRef, type_iri: str) -> DialoguePlan:
        """Return the plan of a seed; one that is not planned yet is planned by itself.

        Raises:
            SeedRejected: the seed cannot carry a plan.
            EndpointError: the endpoint fails.
        """
        plan = self.by_seed.get(iri) or plan_single_dialogue(run, iri, type_iri, self.targets)
        if isinstance(plan, SeedRejected):
            raise plan
        return plan


def planned_approaches(
    run: RunContext, slots: Sequence[Slot], done_slots: Collection[int]
) -> Iterator[tuple[Slot, Approach[DialoguePlan]]]:
    """Yield the slots that are not done, each with an approach that holds its plans.

    Raises:
        ConfigError: the options contradict a plan.
        EndpointUnavailable: the endpoint is gone.
    """
    for slot, plans in plan_slots(run, slots, done_slots):
        slot_plans = SlotPlans(plans.by_seed, plans.counts_by_slot.get(slot.index, {}))
        yield slot, Approach(slot_plans.plan_for, write_dialogue)


@in_stage("dialogue")
def write_dialogue(run: RunContext, plan: DialoguePlan, iri: URIRef, _: str, identity: str) -> Dialogue:
    """Write the dialogue of a plan: its queries are run again, and a model words its turns.

    Raises:
        SeedRejected: a query gives another result than the plan, or no wording passed; with the problems.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    turns, entity = plan.turns, next(turn.entity for turn in plan.turns if turn.entity.iri == iri)
    if run.language.is_english:
        turns = tuple(turn.with_kinds_before_names() for turn in turns)
    tokens = sum(len(turn.as_prompt_text()) + 1 for turn in turns) // CHARACTERS_PER_TOKEN
    if tokens > run.options.context_tokens:
        raise SeedRejected("words", [Problem("context-length", f"the plan takes about {tokens} tokens")])
    with run.trace.stage("queries"):
        results = [execute_turn(run.kg, turn) for turn in turns]
    run.kg.keep_labels(plan.labels)
    with reject_failures_at("words"):
        hidden = hidden_answer_texts(run.kg, turns, results)
        texts, usage = plan_verbalization.verbalize_plan(
            run.model,
            turns,
            hidden,
            theta=run.options.theta,
            language=run.language,
            names=schema_names(run.kg),
        )
    written = tuple(
        gold.assemble_turn(run.kg, turn, turn.sparql, result, standalone, question)
        for turn, result, (standalone, question) in zip(turns, results, texts, strict=True)
    )
    if run.options.queries == "llm":
        written, more = write_turn_queries(run, written)
        usage += more
    return Dialogue(identity, Seed(str(iri), entity.label, entity.type), written, usage)


def execute_turn(kg: KnowledgeGraph, turn: TurnSpec) -> tuple[Term, ...] | bool:
    """Run the query of a turn, and return its result.

    Raises:
        SeedRejected: the result is not the one of the plan.
        EndpointError: the endpoint fails.
    """
    result, problems = run_turn(kg.endpoint, turn)
    reject_if_any("query", problems)
    return result


def hidden_answer_texts(
    kg: KnowledgeGraph, turns: Sequence[TurnSpec], results: Sequence[tuple[Term, ...] | bool]
) -> tuple[tuple[str, ...], ...]:
    """Return, per turn, the answers that its question must not contain; a comparison has to name its answer."""
    answers = [
        () if isinstance(result, bool) or turn.kind.is_count or turn.other_entity is not None else result
        for turn, result in zip(turns, results, strict=True)
    ]
    labels = kg.labels([term for terms in answers for term in terms if isinstance(term, URIRef)])
    return tuple(tuple(term_text(term, labels.get(term, "")) for term in terms) for terms in answers)
