"""What the service does with a question, apart from HTTP: data sets by name, queries, and turns of conversations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.dialogue import History
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel

from chattykg.agents.verbalizer import verbalize_answer, verbalize_by_template
from chattykg.conversation.language_id import detect_conversation_language
from chattykg.engine import ChattyEngine
from chattykg.service.turns import ServedTurn


@dataclass(frozen=True, slots=True)
class ServedDataset:
    """A knowledge graph under the name that clients ask for, its engine, and the model that says answers (or none)."""

    name: str
    kg: KnowledgeGraph
    engine: ChattyEngine
    verbalizer: LanguageModel | None = None

    def answer_turn(self, question: str, history: History) -> ServedTurn:
        """Answer a question of a conversation.

        Raises:
            EndpointError, ModelError: the world failed.
        """
        worked = self.engine.answer_with_trace(question, history, span="chat")
        answer = worked.answer
        if self.verbalizer is None:
            return ServedTurn(question, worked, verbalize_by_template(answer))
        told = verbalize_answer(
            answer.standalone or question, answer, self.verbalizer, detect_conversation_language(question, history)
        )
        return ServedTurn(question, worked, told)

    def query_for(self, question: str) -> str:
        """Return the query that answers a question; empty where none is known.

        Raises:
            EndpointError, ModelError: the world failed.
        """
        answer = self.engine.answer(question, span="text2sparql")
        return answer.sparql if answer.values else ""

    def to_json(self) -> dict[str, Any]:
        """Return what a client is told of the data set."""
        return {"name": self.name, "kg": self.kg.name, "triples": self.kg.count_triples()}


@dataclass(frozen=True, slots=True)
class DatasetRegistry:
    """All data sets that are served; ``model`` is the name of the model."""

    datasets: Mapping[str, ServedDataset]
    model: str

    def find(self, name: str) -> ServedDataset | None:
        """Return a data set; without a name the only one."""
        if not name and len(self.datasets) == 1:
            return next(iter(self.datasets.values()))
        return self.datasets.get(name)

    def describe_names(self) -> str:
        """Say which data sets there are."""
        return f"there is {', '.join(self.datasets)}" if len(self.datasets) < 9 else "GET /health lists them"
