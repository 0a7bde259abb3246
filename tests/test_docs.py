"""The Python examples of the documentation run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = re.compile(r"^```python\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/python-api.md"])
def test_the_python_examples_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The examples of a page run in order, in one namespace; those that read files of a run are left out."""
    names: dict[str, object] = {}
    for example in EXAMPLE.findall((ROOT / page).read_text(encoding="utf-8")):
        if ".jsonl" not in example:
            exec(compile(example.replace("my.ttl", "demo"), page, "exec"), names)  # the page's own text
    assert names and capsys.readouterr().out
