"""Benchmarks of multi-turn dialogues from any RDF knowledge graph."""

from chattygen.options import Options
from chattygen.pipeline import Made, generate
from chattygen.recording import Tally, record
from chattygen.rulebook import RULEBOOK

__all__ = ["RULEBOOK", "Made", "Options", "Tally", "generate", "record"]
