"""The engine protocol and the multi-agent engine: a question and its history go in, an answer comes out."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from chattyshared.dialogue import Answer, History
from chattyshared.endpoint.result_cache import MemoizedEndpoint
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel, Usage
from chattyshared.trace import Trace, TracedEndpoint, TracedModel

from chattykg.agents.opinions import weigh_opinions
from chattykg.agents.turns import join_results
from chattykg.experience.experience_file import ExampleSource
from chattykg.graph import AGENTS, compile_turn_graph
from chattykg.linking.similarity import LexicalSimilarity, Similarity
from chattykg.settings import Settings
from chattykg.state import AgentContext, AgentFunction, EngineResult, SystemMode, Verification
from chattykg.steps import AnswerProgress, StoppableEndpoint, StoppableModel
from chattykg.strategies import find_model_strategy, order_strategies

__all__ = ["ChattyEngine", "Components", "Engine", "Settings", "EngineResult"]


class Engine(Protocol):
    """Answers questions over one KG; several threads may call it at once."""

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question; ``span`` names it in the trace.

        Raises:
            EndpointError, ModelError: the KG or a model failed. A question without an answer is an empty ``Answer``.
        """


@runtime_checkable
class ConversationEngine(Engine, Protocol):
    """An engine that looks less up where one thread asks it the questions of one conversation in order."""

    def for_conversation(self) -> Engine:
        """Return the engine for one conversation."""


def engine_for_conversation(engine: Engine) -> Engine:
    """Return the engine for one conversation, if it makes a difference to it."""
    return engine.for_conversation() if isinstance(engine, ConversationEngine) else engine


@dataclass(frozen=True, slots=True)
class Components:
    """The parts of an engine that can be replaced.

    ``models`` gives single agents (``qir``) a model of their own; ``agents`` replaces nodes of the graph by other
    functions; ``similarity`` compares relation phrases with predicates; ``examples`` finds solved questions for
    prompts; ``verification`` judges the queries of answers; ``second_opinion`` is a model that answers in stages what a
    small model has answered with the strategy ``auto``.
    """

    models: Mapping[str, LanguageModel] = field(default_factory=dict)
    agents: Mapping[str, AgentFunction] = field(default_factory=dict)
    similarity: Similarity = field(default_factory=LexicalSimilarity)
    examples: ExampleSource | None = None
    verification: Verification | None = None
    second_opinion: LanguageModel | None = None


class ChattyEngine(AbstractContextManager["ChattyEngine"]):
    """The multi-agent engine over one KG; one graph serves all threads and is compiled at the first question.

    As a context it ends the processes of its KG in the end.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        model: LanguageModel,
        *,
        mode: SystemMode = "multi",
        settings: Settings | None = None,
        components: Components | None = None,
        trace: Trace | None = None,
    ) -> None:
        """Make an engine; in ``mode`` ``single`` it ignores the history, ``components`` replaces parts of it."""
        components = components or Components()
        self.kg, self.mode, self.settings = kg, mode, settings or Settings()
        self._models: Mapping[str, LanguageModel] = {"": model, **components.models}
        self._agents = {**AGENTS, **components.agents}
        self._similarity, self._examples = components.similarity, components.examples
        self._verification, self._second_opinion = components.verification, components.second_opinion
        self._trace = trace or Trace()
        self._lock = threading.Lock()
        self._graph: Any = None

    @property
    def graph(self) -> Any:
        """The compiled LangGraph graph."""
        with self._lock:
            if self._graph is None:
                self._graph = compile_turn_graph(self._agents)
            return self._graph

    def for_conversation(self) -> ChattyEngine:
        """Return the engine for questions that follow one another: a follow-up knows what earlier ones looked up."""
        engine = copy(self)
        engine._graph, engine.kg = self.graph, self.kg.for_conversation()
        return engine

    def __exit__(self, *_: object) -> None:
        self.kg.close()

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question; ``span`` names it in the trace.

        Raises:
            EndpointError, ModelError: the KG or a model failed. A question without an answer is an empty ``Answer``.
        """
        return self.answer_with_trace(question, history, span=span).answer

    def answer_with_trace(
        self, question: str, history: History = (), *, span: str = "answer", progress: AnswerProgress | None = None
    ) -> EngineResult:
        """Answer one question, and return its representation too; ``progress`` takes the steps and can stop the work.

        Raises:
            EndpointError, ModelError: as ``answer`` does.
            AnswerStopped, BudgetSpent: the stop signal of ``progress`` was set; a call in progress is finished first.
        """
        started = time.perf_counter()
        progress = progress or AnswerProgress()
        endpoint = TracedEndpoint(StoppableEndpoint(self.kg.endpoint, progress), self._trace, span)
        models = {
            name: StoppableModel(TracedModel(model, self._trace, span), progress)
            for name, model in self._models.items()
        }
        writer = models.get("direct", models[""]).name
        kg = self.kg.with_endpoint(MemoizedEndpoint(endpoint), shares_terms=True)
        context = AgentContext(
            kg, models, self.settings, self._similarity, order_strategies(self.settings.strategy, writer),
            progress=progress, examples=self._examples, verification=self._verification,
        )  # fmt: skip
        opening = {"question": question, "history": tuple(history), "system_mode": self.mode}
        result = join_results(self.graph.invoke(opening, context=context)["results"])
        has_second = self.settings.strategy == "auto" and find_model_strategy(writer).is_small
        if self._second_opinion is not None and has_second:
            second: LanguageModel = StoppableModel(TracedModel(self._second_opinion, self._trace, span), progress)
            rules = replace(context, models={"": second}, strategies=("staged",), usage=Usage())
            other = join_results(self.graph.invoke(opening, context=rules)["results"])
            result = replace(result, answer=weigh_opinions(result.answer, other.answer))
            context.candidate_queries = rules.candidate_queries
        answer = replace(
            result.answer,
            queries=endpoint.query_count,
            candidate_queries=context.candidate_queries,
            usage=context.usage,
            stages=context.to_stages(),
            seconds=time.perf_counter() - started,
        )
        return replace(result, answer=answer)
