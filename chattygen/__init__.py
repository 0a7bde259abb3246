"""Benchmarks of multi-turn dialogues from any RDF knowledge graph."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chattygen.options import Options
    from chattygen.pipeline import Made, generate
    from chattygen.recording import Tally, record
    from chattygen.rulebook import RULEBOOK

__all__ = ["RULEBOOK", "Made", "Options", "Tally", "generate", "record"]

_HOMES = {
    "RULEBOOK": "chattygen.rulebook",
    "Made": "chattygen.pipeline",
    "Options": "chattygen.options",
    "Tally": "chattygen.recording",
    "generate": "chattygen.pipeline",
    "record": "chattygen.recording",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: ``chattygen --help`` shall not wait for the whole generator."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
