"""The served data sets: each answers queries and turns of conversations, without HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.dialogue import History
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel

from chattykg.engine import ChattyEngine
from chattykg.presentation.answers import Presenter, find_class_labels
from chattykg.service.engine_processes import ProcessEngine
from chattykg.service.turns import ServedTurn
from chattykg.steps import AnswerProgress, StoppableModel


@dataclass(frozen=True, slots=True)
class ServedDataset:
    """A knowledge graph with its name for clients, its engine, and the model that verbalizes answers (or None)."""

    name: str
    kg: KnowledgeGraph
    engine: ChattyEngine | ProcessEngine
    verbalizer: LanguageModel | None = None

    def answer_turn(self, question: str, history: History = (), progress: AnswerProgress | None = None) -> ServedTurn:
        """Answer a question of a conversation, for people.

        Raises:
            EndpointError, ModelError: the endpoint or the model failed.
            AnswerStopped, BudgetSpent: ``progress`` stopped the work.
        """
        progress = progress or AnswerProgress()
        result = self.engine.answer_with_trace(question, history, span="chat", progress=progress)
        verbalizer = self.verbalizer and StoppableModel(self.verbalizer, progress)
        answer = Presenter(self.kg, verbalizer).present(question, result.answer, history)
        return ServedTurn(question, replace(result, answer=answer), find_class_labels(answer, self.kg))

    def find_query(self, question: str, progress: AnswerProgress | None = None) -> ServedTurn:
        """Answer a question for its query alone. Nothing is asked back.

        Raises:
            EndpointError, ModelError: the endpoint or the model failed.
            AnswerStopped, BudgetSpent: ``progress`` stopped the work.
        """
        return ServedTurn(question, self.engine.answer_with_trace(question, span="text2sparql", progress=progress))

    def to_json(self) -> dict[str, Any]:
        """Return the description of the data set for clients."""
        return {"name": self.name, "kg": self.kg.name, "triples": self.kg.count_triples()}


@dataclass(frozen=True, slots=True)
class DatasetRegistry:
    """All served data sets by name; ``model`` is the name of the model."""

    datasets: Mapping[str, ServedDataset]
    model: str

    def describe_names(self) -> str:
        """Return a phrase that names the data sets."""
        return f"there is {', '.join(self.datasets)}" if len(self.datasets) < 9 else "GET /health lists them"
