"""The approaches by name, their agents, and the function that turns failures of content into rejected seeds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from chattyshared.agent import Agent
from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue
from chattyshared.errors import QUERY_ERRORS, ModelError
from chattyshared.model import Completion, LanguageModel, Request, Usage
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from rdflib import URIRef

from chattygen.approaches import multi_stage, simplified, single_shot
from chattygen.approaches.approach import Approach
from chattygen.approaches.planned import planned_approaches
from chattygen.context.dialogue_context import Context
from chattygen.context.reader import read_context
from chattygen.options import Options
from chattygen.rejection import RejectedSeed, SeedRejected
from chattygen.run import RunContext
from chattygen.sampling.label_predicates import CHOOSE_LABEL
from chattygen.sampling.seeds import Slot
from chattygen.stages.dialogues import REWRITE
from chattygen.stages.model_queries import WRITE_QUERY
from chattygen.stages.plan_verbalization import VERBALIZE
from chattygen.stages.questions import PROPOSE

DialogueMaker = Callable[[RunContext, URIRef, str, str], tuple[Dialogue, ...]]
"""From a run, the IRIs of a seed and its type, and an id to the dialogue in each language; raises ``SeedRejected``."""

SEED_APPROACHES: Mapping[str, Approach[Context]] = {
    "multi-stage": Approach(read_context, multi_stage.write_dialogue),
    "simplified": Approach(read_context, simplified.write_dialogue),
    "single-shot": Approach(read_context, single_shot.write_dialogue),
}
"""The approaches that take each seed by itself. The other one, ``planned``, plans the dialogues of several slots."""

APPROACH_AGENTS: Mapping[str, tuple[Agent, ...]] = {
    "planned": (VERBALIZE,),
    "multi-stage": (PROPOSE, REWRITE),
    "simplified": (simplified.ASK_QUESTIONS, simplified.BIND_QUESTION, REWRITE),
    "single-shot": (single_shot.WRITE_ALL,),
}
"""The agents of each approach, without those for label predicates and for queries that a model writes."""


def agents_of(options: Options) -> tuple[Agent, ...]:
    """Return the agents that a run can ask: their prompts can change its results."""
    writer = (WRITE_QUERY,) if options.queries == "llm" and options.approach != "single-shot" else ()
    return (CHOOSE_LABEL, *APPROACH_AGENTS[options.approach], *writer)


def assign_approaches(
    run: RunContext, slots: Sequence[Slot], done_slots: Collection[int]
) -> Iterator[tuple[Slot, Approach[Any]]]:
    """Yield the slots that are not done, each with its approach; plans are made as they are needed.

    Raises:
        ConfigError: the options contradict the approach.
        EndpointUnavailable: the endpoint is gone.
    """
    if run.options.approach == "planned":
        yield from planned_approaches(run, slots, done_slots)
    else:
        approach = SEED_APPROACHES[run.options.approach]
        yield from ((slot, approach) for slot in slots if slot.index not in done_slots)


def make_or_reject(
    make_dialogues: DialogueMaker, run: RunContext, iri: URIRef, type_iri: str, identity: str
) -> tuple[Dialogue, ...] | RejectedSeed:
    """Make the dialogues about one seed, or return the stage at which it failed, why, and the usage.

    An unexpected exception rejects the seed at the stage ``internal``; its traceback goes to the trace.

    Raises:
        EndpointUnavailable: the endpoint is gone.
        ModelUnavailable: the model is gone.
        BudgetSpent: a limit was reached; this seed is not recorded and is tried again on resuming.
    """
    metered = MeteredModel(run.model)
    make = partial(make_dialogues, replace(run, model=metered), iri, type_iri, identity)
    outcome = catch_unexpected(partial(_reject_failures, make, iri, type_iri, metered))
    if not isinstance(outcome, UnexpectedError):
        return outcome
    outcome.record(run.trace, identity)
    return RejectedSeed(str(iri), type_iri, "internal", (Problem("unexpected", str(outcome)),), metered.usage)


def _reject_failures(
    make: Callable[[], tuple[Dialogue, ...]], iri: URIRef, type_iri: str, metered: MeteredModel
) -> tuple[Dialogue, ...] | RejectedSeed:
    try:
        return make()
    except SeedRejected as rejection:
        return RejectedSeed(str(iri), type_iri, rejection.stage, rejection.problems, metered.usage)
    except QUERY_ERRORS as error:
        # One entity's query that fails is a failure of content; an endpoint that is gone stops the run.
        problem = Problem(type(error).__name__, str(error)[:300])
        return RejectedSeed(str(iri), type_iri, "endpoint", (problem,), metered.usage)


class MeteredModel:
    """A model that adds up the usage of one dialogue, also if the dialogue fails."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.usage = Usage()

    @property
    def name(self) -> str:
        """The name of the inner model."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete the request, and add its usage."""
        try:
            completion = self._model.complete(request)
        except ModelError as error:
            self.usage += error.usage or Usage()
            raise
        self.usage += completion.usage
        return completion
