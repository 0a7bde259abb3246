"""Lint benchmarks of dialogues: rules for each family of defects, and a model that reads them."""

from __future__ import annotations

from chattygen.lint.lint_context import LintGraph, open_lint_graph
from chattygen.lint.model_judge import ModelJudge
from chattygen.lint.readers import LintSource, read_source
from chattygen.lint.report import LintReport
from chattygen.lint.runner import lint_dialogue, lint_source

__all__ = [
    "LintGraph",
    "LintReport",
    "LintSource",
    "ModelJudge",
    "lint_source",
    "lint_dialogue",
    "open_lint_graph",
    "read_source",
]
