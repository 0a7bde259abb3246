"""Lint benchmarks of dialogues: one set of rules for each family of defects."""

from __future__ import annotations

from chattygen.lint.kg_facts import LintGraph, open_lint_graph
from chattygen.lint.readers import LintSource, read_source
from chattygen.lint.report import DEFECT_KINDS, LintReport
from chattygen.lint.runner import lint_dialogue, lint_source

__all__ = [
    "DEFECT_KINDS",
    "LintGraph",
    "LintReport",
    "LintSource",
    "lint_source",
    "lint_dialogue",
    "open_lint_graph",
    "read_source",
]
