"""Sizes of the rooms, and the budgets that hold them down: ``python tests/size.py [--lower]``.

A room is a folder with Python modules. ``code`` counts the lines that hold code (no blanks, comments, docstrings), and
``statements`` the statements of the syntax tree, so neither formatting nor documentation changes a figure. ``rows``
counts the lines of rules and of data (``.gram``, ``.toml``, ``.json``) that are neither blank nor a comment.
``size_budget.toml`` keeps a budget for each; ``--lower`` writes today's sizes where they are below it.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGET = Path(__file__).with_name("size_budget.toml")
CODE_TOPS = ("chattygen", "chattykg", "shared", "prompts", "data", "tests", "benchmarks")
DATA_TOPS = ("chattygen", "chattykg", "shared", "prompts", "data")
DATA_SUFFIXES = (".gram", ".toml", ".json")
LAYOUT = frozenset({
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
})  # fmt: skip
SLACK = 20
"""Lines by which a room may lie below its budget before the budget has to follow."""

Sizes = dict[str, dict[str, int]]


class BadBudget(ValueError):
    """A budget file that does not fit the tree, in one line."""


@cache
def measure_module(text: str) -> dict[str, int]:
    """Return the code lines and the statements of a module's text."""
    tree = ast.parse(text)
    prose = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    code = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in LAYOUT
        for line in range(token.start[0], token.end[0] + 1)
    }
    return {"code": len(code - prose), "statements": sum(isinstance(node, ast.stmt) for node in ast.walk(tree))}


def count_rows(text: str) -> int:
    """Return the number of lines of a data file that are neither blank nor a comment."""
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in text.splitlines())


def measure_rooms(root: Path = ROOT) -> Sizes:
    """Return the sizes of each room by its path; the tests are one room, and so are the benchmarks."""
    sizes: Sizes = {}
    for path in _files(root, CODE_TOPS, (".py",)):
        room = sizes.setdefault(_room_of(path, root), {})
        for unit, size in measure_module(path.read_text(encoding="utf-8")).items():
            room[unit] = room.get(unit, 0) + size
    for path in _files(root, DATA_TOPS, DATA_SUFFIXES):
        room = sizes.setdefault(_room_of(path, root), {})
        room["rows"] = room.get("rows", 0) + count_rows(path.read_text(encoding="utf-8"))
    return dict(sorted(sizes.items()))


def read_budget(path: Path, root: Path = ROOT) -> Sizes:
    """Return the budgets of a file by room.

    Raises:
        BadBudget: The file is not TOML, or names a room or a unit that there is not.
    """
    try:
        rooms = tomllib.loads(path.read_text(encoding="utf-8")).get("rooms", {})
    except tomllib.TOMLDecodeError as error:
        raise BadBudget(f"{path.name}: not TOML: {error}") from None
    known = measure_rooms(root)
    for room, units in rooms.items():
        if room not in known:
            raise BadBudget(f"{path.name}: no such room: {room}")
        if set(units) != set(known[room]):
            raise BadBudget(f"{path.name}: {room} is measured in {', '.join(known[room])}, not {', '.join(units)}")
    return dict(rooms)


def excesses(budget: Sizes, sizes: Sizes) -> Iterator[str]:
    """Yield a sentence for each room that is over its budget, far below it, or without one."""
    for room, units in sizes.items():
        for unit, size in units.items():
            limit = budget.get(room, {}).get(unit)
            if limit is None:
                yield f"{room}: no budget of {unit}"
            elif size > limit:
                yield f"{room}: {size} {unit}, the budget is {limit}"
            elif size < limit - SLACK:
                yield f"{room}: {size} {unit}, far below the budget of {limit}: lower it (python tests/size.py --lower)"


def lower(budget: Sizes, sizes: Sizes) -> Sizes:
    """Return the budgets, each at most today's size; rooms that are new take theirs."""
    return {
        room: {unit: min(size, budget.get(room, {}).get(unit, size)) for unit, size in units.items()}
        for room, units in sizes.items()
    }


def _files(root: Path, tops: tuple[str, ...], suffixes: tuple[str, ...]) -> Iterator[Path]:
    for top in tops:
        yield from (path for path in sorted((root / top).rglob("*")) if path.suffix in suffixes)


def _room_of(path: Path, root: Path) -> str:
    place = path.parent.relative_to(root)
    return place.parts[0] if place.parts[0] in ("tests", "benchmarks") else place.as_posix()


def _render(budget: Sizes) -> str:
    head = "# Budgets of the rooms (house rule: they fall with their rooms; one may rise only in a commit that says\n"
    head += "# which row of docs/capabilities.md it buys). Written by: python tests/size.py --lower\n"
    rooms = ("\n".join(f"{unit} = {size}" for unit, size in units.items()) for units in budget.values())
    return head + "".join(f'\n[rooms."{room}"]\n{text}\n' for room, text in zip(budget, rooms, strict=True))


def main() -> None:
    """Print each room beside its budget, or lower the budgets."""
    sizes = measure_rooms()
    if "--lower" in sys.argv[1:]:
        known = tomllib.loads(BUDGET.read_text(encoding="utf-8"))["rooms"] if BUDGET.exists() else {}
        BUDGET.write_text(_render(lower(known, sizes)), encoding="utf-8")
    try:
        budget = read_budget(BUDGET)
    except BadBudget as error:
        sys.exit(str(error))
    for room, units in sizes.items():
        figures = (f"{size} of {budget.get(room, {}).get(unit, 0)} {unit}" for unit, size in units.items())
        print(f"{room:40} {', '.join(figures)}")
    product = [units for room, units in sizes.items() if room not in ("tests", "benchmarks")]
    total = {unit: sum(units.get(unit, 0) for units in product) for unit in ("code", "statements", "rows")}
    print(f"{'product':40} {', '.join(f'{size} {unit}' for unit, size in total.items())}")


if __name__ == "__main__":
    main()
