"""The codes of refusals, and what an answer counts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from chattyshared.dialogue import REASON_CODES

import chattykg
from chattykg.state import make_refusal


@pytest.mark.slow
def test_every_reason_in_the_source_has_a_code_of_the_contract() -> None:
    """Each refusal names its code where it is made: a literal, or a variable that mypy holds to ``ReasonCode``."""
    codes, elsewhere = [], []
    for path in Path(chattykg.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in ("make_refusal", "Reason") and node.args:
                first = node.args[0]
                (codes if isinstance(first, ast.Constant) else elsewhere).append((path.name, ast.unparse(first)))
    assert {ast.literal_eval(code) for _, code in codes} <= set(REASON_CODES)
    # Triad passes on the code of each of its refusals; its type admits those of the contract alone.
    assert set(elsewhere) == {
        ("readings.py", "refusal.code"), ("state.py", "code"), ("strategy.py", "code"),
    }  # fmt: skip
    assert make_refusal("ambiguous", "it may be two.").explanation == "I do not know, because it may be two."
