"""Chatty-KG: a graph of agents that answers questions and conversations over any RDF knowledge graph."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chattykg.engine import ChattyEngine, Components, Engine, Settings
    from chattykg.qir import QIR

__all__ = ["QIR", "ChattyEngine", "Components", "Engine", "Settings"]

_MODULES = {
    "QIR": "chattykg.qir",
    "ChattyEngine": "chattykg.engine",
    "Components": "chattykg.engine",
    "Engine": "chattykg.engine",
    "Settings": "chattykg.engine",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that ``chattykg --help`` does not load the engine."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)
