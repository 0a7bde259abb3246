"""The planned approach: a plan with queries and gold comes first, and a model finds the words for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, Seed, Turn, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import Term
from rdflib import URIRef
from rdflib.namespace import XSD

from chattygen.approaches.approach import Approach
from chattygen.planning.plan import DialoguePlan, PlannedTurn
from chattygen.planning.planner import plan_single_dialogue, plan_slots
from chattygen.rejection import SeedRejected, reject_failures_at
from chattygen.run import RunContext
from chattygen.sampling.seeds import Slot
from chattygen.stages import gold, plan_verbalization
from chattygen.stages.model_queries import write_turn_queries
from chattygen.stages.turn_plan import TurnPlan
from chattygen.subgraph.extraction import term_text
from chattygen.subgraph.serialization import CHARACTERS_PER_TOKEN


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


def write_dialogue(run: RunContext, plan: DialoguePlan, iri: URIRef, _: str, identity: str) -> Dialogue:
    """Write the dialogue of a plan: its queries are run again, and a model words its turns.

    Raises:
        SeedRejected: a query gives another result than the plan, or no wording passed; with the problems.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    asks, pieces = [ask for ask, _ in plan.turns], [piece for _, piece in plan.turns]
    tokens = sum(len(ask.as_prompt_text()) + 1 for ask in asks) // CHARACTERS_PER_TOKEN
    if tokens > run.options.context_tokens:
        raise SeedRejected("words", [Problem("context-length", f"the plan takes about {tokens} tokens")])
    results = [execute_turn(run.kg, piece) for piece in pieces]
    with reject_failures_at("words"):
        texts, usage = plan_verbalization.verbalize_plan(
            run.model, asks, hidden_answer_texts(run.kg, pieces, results), theta=run.options.theta
        )
    turns = tuple(
        _turn(run.kg, ask, piece, result, text)
        for ask, piece, result, text in zip(asks, pieces, results, texts, strict=True)
    )
    if run.options.queries == "llm":
        turns, more = write_turn_queries(run, turns)
        usage += more
    return Dialogue(identity, Seed(str(iri), asks[0].entity.label, asks[0].entity.type), turns, usage)


def execute_turn(kg: KnowledgeGraph, turn: PlannedTurn) -> tuple[Term, ...] | bool:
    """Run the query of a turn, and compare what it gives with what was read before.

    Raises:
        Unfit: they differ.
        EndpointError: the endpoint does not answer.
    """
    if isinstance(turn.expected, bool):
        truth = kg.endpoint.ask(turn.sparql)
        if truth is not turn.expected:
            raise SeedRejected("query", [Problem("result", f"the query gives {truth}, the graph says {turn.expected}")])
        return truth
    rows = kg.endpoint.select(turn.sparql)
    found = tuple(dict.fromkeys(term for row in rows for term in row.values()))
    if isinstance(turn.expected, int):
        agrees = [str(term) for term in found] == [str(turn.expected)]
    elif turn.is_ordered:
        agrees = found == turn.expected
    else:
        agrees = set(found) == set(turn.expected)
        found = tuple(sorted(found, key=lambda term: (str(term), term.n3())))
    if not agrees:
        what = f"the query gives {len(found)} answers that are not what the graph says: {turn.sparql[:200]}"
        raise SeedRejected("query", [Problem("result", what)])
    return found


def hidden_answer_texts(
    kg: KnowledgeGraph, turns: Sequence[PlannedTurn], results: Sequence[tuple[Term, ...] | bool]
) -> tuple[tuple[str, ...], ...]:
    """Return, per turn, the answers that its question must not tell; a comparison has to name its answer."""
    found: list[tuple[str, ...]] = []
    for piece, result in zip(turns, results, strict=True):
        if isinstance(result, bool) or piece.form in ("count", "comparison"):
            found.append(())
        else:
            labels = kg.labels([term for term in result if isinstance(term, URIRef)])
            found.append(tuple(term_text(term, labels.get(term, "")) for term in result))
    return tuple(found)


def _turn(
    kg: KnowledgeGraph, ask: TurnPlan, piece: PlannedTurn, result: tuple[Term, ...] | bool, text: tuple[str, str]
) -> Turn:  # fmt: skip
    return Turn(
        ask.number, text[1], text[0], ask.form, ask.link, piece.answer_type, piece.answerable,  # type: ignore[arg-type]
        piece.difficulty, piece.sparql, _values(kg, result), piece.pattern, piece.witness,
    )  # fmt: skip


def _values(kg: KnowledgeGraph, result: tuple[Term, ...] | bool) -> tuple[Value, ...]:
    if isinstance(result, bool):
        return (Value("true" if result else "false", "boolean", datatype=str(XSD.boolean)),)
    labels = kg.labels([term for term in result if isinstance(term, URIRef)])
    return tuple(gold.to_value(term, labels.get(term, "")) for term in result)
