"""Each room keeps its budget, and a budget that does not fit the tree is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from size import BUDGET, ROOT, BadBudget, count_rows, excesses, lower, measure_module, measure_rooms, read_budget

ROOM = {"kg/room": {"code": 100, "statements": 90}}


pytestmark = pytest.mark.xdist_group("size")  # one process parses the tree, once


def test_the_rooms_keep_their_budgets() -> None:
    assert list(excesses(read_budget(BUDGET), measure_rooms())) == []


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (100, []),
        (81, []),
        (101, ["kg/room: 101 code, the budget is 100"]),
        (79, ["kg/room: 79 code, far below the budget of 100: lower it (python tests/size.py --lower)"]),
    ],
)
def test_a_room_is_held_to_its_budget(code: int, sentence: list[str]) -> None:
    assert list(excesses(ROOM, {"kg/room": {"code": code, "statements": 90}})) == sentence


def test_a_room_without_a_budget_is_named() -> None:
    assert list(excesses({}, {"kg/new": {"rows": 3}})) == ["kg/new: no budget of rows"]


def test_budgets_fall_and_never_rise() -> None:
    sizes = {"kg/room": {"code": 120, "statements": 70}, "kg/new": {"code": 5, "statements": 5}}
    assert lower(ROOM, sizes) == {"kg/room": {"code": 100, "statements": 70}, "kg/new": {"code": 5, "statements": 5}}


def test_neither_prose_nor_layout_counts() -> None:
    dense = 'def add(a, b):\n    """Add."""\n    return a + b\n'
    airy = 'def add(\n    a, b\n):\n\n    """Add.\n\n    Twice.\n    """\n    # a comment\n    return a + b\n'
    assert measure_module(dense) == {"code": 2, "statements": 3}
    assert measure_module(airy)["statements"] == 3
    assert count_rows('# words\n\n[table]\nkey = "value"  # said\n') == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[rooms."chattygen/attic"]\ncode = 1\n', "no such room: chattygen/attic"),
        ('[rooms."chattykg/triad"]\nlines = 9\n', "chattykg/triad is measured in code, statements, not lines"),
        ("[rooms\n", "not TOML"),
    ],
)
def test_a_budget_that_does_not_fit_is_refused_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "budget.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadBudget, match=complaint) as caught:
        read_budget(path, ROOT)
    assert "\n" not in str(caught.value)
