"""The kinds of defects are listed in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

from chattygen.lint.rules import defect_kinds

PAGE = Path(__file__).parents[3] / "docs" / "files.md"


def test_the_documentation_lists_every_kind() -> None:
    _, section = PAGE.read_text(encoding="utf-8").split("## Defects that lint names", 1)
    named = re.findall(r"`([a-z][a-z-]+)`", section)
    assert sorted(named) == sorted(defect_kinds())
