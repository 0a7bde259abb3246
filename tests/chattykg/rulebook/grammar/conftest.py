"""An invented graph for the grammar's tests."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from invented_graphs import GRAPHS, PREFIXES


@pytest.fixture(scope="session")
def cinema(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path = tmp_path_factory.mktemp("grammar") / "cinema.ttl"
    path.write_text(PREFIXES + GRAPHS["cinema"], encoding="utf-8")
    return open_kg([str(path)])
