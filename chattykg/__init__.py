"""Chatty-KG: questions and conversations over any RDF knowledge graph, answered by a graph of agents."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chattykg.engine import ChattyEngine, Components, Engine, Settings
    from chattykg.qir import QIR

__all__ = ["QIR", "ChattyEngine", "Components", "Engine", "Settings"]

_HOMES = {
    "QIR": "chattykg.qir",
    "ChattyEngine": "chattykg.engine",
    "Components": "chattykg.engine",
    "Engine": "chattykg.engine",
    "Settings": "chattykg.engine",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: ``chattykg --help`` shall not wait for the whole engine."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
