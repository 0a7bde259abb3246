"""The gate judges rows by their limits, knows each row of its table, and refuses bad input with one line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def gate() -> Iterator[ModuleType]:
    sys.path.insert(0, str(BENCHMARKS))
    import gate

    yield gate
    sys.path.remove(str(BENCHMARKS))


@pytest.mark.parametrize(
    ("better", "now", "verdict"),
    [
        ("higher", 0.78, "ok"),
        ("higher", 0.8, "ok"),
        ("higher", 0.779, "WORSE"),
        ("higher", 0.801, "better"),
        ("lower", 0.82, "ok"),
        ("lower", 0.821, "WORSE"),
        ("lower", 0.7, "better"),
        ("higher", None, "WORSE: no value"),
    ],
)
def test_a_value_is_judged_by_what_may_be_lost(gate: ModuleType, better: str, now: float | None, verdict: str) -> None:
    row = gate.Row(base=0.8, loss=0.02, better=better)
    assert gate.judge("a/b", row, now, gate.Measured({})).verdict == verdict


def test_what_was_not_run_is_worse_than_ok_and_better_than_worse(gate: ModuleType) -> None:
    row = gate.Row(base=0.8, loss=0.02, better="higher")
    fine = gate.judge("a", row, 0.8, gate.Measured({}))
    absent = gate.judge("b", row, None, gate.Measured({}, absent="no data"))
    failed = gate.judge("c", row, None, gate.Measured({}, failure="OSError: no"))
    new = gate.judge("d", None, 0.1, gate.Measured({}))
    assert absent.verdict == "not run: no data"
    assert [gate.exit_code(each) for each in ([fine, new], [fine, absent], [absent, failed, fine])] == [0, 2, 1]


def test_a_task_that_breaks_off_keeps_the_values_before(gate: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    def measure_two() -> Iterator[tuple[str, float]]:
        yield "a/first", 1.0
        raise OSError("disk full")

    measured = gate.measure(gate.Task(("a/",), measure_two))
    assert measured == gate.Measured({"a/first": 1.0}, failure="OSError: disk full")
    assert "disk full" in capsys.readouterr().err


def test_each_row_of_the_table_has_one_measurement(gate: ModuleType, tmp_path: Path) -> None:
    tasks = gate.tasks_of(gate.Places(gate.ROOT, tmp_path, tmp_path), quick=False)
    rows = gate.read_rows(gate.TABLE)
    assert {name: sum(task.owns(name) for task in tasks) for name in rows} == dict.fromkeys(rows, 1)
    gate.check_files(tasks)


def test_bases_are_written_into_their_lines(gate: ModuleType, tmp_path: Path) -> None:
    table = tmp_path / "rows.toml"
    table.write_text('[rows]\n"a/b" = { base = 0.5, loss = 0.02, better = "lower", quick = true }\n', encoding="utf-8")
    measured = gate.Measured({})
    gate.write_bases(table, [gate.judge(name, None, 0.25, measured) for name in ("a/b", "a/c")])
    rows = gate.read_rows(table)
    assert rows["a/b"] == gate.Row(0.25, 0.02, "lower", quick=True)
    assert rows["a/c"] == gate.Row(0.25, 0.0, "higher")


@pytest.mark.parametrize(
    ("table", "prefix", "words"),
    [
        (None, "roundtripp", "no row begins with 'roundtripp'"),
        ("[rows", "sets", "no table of rows"),
        ("[row]\n", "sets", "no table of rows"),
        ('[rows]\n"sets/a" = { base = 1 }', "sets", "row 'sets/a' needs base, loss and better"),
        ('[rows]\n"sets/a" = { base = 1, loss = 0, better = "more" }', "sets", "better is higher or lower"),
    ],
)
def test_bad_input_is_one_line(
    gate: ModuleType, table: str | None, prefix: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [prefix]
    if table is not None:
        (tmp_path / "rows.toml").write_text(table, encoding="utf-8")
        arguments += ["--rows", str(tmp_path / "rows.toml")]
    assert gate.main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line


def test_a_missing_fixed_file_is_named(gate: ModuleType) -> None:
    with pytest.raises(gate.BadInput, match="no file absent.jsonl in benchmarks/fixed"):
        gate.check_files([gate.Task(("a/",), iter, (), ("absent.jsonl",))])
