"""Benchmarks of multi-turn dialogues from any RDF knowledge graph."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chattyshared.benchmark import Benchmark

    from chattygen.generation import generate, load_benchmark
    from chattygen.option_parsing import parse_options
    from chattygen.options import OPTION_SPECS, Options
    from chattygen.rulebook import RULEBOOK
    from chattygen.runs.accounting import GenerationCounts, estimate_generation
    from chattygen.runs.recording import record_run
    from chattygen.runs.slots import SlotResult
    from chattygen.stage_models import open_stage_models

    __version__: str

__all__ = [
    "RULEBOOK", "OPTION_SPECS", "Benchmark", "SlotResult", "Options", "GenerationCounts", "open_stage_models",
    "estimate_generation", "generate", "load_benchmark", "parse_options", "record_run",
]  # fmt: skip

_MODULE_OF = {
    "RULEBOOK": "chattygen.rulebook", "Benchmark": "chattyshared.benchmark", "SlotResult": "chattygen.runs.slots",
    "Options": "chattygen.options", "OPTION_SPECS": "chattygen.options", "parse_options": "chattygen.option_parsing",
    "GenerationCounts": "chattygen.runs.accounting", "estimate_generation": "chattygen.runs.accounting",
    "open_stage_models": "chattygen.stage_models", "record_run": "chattygen.runs.recording",
    "generate": "chattygen.generation", "load_benchmark": "chattygen.generation",
}  # fmt: skip


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: ``chattygen --help`` does not load the whole generator."""
    if name == "__version__":
        from importlib.metadata import version

        return version("chattykg")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return sorted({*globals(), *__all__, "__version__"})
