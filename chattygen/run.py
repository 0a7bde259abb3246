"""What all dialogues of a run share: the KG, the model, the options, the naming, and what is read only once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import wraps
from random import Random
from threading import Lock
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from chattyshared.agent import Agent, CheckedReply
from chattyshared.check import Check
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.trace import Trace, TracedEndpoint, TracedModel
from rdflib import URIRef

from chattygen.context.facts import Fact, MissingFact
from chattygen.context.names import Bearers
from chattygen.context.neighbourhoods import Relations
from chattygen.context.predicate_salience import is_writable
from chattygen.context.subgraph import Scope
from chattygen.dialogue_language import DialogueLanguage
from chattygen.lexicalization.step_lexicalization import is_sayable_fact
from chattygen.rejection import reject_failures_at

RULES = "rules"
"""The name of the embedded rule model."""
MAX_CACHED = 60
"""Entities of each type that a run keeps."""
Stage = Literal["extraction", "labels", "questions", "queries", "dialogue"]
"""A stage of the generation, as the figures of a run name it; planning what is asked belongs to the questions."""
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class RunCache:
    """What a run reads only once; safe to use from several threads.

    ``name_bearers`` maps label predicates to the entities that bear a name. A type and the excluded predicates map to
    the outgoing triples of sampled entities in ``class_members``, to the facts that several of these have in
    ``common_facts``, and to those that only a similar class has in ``foreign_facts``. ``reached_turns`` counts the
    seeds that carry no plan, by the number of turns that they could carry; ``offered_forms`` the seeds among the
    ``planned_seeds`` that offer each form, and ``reached_shares`` sums the greatest share of it, 0..1, in a draft of
    each of them. The content depends on the seed of the run and on the type, not on the order of the requests.
    """

    def __init__(self) -> None:
        self.name_bearers: dict[frozenset[str], Bearers] = {}
        self.class_members: dict[tuple[str, frozenset[str]], Mapping[URIRef, Relations]] = {}
        self.common_facts: dict[tuple[str, frozenset[str]], tuple[MissingFact, ...]] = {}
        self.foreign_facts: dict[tuple[str, frozenset[str]], tuple[MissingFact, ...]] = {}
        self.class_contexts: dict[Any, Any] = {}
        self.reached_turns: Counter[int] = Counter()
        self.offered_forms: Counter[str] = Counter()
        self.reached_shares: Counter[str] = Counter()
        self.planned_seeds = 0
        self._entities: dict[tuple[int, str], tuple[URIRef, ...]] = {}
        self._lock = Lock()

    def with_own_counts(self) -> RunCache:
        """Return a view that shares what was read and has its own ``reached_turns``."""
        view = copy(self)
        view.reached_turns = Counter()
        return view

    def sample_entities(
        self, kg: KnowledgeGraph, type_iri: str, *, seed: int, rng: Random, number: int
    ) -> list[URIRef]:
        """Return up to ``number`` entities of a type, drawn at random.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        key = (seed, type_iri)
        with self._lock:
            if key not in self._entities:
                sample = kg.sample_entities(type_iri, rng=Random(f"{seed}/stock/{type_iri}"), limit=MAX_CACHED)
                self._entities[key] = tuple(sorted(iri for iri in sample if is_writable(iri)))
            entities = self._entities[key]
        return rng.sample(entities, min(number, len(entities)))


@dataclass(frozen=True, slots=True)
class RunContext(Scope):
    """What all dialogues of a run share; ``rewording`` words the turns whose words by the model do not pass."""

    model: LanguageModel
    trace: Trace = field(default_factory=Trace)
    cache: RunCache = field(default_factory=RunCache)
    rewording: LanguageModel | None = None

    @property
    def language(self) -> DialogueLanguage:
        """The language in which questions are written; the first of the options."""
        return DialogueLanguage(*self.options.lang[:1])

    @property
    def is_worded_by_rules(self) -> bool:
        """Whether the embedded rules put the questions into words: then only what these can say is asked."""
        default, *assigned = self.model.name.split(", ")
        by_stage = dict(part.split("=", 1) for part in assigned if "=" in part)
        return by_stage.get("dialogues", default) == RULES

    def is_sayable(self, fact: Fact, kinds: tuple[str, ...]) -> bool:
        """Tell whether a fact of an entity with some class labels can be put into words."""
        return not self.is_worded_by_rules or is_sayable_fact(fact, kinds)

    def ask(self, agent: Agent, stage: str, variables: Mapping[str, Any], *checks: Check) -> CheckedReply:
        """Ask the model of the run by an agent, with more checks of its reply.

        Raises:
            SeedRejected: no reply passed the checks, the prompt is too long, or the model refused.
            ModelError: the model fails.
        """
        with reject_failures_at(stage):
            return replace(agent, checks=(*agent.checks, *checks))(self.model, variables, theta=self.options.theta)

    def in_language(self, tag: str) -> RunContext:
        """Return the same run with its questions in one of its languages."""
        return replace(self, options=replace(self.options, lang=(tag,)))

    def traced_at(self, span: str) -> RunContext:
        """Return the same run with its model and its endpoint traced at a span."""
        endpoint = TracedEndpoint(self.kg.endpoint, self.trace, span)
        rewording = None if self.rewording is None else TracedModel(self.rewording, self.trace, span)
        model = TracedModel(self.model, self.trace, span)
        return replace(self, model=model, rewording=rewording, kg=self.kg.with_endpoint(endpoint))


def in_stage(
    stage: Stage,
) -> Callable[
    [Callable[Concatenate[RunContext, Arguments], Result]], Callable[Concatenate[RunContext, Arguments], Result]
]:
    """Return a decorator of functions whose first argument is the run: their time is that of a stage in its trace."""

    def decorate(
        function: Callable[Concatenate[RunContext, Arguments], Result],
    ) -> Callable[Concatenate[RunContext, Arguments], Result]:
        @wraps(function)
        def timed(run: RunContext, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            with run.trace.stage(stage):
                return function(run, *args, **kwargs)

        return timed

    return decorate
