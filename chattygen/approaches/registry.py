"""The ways of making a dialogue from a seed, by name; what fails on content becomes a rejected seed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from chattyshared.agent import Agent
from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue
from chattyshared.errors import QUERY_ERRORS, ModelError
from chattyshared.model import Completion, LanguageModel, Request, Usage
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from rdflib import URIRef

from chattygen.approaches import multi_stage, planned, simplified, single_shot
from chattygen.options import Options
from chattygen.rejection import RejectedSeed, SeedRejected
from chattygen.run import RunContext
from chattygen.sampling.label_predicates import CHOOSE_LABEL
from chattygen.stages.dialogues import REWRITE
from chattygen.stages.model_queries import WRITE_QUERY
from chattygen.stages.plan_verbalization import VERBALIZE
from chattygen.stages.questions import PROPOSE

DialogueMaker = Callable[[RunContext, URIRef, str, str], Dialogue]
"""From a run, a seed, the class that it was drawn for and the dialogue's id to the dialogue; raises ``Unfit``."""

DIALOGUE_MAKERS: Mapping[str, DialogueMaker] = {
    "planned": planned.make_dialogue,
    "multi-stage": multi_stage.make_dialogue,
    "simplified": simplified.make_dialogue,
    "single-shot": single_shot.make_dialogue,
}

APPROACH_AGENTS: Mapping[str, tuple[Agent, ...]] = {
    "planned": (VERBALIZE,),
    "multi-stage": (PROPOSE, REWRITE),
    "simplified": (simplified.ASK_QUESTIONS, simplified.BIND_QUESTION, REWRITE),
    "single-shot": (single_shot.WRITE_ALL,),
}
"""The agents of each approach, beside those for labels and for queries that a model writes."""


def agents_of(options: Options) -> tuple[Agent, ...]:
    """Return the agents that a run can ask: what their prompts say can change its results."""
    writer = (WRITE_QUERY,) if options.queries == "llm" and options.approach != "single-shot" else ()
    return (CHOOSE_LABEL, *APPROACH_AGENTS[options.approach], *writer)


def make_or_reject(run: RunContext, iri: URIRef, type_iri: str, identity: str) -> Dialogue | RejectedSeed:
    """Make a dialogue about one entity, or say at which stage and why that failed, and what it used.

    An unexpected exception rejects the entity at the stage ``internal``; its traceback goes to the trace.

    Raises:
        EndpointUnavailable: the endpoint is gone.
        ModelUnavailable: the model is gone.
        BudgetSpent: the run is cut short; this seed is not recorded but done again.
    """
    metered = MeteredModel(run.model)
    found = catch_unexpected(partial(_make, run, metered, iri, type_iri, identity))
    if not isinstance(found, UnexpectedError):
        return found
    found.record(run.trace, identity)
    return RejectedSeed(str(iri), type_iri, "internal", (Problem("unexpected", str(found)),), metered.usage)


def _make(run: RunContext, metered: MeteredModel, iri: URIRef, type_iri: str, identity: str) -> Dialogue | RejectedSeed:
    try:
        return DIALOGUE_MAKERS[run.options.approach](replace(run, model=metered), iri, type_iri, identity)
    except SeedRejected as unfit:
        return RejectedSeed(str(iri), type_iri, unfit.stage, unfit.problems, metered.usage)
    except QUERY_ERRORS as error:
        # One entity's query that fails is a failure of content; an endpoint that is gone stops the run.
        problem = Problem(type(error).__name__, str(error)[:300])
        return RejectedSeed(str(iri), type_iri, "endpoint", (problem,), metered.usage)


class MeteredModel:
    """A model that adds up what the making of one dialogue uses, also if it comes to nothing."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.usage = Usage()

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete, and add up what it used."""
        try:
            completion = self._model.complete(request)
        except ModelError as error:
            self.usage += error.usage or Usage()
            raise
        self.usage += completion.usage
        return completion
