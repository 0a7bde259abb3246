from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model import Completion, Request, Usage

from chattykg.engine import ChattyEngine, Components, Settings
from chattykg.rulebook import agent_rules

GRAPHS = Path(__file__).with_name("graphs")


class Scripted:
    """A model whose QIR is given; matching and planning follow the rules, and every call is kept."""

    name = "scripted"

    def __init__(self, replies: Mapping[str, Any]) -> None:
        self.replies = dict(replies)
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        rules = {"answer/matching": agent_rules.choose_entities, "answer/planning": agent_rules.choose_predicates}
        reply = self.replies.get(request.agent)
        if reply is None:
            reply = rules[request.agent](request)
        if isinstance(reply, list):
            reply = reply[min(request.attempt, len(reply)) - 1]
        return Completion(reply if isinstance(reply, str) else json.dumps(reply), Usage(1, 10, 5))


@pytest.fixture(scope="session")
def open_graph(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], KnowledgeGraph]:
    """Open a graph of ``graphs/`` by its name, the demo graph, or Turtle; the same one for the same source."""
    opened: dict[str, KnowledgeGraph] = {}

    def open_source(source: str) -> KnowledgeGraph:
        if source not in opened:
            path = GRAPHS / f"{source}.ttl"
            if " " in source:
                path = tmp_path_factory.mktemp("graph") / "graph.ttl"
                path.write_text(source, encoding="utf-8")
            opened[source] = open_kg([source if source == "demo" else str(path)])
        return opened[source]

    return open_source


@pytest.fixture(scope="session")
def ships(open_graph: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    return open_graph("ships")


@pytest.fixture(scope="session")
def demo(open_graph: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    return open_graph("demo")


@pytest.fixture
def scripted() -> Callable[..., Scripted]:
    return lambda **replies: Scripted({f"answer/{agent}": reply for agent, reply in replies.items()})


@pytest.fixture
def asked(ships: KnowledgeGraph) -> Callable[..., Any]:
    """Answer a question whose QIR is given."""

    def ask(question: str, settings: Settings | None = None, **qir: Any) -> Any:
        said = {"shape": "list", "target": "?x", "triples": []} | qir
        model = Scripted({"answer/qir": said})
        return ChattyEngine(ships, model, settings=settings, components=Components()).answer(question)

    return ask
