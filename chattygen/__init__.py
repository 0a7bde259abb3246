"""Benchmarks of multi-turn dialogues from any RDF knowledge graph."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chattygen.choices import options_of
    from chattygen.dry_run import estimate
    from chattygen.ledger import Tally
    from chattygen.models import by_stage
    from chattygen.options import Options
    from chattygen.pipeline import generate
    from chattygen.recording import record
    from chattygen.rulebook import RULEBOOK
    from chattygen.settings import SETTINGS
    from chattygen.workshop import Made

__all__ = [
    "RULEBOOK", "SETTINGS", "Made", "Options", "Tally", "by_stage", "estimate", "generate", "options_of", "record",
]  # fmt: skip

_HOMES = {
    "RULEBOOK": "chattygen.rulebook",
    "SETTINGS": "chattygen.settings",
    "Made": "chattygen.workshop",
    "Options": "chattygen.options",
    "Tally": "chattygen.ledger",
    "by_stage": "chattygen.models",
    "estimate": "chattygen.dry_run",
    "generate": "chattygen.pipeline",
    "options_of": "chattygen.choices",
    "record": "chattygen.recording",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: ``chattygen --help`` shall not wait for the whole generator."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
