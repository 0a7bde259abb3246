"""The ways of making a dialogue from a seed, by name; what fails on content becomes a rejected seed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from chattyshared.agent import Agent
from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue
from chattyshared.errors import OF_ONE_QUERY, ModelError
from chattyshared.model import Completion, LanguageModel, Request, Usage
from chattyshared.runs.containment import Unexpected, attempt
from rdflib import URIRef

from chattygen.approaches import multi_stage, planned, simplified, single_shot
from chattygen.options import Options
from chattygen.rejection import Rejected, Unfit
from chattygen.run import Run
from chattygen.sampling.label_predicates import CHOOSE
from chattygen.stages.dialogues import REWRITE
from chattygen.stages.model_queries import WRITE
from chattygen.stages.plan_verbalization import WORDS
from chattygen.stages.questions import PROPOSE

Maker = Callable[[Run, URIRef, str, str], Dialogue]
"""From a run, a seed, the class that it was drawn for and the dialogue's id to the dialogue; raises ``Unfit``."""

MAKERS: Mapping[str, Maker] = {
    "planned": planned.make,
    "multi-stage": multi_stage.make,
    "simplified": simplified.make,
    "single-shot": single_shot.make,
}

AGENTS: Mapping[str, tuple[Agent, ...]] = {
    "planned": (WORDS,),
    "multi-stage": (PROPOSE, REWRITE),
    "simplified": (simplified.ASK, simplified.BIND, REWRITE),
    "single-shot": (single_shot.WRITE_ALL,),
}
"""The agents of each approach, beside those for labels and for queries that a model writes."""


def agents(options: Options) -> tuple[Agent, ...]:
    """Return the agents that a run can ask: what their prompts say can change its results."""
    writer = (WRITE,) if options.queries == "llm" and options.approach != "single-shot" else ()
    return (CHOOSE, *AGENTS[options.approach], *writer)


def make(run: Run, iri: URIRef, type_iri: str, identity: str) -> Dialogue | Rejected:
    """Make a dialogue about one entity, or say at which stage and why that failed, and what it used.

    An unexpected exception rejects the entity at the stage ``internal``; its traceback goes to the trace.

    Raises:
        EndpointUnavailable: the endpoint is gone.
        ModelUnavailable: the model is gone.
        BudgetSpent: the run is cut short; this seed is not recorded but done again.
    """
    metered = Metered(run.model)
    found = attempt(partial(_make, run, metered, iri, type_iri, identity))
    if not isinstance(found, Unexpected):
        return found
    found.record(run.trace, identity)
    return Rejected(str(iri), type_iri, "internal", (Problem("unexpected", str(found)),), metered.usage)


def _make(run: Run, metered: Metered, iri: URIRef, type_iri: str, identity: str) -> Dialogue | Rejected:
    try:
        return MAKERS[run.options.approach](replace(run, model=metered), iri, type_iri, identity)
    except Unfit as unfit:
        return Rejected(str(iri), type_iri, unfit.stage, unfit.problems, metered.usage)
    except OF_ONE_QUERY as error:
        # One entity's query that fails is a failure of content; an endpoint that is gone stops the run.
        problem = Problem(type(error).__name__, str(error)[:300])
        return Rejected(str(iri), type_iri, "endpoint", (problem,), metered.usage)


class Metered:
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
