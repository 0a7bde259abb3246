"""What the service does with a question, apart from HTTP: data sets by name, queries, and turns of conversations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.dialogue import History
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel

from chattykg.agents.verbalizer import by_template, say
from chattykg.conversation.language_id import spoken_in
from chattykg.engine import ChattyEngine
from chattykg.service.turns import Turn


@dataclass(frozen=True, slots=True)
class Dataset:
    """A knowledge graph under the name that clients ask for, its engine, and the model that says answers (or none)."""

    name: str
    kg: KnowledgeGraph
    engine: ChattyEngine
    speaker: LanguageModel | None = None

    def turn(self, question: str, history: History) -> Turn:
        """Answer a question of a conversation.

        Raises:
            EndpointError, ModelError: the world failed.
        """
        worked = self.engine.work(question, history, place="chat")
        answer = worked.answer
        if self.speaker is None:
            return Turn(question, worked, by_template(answer))
        told = say(answer.standalone or question, answer, self.speaker, spoken_in(question, history))
        return Turn(question, worked, told)

    def query(self, question: str) -> str:
        """Return the query that answers a question; empty where none is known.

        Raises:
            EndpointError, ModelError: the world failed.
        """
        answer = self.engine.answer(question, place="text2sparql")
        return answer.sparql if answer.values else ""

    def about(self) -> dict[str, Any]:
        """Return what a client is told of the data set."""
        return {"name": self.name, "kg": self.kg.name, "triples": self.kg.size()}


@dataclass(frozen=True, slots=True)
class Desk:
    """All data sets that are served; ``model`` is the name of the model."""

    datasets: Mapping[str, Dataset]
    model: str

    def find(self, name: str) -> Dataset | None:
        """Return a data set; without a name the only one."""
        if not name and len(self.datasets) == 1:
            return next(iter(self.datasets.values()))
        return self.datasets.get(name)

    def known(self) -> str:
        """Say which data sets there are."""
        return f"there is {', '.join(self.datasets)}" if len(self.datasets) < 9 else "GET /health lists them"
