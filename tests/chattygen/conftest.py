"""Knowledge graphs for the generator's tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from ship_graph import ships


@pytest.fixture
def open_turtle(tmp_path: Path) -> Callable[[str], KnowledgeGraph]:
    """Return a function that opens a Turtle text as a knowledge graph."""

    def opened(text: str) -> KnowledgeGraph:
        path = tmp_path / "graph.ttl"
        path.write_text(text, encoding="utf-8")
        return open_kg([str(path)])

    return opened


@pytest.fixture
def ships_kg(open_turtle: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    """Return the graph of ships."""
    return open_turtle(ships())
