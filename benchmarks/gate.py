"""The gate: measure what a change must not make worse, and print it beside the values of commit 9cabdb23.

    python benchmarks/gate.py [--quick] [--data DIR] [--json FILE] [ROW-PREFIX...]

``gate.toml`` holds a line a row: ``base``, the value of that commit; ``loss``, what may be lost; ``better``, the
direction; ``quick``, whether --quick measures it. ``gate_figures.py`` says how a row is measured.

Exit code 1: a row is worse than allowed, or its measurement failed. 2: nothing is worse, but a row was not run (the
data of others are absent, or a commit is not in this checkout), or the input is wrong. Else 0. A row without a base
fails nothing. --measure-base writes the values of the product that this interpreter runs as the bases.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from chattyshared.text import Column, render_rows
from gate_figures import FIXED, NotRun, Places, Task, tasks_of

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "benchmarks" / "gate.toml"
EPSILON = 5e-5
"""Half of the last decimal of a base."""


class BadInput(Exception):
    """The input is wrong; the text says what, in one line."""


@dataclass(frozen=True, slots=True)
class Row:
    """The limit of one figure; ``better`` is higher or lower."""

    base: float
    loss: float
    better: str
    quick: bool = False
    note: str = ""

    @property
    def allowed(self) -> float:
        """The worst value that passes."""
        return self.base - self.loss if self.better == "higher" else self.base + self.loss


@dataclass(frozen=True, slots=True)
class Judgement:
    """A row, what was measured now (None: nothing), and the verdict."""

    name: str
    base: float | None
    now: float | None
    allowed: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Measured:
    """The values of a task; ``absent`` tells why it was not run, ``failure`` why it broke off."""

    values: Mapping[str, float]
    absent: str = ""
    failure: str = ""


def read_rows(path: Path) -> dict[str, Row]:
    """Read the table of limits.

    Raises:
        BadInput: the file is missing or broken, or a row is not complete.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))["rows"]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as error:
        raise BadInput(f"{path.name}: no table of rows: {error}") from error
    rows = {}
    for name, entry in table.items():
        try:
            rows[name] = row = Row(**entry)
        except TypeError as error:
            raise BadInput(f"{path.name}: row {name!r} needs base, loss and better: {error}") from error
        numbers = all(isinstance(value, int | float) for value in (row.base, row.loss))
        if not numbers or row.loss < 0 or row.better not in ("higher", "lower"):
            raise BadInput(f"{path.name}: row {name!r}: base and loss are numbers, better is higher or lower")
    return rows


def judge(name: str, row: Row | None, now: float | None, measured: Measured) -> Judgement:
    """Compare a value with its limit; a row that its measurement no longer gives is worse than any."""
    if row is None:
        return Judgement(name, None, now, None, "no base")
    verdict = "ok"
    if measured.absent:
        verdict = f"not run: {measured.absent}"
    elif measured.failure:
        verdict = f"FAILED: {measured.failure}"
    elif now is None:
        verdict = "WORSE: no value"
    else:
        lost = row.base - now if row.better == "higher" else now - row.base
        verdict = "WORSE" if lost > row.loss + EPSILON else "better" if lost < -EPSILON else "ok"
    return Judgement(name, row.base, now, row.allowed, verdict)


def exit_code(judgements: Iterable[Judgement]) -> int:
    """Return 1 if a row is worse or failed, else 2 if one was not run, else 0."""
    verdicts = [each.verdict for each in judgements]
    if any(verdict.startswith(("WORSE", "FAILED")) for verdict in verdicts):
        return 1
    return 2 if any(verdict.startswith("not run") for verdict in verdicts) else 0


def select_tasks(tasks: Sequence[Task], rows: Mapping[str, Row], prefixes: Sequence[str], *, quick: bool) -> list[Task]:
    """Return the tasks that measure a row with one of the prefixes (all, if there is none), in quick runs a quick one.

    Raises:
        BadInput: a prefix begins no row.
    """
    for prefix in prefixes:
        if not any(name.startswith(prefix) for name in rows) and not any(task.meets([prefix]) for task in tasks):
            heads = sorted({name.partition("/")[0] for name in rows})
            raise BadInput(f"no row begins with {prefix!r}: rows begin with {', '.join(heads)}")
    chosen = [task for task in tasks if not prefixes or task.meets(prefixes)]
    quick_rows = [name for name, row in rows.items() if row.quick]
    return [task for task in chosen if not quick or any(map(task.owns, quick_rows))]


def check_files(tasks: Iterable[Task]) -> None:
    """Check that the fixed benchmark files are there.

    Raises:
        BadInput: one is missing.
    """
    for name in (name for task in tasks for name in task.files if not (FIXED / name).is_file()):
        raise BadInput(f"no file {name} in {FIXED.relative_to(ROOT)}: it belongs to the checkout")


def measure(task: Task) -> Measured:
    """Measure a task; a failure is caught here, so that the other rows are still measured."""
    values: dict[str, float] = {}
    try:
        values.update(task.measure(*task.arguments))
    except NotRun as reason:
        return Measured(values, absent=str(reason))
    except Exception as error:
        traceback.print_exc()
        return Measured(values, failure=f"{type(error).__name__}: {str(error)[:100]}")
    return Measured(values)


def judge_tasks(
    tasks: Sequence[Task], measured: Sequence[Measured], rows: Mapping[str, Row], is_shown: Callable[[str], bool]
) -> list[Judgement]:
    """Return the judgements of the rows of the tasks, in the order of the table; rows without a base come last."""
    found = {name: (value, part) for part in measured for name, value in part.values.items()}
    judgements = []
    for name, row in rows.items():
        for task, part in zip(tasks, measured, strict=True):
            if task.owns(name) and is_shown(name):
                judgements.append(judge(name, row, part.values.get(name), part))
                break
    new = (name for name in sorted(found.keys() - rows.keys()) if is_shown(name))
    return [*judgements, *(judge(name, None, *found[name]) for name in new)]


def write_bases(path: Path, judgements: Iterable[Judgement]) -> None:
    """Write the measured values as bases: into the lines of their rows, or as new lines, which allow no loss."""
    text = path.read_text(encoding="utf-8")
    for each in judgements:
        if each.now is None:
            continue
        base = f"{each.now:.4f}".rstrip("0").rstrip(".")
        line = re.compile(rf'^("{re.escape(each.name)}" = {{ base = )[^,]+', re.MULTILINE)
        text, count = line.subn(lambda match, base=base: match[1] + base, text)
        if not count:
            text += f'"{each.name}" = {{ base = {base}, loss = 0.0, better = "higher" }}\n'
    path.write_text(text, encoding="utf-8")


def render(judgements: Iterable[Judgement]) -> list[str]:
    """Return the table."""
    heads = [Column("row"), *(Column(head, right=True) for head in ("base", "now", "allowed")), Column("verdict")]
    return render_rows(
        heads,
        [(each.name, *map(_number, (each.base, each.now, each.allowed)), each.verdict) for each in judgements],
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the rows, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefixes", nargs="*", metavar="ROW-PREFIX")
    parser.add_argument("--quick", action="store_true", help="only the rows that gate.toml marks, in 2 minutes")
    parser.add_argument("--data", type=Path, help="folder of the data of others [CHATTY_DATA, ../shared/data]")
    parser.add_argument("--rows", type=Path, default=TABLE, metavar="FILE", help="the limits [gate.toml]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the table as JSON")
    parser.add_argument("--measure-base", action="store_true", help="write the values as bases")
    given = parser.parse_args(arguments)
    data = given.data or Path(os.environ.get("CHATTY_DATA") or ROOT.parent / "shared" / "data")
    try:
        rows = read_rows(given.rows)
        places = Places(ROOT, data.resolve(), ROOT / ".gate")
        tasks = select_tasks(tasks_of(places, quick=given.quick), rows, given.prefixes, quick=given.quick)
        check_files(tasks)
    except BadInput as error:
        print(f"gate: {error}", file=sys.stderr)
        return 2
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        measured = list(pool.map(measure, tasks))

    def is_shown(name: str) -> bool:
        is_quick = not given.quick or name not in rows or rows[name].quick
        return is_quick and (not given.prefixes or name.startswith(tuple(given.prefixes)))

    judgements = judge_tasks(tasks, measured, rows, is_shown)
    if given.measure_base:
        write_bases(given.rows, judgements)
    print("\n".join(render(judgements)))
    if given.json:
        text = json.dumps({each.name: asdict(each) for each in judgements}, indent=2)
        given.json.write_text(text + "\n", encoding="utf-8")
    return exit_code(judgements)


if __name__ == "__main__":
    sys.exit(main())
