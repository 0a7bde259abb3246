"""Chatty-KG: a graph of agents that answers questions and conversations over any RDF knowledge graph."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chattyshared.dialogue import Answer
    from chattyshared.errors import ChattyError
    from chattyshared.resources import open_kg

    from chattykg.chat import Chat
    from chattykg.engine import ChattyEngine, Components, Engine, Settings
    from chattykg.evaluation.evaluate import evaluate
    from chattykg.evaluation.system_runs import Answers
    from chattykg.qir import QIR
    from chattykg.runs.answering import answer

    __version__: str

__all__ = [
    "QIR", "Answer", "Answers", "Chat", "ChattyEngine", "ChattyError", "Components", "Engine", "Settings", "answer",
    "evaluate", "open_kg",
]  # fmt: skip

_MODULES = {
    "QIR": "chattykg.qir", "Answer": "chattyshared.dialogue", "Answers": "chattykg.evaluation.system_runs",
    "Chat": "chattykg.chat", "ChattyEngine": "chattykg.engine", "ChattyError": "chattyshared.errors",
    "Components": "chattykg.engine", "Engine": "chattykg.engine", "Settings": "chattykg.engine",
    "answer": "chattykg.runs.answering", "evaluate": "chattykg.evaluation.evaluate",
    "open_kg": "chattyshared.resources",
}  # fmt: skip


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that ``chattykg --help`` does not load the engine."""
    if name == "__version__":
        from importlib.metadata import version

        return version("chattykg")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return sorted({*globals(), *__all__, "__version__"})
