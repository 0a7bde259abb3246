"""The kinds of defects are listed in the documentation."""

from __future__ import annotations

from pathlib import Path

from chattygen.lint import DEFECT_KINDS
from chattygen.lint.report import KINDS_BY_GRAPH

DOCS = Path(__file__).parents[3] / "docs" / "files.md"


def test_the_documentation_lists_every_kind_with_its_meaning() -> None:
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("| `")][-len(DEFECT_KINDS) :] == [
        f"| `{kind}` | {meaning} |" for kind, meaning in DEFECT_KINDS.items()
    ]


def test_kinds_that_only_a_graph_shows_are_kinds() -> None:
    assert set(DEFECT_KINDS) >= KINDS_BY_GRAPH
