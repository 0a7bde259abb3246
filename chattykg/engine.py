"""What an engine is, and the engine itself: a question and the conversation so far go in, an answer comes out."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from chattyshared.dialogue import Answer, History
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.trace import Trace, TracedEndpoint, TracedModel

from chattykg.graph import AGENTS, compiled
from chattykg.linking.similarity import Lexical, Similarity
from chattykg.qir import QIR
from chattykg.state import AgentFunction, AgentState, Desk, Mode, Settings
from chattykg.strategies import order

__all__ = ["ChattyEngine", "Crew", "Engine", "Settings", "Worked"]


class Engine(Protocol):
    """Answers questions over one KG; safe to call from several threads at once."""

    def answer(self, question: str, history: History = (), *, place: str = "answer") -> Answer:
        """Answer one question; ``place`` names it in the trace.

        Raises:
            EndpointError, ModelError: the world failed; a question that cannot be answered is an empty ``Answer``.
        """


@dataclass(frozen=True, slots=True)
class Crew:
    """Who works in an engine besides its model.

    ``models`` gives single agents (``qir``) a model of their own; ``agents`` puts other functions in the place of
    agents of the graph; ``similarity`` compares relation phrases with predicates.
    """

    models: Mapping[str, LanguageModel] = field(default_factory=dict)
    agents: Mapping[str, AgentFunction] = field(default_factory=dict)
    similarity: Similarity = field(default_factory=Lexical)


@dataclass(frozen=True, slots=True)
class Worked:
    """An answer, and how its question was represented; None where no representation was made."""

    answer: Answer
    qir: QIR | None = None


class ChattyEngine:
    """The multi-agent engine over one KG; one graph, compiled at the first question, serves all threads."""

    def __init__(
        self,
        kg: KnowledgeGraph,
        model: LanguageModel,
        *,
        mode: Mode = "multi",
        settings: Settings | None = None,
        crew: Crew | None = None,
        trace: Trace | None = None,
    ) -> None:
        """Make an engine; ``mode`` ``single`` answers each question by itself, ``crew`` replaces parts of it."""
        crew = crew or Crew()
        self.kg, self.mode, self.settings = kg, mode, settings or Settings()
        self._models: Mapping[str, LanguageModel] = {"": model, **crew.models}
        self._agents = {**AGENTS, **crew.agents}
        self._similarity = crew.similarity
        self._trace = trace or Trace()
        self._lock = threading.Lock()
        self._graph: Any = None

    @property
    def graph(self) -> Any:
        """The compiled LangGraph graph."""
        with self._lock:
            if self._graph is None:
                self._graph = compiled(self._agents)
            return self._graph

    def answer(self, question: str, history: History = (), *, place: str = "answer") -> Answer:
        """Answer one question; ``place`` names it in the trace.

        Raises:
            EndpointError, ModelError: the world failed; a question that cannot be answered is an empty ``Answer``.
        """
        return self.work(question, history, place=place).answer

    def work(self, question: str, history: History = (), *, place: str = "answer") -> Worked:
        """Answer one question, and tell how it was represented.

        Raises:
            EndpointError, ModelError: as ``answer`` does.
        """
        began = time.perf_counter()
        endpoint = TracedEndpoint(self.kg.endpoint, self._trace, place)
        models = {name: TracedModel(model, self._trace, place) for name, model in self._models.items()}
        strategies = order(self.settings.strategy, models.get("direct", models[""]).name)
        desk = Desk(self.kg.through(endpoint), models, self.settings, self._similarity, strategies)
        start: AgentState = {"question": question, "history": tuple(history), "system_mode": self.mode}
        final: AgentState = self.graph.invoke(start, context=desk)
        answer = replace(
            final["answer"],
            standalone=final.get("standalone", ""),
            queries=endpoint.queries,
            candidate_queries=desk.candidate_queries,
            usage=desk.usage,
            stages=desk.stages(),
            seconds=time.perf_counter() - began,
        )
        return Worked(answer, final.get("qir"))
