"""The small invented graphs of ``tests/chattykg/graphs``, each opened once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

GRAPHS = Path(__file__).with_name("chattykg") / "graphs"


@cache
def open_graph(name: str) -> KnowledgeGraph:
    """Open the graph of a name, such as ``talks/cinema``."""
    return open_kg([str(GRAPHS / f"{name}.ttl")])
