"""What an engine is, and the engine itself: a question and the conversation so far go in, an answer comes out."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from chattykg.graph import AGENTS, compiled
from chattykg.linking.similarity import Lexical, Similarity
from chattykg.state import AgentFunction, AgentState, Desk, Mode, Settings
from chattyshared.dialogue import Answer, History
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.trace import Trace, TracedEndpoint, TracedModel

__all__ = ["ChattyEngine", "Engine", "Settings"]


class Engine(Protocol):
    """Answers questions over one KG; safe to call from several threads at once."""

    def answer(self, question: str, history: History = (), *, place: str = "answer") -> Answer:
        """Answer one question; ``place`` names it in the trace.

        Raises:
            EndpointError, ModelError: the world failed; a question that cannot be answered is an empty ``Answer``.
        """


class ChattyEngine:
    """The multi-agent engine over one KG; one graph, compiled at the first question, serves all threads."""

    def __init__(
        self,
        kg: KnowledgeGraph,
        model: LanguageModel,
        *,
        mode: Mode = "multi",
        settings: Settings | None = None,
        models: Mapping[str, LanguageModel] | None = None,
        agents: Mapping[str, AgentFunction] | None = None,
        similarity: Similarity | None = None,
        trace: Trace | None = None,
    ) -> None:
        """Make an engine.

        ``models`` gives single agents (``qir``) a model of their own; ``agents`` replaces agents of the graph by other
        functions; ``mode`` ``single`` answers each question by itself.
        """
        self.kg, self.mode, self.settings = kg, mode, settings or Settings()
        self._models: Mapping[str, LanguageModel] = {"": model, **(models or {})}
        self._agents = {**AGENTS, **(agents or {})}
        self._similarity = similarity or Lexical()
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
        began = time.perf_counter()
        endpoint = TracedEndpoint(self.kg.endpoint, self._trace, place)
        models = {name: TracedModel(model, self._trace, place) for name, model in self._models.items()}
        desk = Desk(self.kg.through(endpoint), models, self.settings, self._similarity)
        start: AgentState = {"question": question, "history": tuple(history), "system_mode": self.mode}
        final: AgentState = self.graph.invoke(start, context=desk)
        return replace(
            final["answer"],
            standalone=final.get("standalone", ""),
            queries=endpoint.queries,
            usage=desk.usage,
            stages=desk.stages(),
            seconds=time.perf_counter() - began,
        )
