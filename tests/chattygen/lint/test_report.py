"""The kinds of defects are listed in the documentation."""

from __future__ import annotations

from pathlib import Path

from chattygen.lint.rules import defect_kinds

DOCS = Path(__file__).parents[3] / "docs" / "files.md"


def test_the_documentation_lists_every_kind_with_its_meaning() -> None:
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    kinds = defect_kinds()
    assert [line for line in lines if line.startswith("| `")][-len(kinds) :] == [
        f"| `{kind}` | {meaning} |" for kind, meaning in kinds.items()
    ]
