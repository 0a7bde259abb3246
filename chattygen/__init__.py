"""Benchmarks of multi-turn dialogues from any RDF knowledge graph."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chattygen.option_parsing import options_of
    from chattygen.option_specs import SETTINGS
    from chattygen.options import Options
    from chattygen.pipeline import generate
    from chattygen.rulebook import RULEBOOK
    from chattygen.runs.accounting import Tally
    from chattygen.runs.cost_estimate import estimate
    from chattygen.runs.recording import record
    from chattygen.runs.slots import Made
    from chattygen.stage_models import by_stage

__all__ = [
    "RULEBOOK", "SETTINGS", "Made", "Options", "Tally", "by_stage", "estimate", "generate", "options_of", "record",
]  # fmt: skip

_HOMES = {
    "RULEBOOK": "chattygen.rulebook",
    "SETTINGS": "chattygen.option_specs",
    "Made": "chattygen.runs.slots",
    "Options": "chattygen.options",
    "Tally": "chattygen.runs.accounting",
    "by_stage": "chattygen.stage_models",
    "estimate": "chattygen.runs.cost_estimate",
    "generate": "chattygen.pipeline",
    "options_of": "chattygen.option_parsing",
    "record": "chattygen.runs.recording",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: ``chattygen --help`` shall not wait for the whole generator."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
