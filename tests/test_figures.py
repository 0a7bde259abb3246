"""``benchmarks/figures.py`` knows every row of docs/figures.md, and reads figures from what its commands print."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import chattygen.cli
import chattykg.cli

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
COST = """demo, staged (target: 3.4 calls and 1,700 tokens at most)
  all              200 questions: 2.83 calls, 2,624 tokens each (3,927 at most)
  standing alone    43 questions: 1.16 calls, 1,941 tokens each (2,189 at most)
demo, direct (target: 2,000 tokens at most)
  all              200 questions: 1.80 calls, 2,217 tokens each (3,994 at most)
  standing alone    43 questions: 1.07 calls, 1,758 tokens each (2,376 at most)
"""
SPEED = """scholarly-100000.nt: 99,936 triples, 200 questions, seconds of the processor; the first took 1.20 s
  seconds p50:    41.1 ms (target 30 ms)
  seconds p95:   109.2 ms (target 150 ms)
  overhead p50:   32.0 ms (target 10 ms; p95 70.9 ms): all but model and endpoint
  requests p50:    2.0    (target 8; 5 at most)
scholarly-1000000.nt: 1,000,123 triples, 200 questions, seconds of the processor; the first took 9.00 s
  seconds p50:    49.9 ms (target 60 ms)
  seconds p95:   125.0 ms (target 300 ms)
  overhead p50:   37.0 ms (target 10 ms; p95 70.9 ms): all but model and endpoint
  requests p50:    3.0    (target 8; 5 at most)
"""
WIDE = """600 predicates: p50 39 ms, p95 135 ms (targets 60 and 250 ms), right 0.976
3000 predicates: p50 52 ms, p95 151 ms (targets 90 and 400 ms), right 1.000
"""
SIZE = """scholarly-100000.nt: 99,936 triples, opened in 0.1 s
  200 dialogues in 7.00 s: 35.0 ms each
  (a run of one dialogue makes 96); peak memory 116 MB
scholarly-1000000.nt: 1,000,123 triples, opened in 2.0 s
  200 dialogues in 19.20 s: 96.0 ms each
  (a run of one dialogue makes 96); peak memory 810 MB
time per dialogue at 1,000,000 triples / at 100,000: 2.74
"""
SCALE = """scholarly-1000000.nt: 1,000,996 triples
  200 dialogues (target 30 s): 8.0 s (8.0 s of the processor); 216 MB at most (target 4,000)
scholarly-10000000.nt: 10,031,239 triples
  first load, indexes included: 114.3 s (145.8 s of the processor); 1,078 MB at most (target 4,000)
  opened again, with its indexes (target 5 s): 0.9 s (0.9 s of the processor); 258 MB at most (target 4,000)
  200 dialogues (target 30 s): 8.4 s (8.4 s of the processor); 361 MB at most (target 4,000)
  questions: p50 27 ms (target 40), p95 56 ms (target 300), the first 0.8 s; 200 of them; 495 MB at most (target 4,000)
the biggest / the smallest: a dialogue 1.05, a question 1.03 (target 2)
"""
CLUSTER = """1 workers: 12.3 s, 031fc43840b6cedf
2 workers: 13.0 s, 031fc43840b6cedf
4 workers: 17.1 s, 031fc43840b6cedf
4 workers, one killed after 4.0 s (exit 0): 15.2 s, 031fc43840b6cedf
serial share 51.4% (the command 6.6 s, the workers 6.2 s of the processor); 100 workers give 1.9 times the speed of one
"""
LOAD = "answers 60 (20.0 a second), errors 0\nseconds: p50 0.08, p95 0.25, most 0.43\n"
THREADS = """threads  calls/s    ideal of ideal in flight
      1      3.2      3.3      96%         1
      4     13.1     13.3      98%         4
     16     50.4     53.3      95%        16
     64    142.0    213.3      67%        64
"""
SETS = """set                                      n     F1  gold F1   said  answered  false    ECE  AUROC   P@.9  (n)
development/qualifiers/qualifiers       60  0.843    0.686  0.350     0.700  0.000  0.112      -  1.000   14
development (all turns)                921  0.543    0.536  0.522     0.601  0.060  0.046  0.817  0.967   99
development/qualifiers/ambiguous: 24 ambiguous: asks back 0.792
"""


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    spec = spec_from_file_location("figures", ROOT / "benchmarks" / "figures.py")
    module = module_from_spec(spec)
    sys.modules["figures"] = module
    spec.loader.exec_module(module)
    return module


def test_every_row_of_the_page_has_a_command_and_a_reading(figures: ModuleType) -> None:
    rows = list(figures.parse_rows(PAGE))
    assert [row.what for row in rows] == list(figures.READINGS)
    first_table = PAGE.partition("## Question sets")[0]
    assert len(rows) == len(re.findall(r"^\| (?!what \||---)", first_table, flags=re.MULTILINE))
    assert all(row.to_markdown(row.figure) in PAGE for row in rows)
    for row in rows:
        for command in row.commands:
            program, script, *_ = figures.resolve_command(command, ["graph.nt"])
            programs = {"chattykg": chattykg.cli.main, "chattygen": chattygen.cli.main}
            name = Path(program).name
            assert script in programs[name].list_commands(None) if name in programs else Path(script).is_file()


def test_every_set_of_the_second_table_is_a_set_of_the_script(figures: ModuleType) -> None:
    names = figures.parse_set_names(PAGE)
    sets = {name for name in names if not name.endswith("(all turns)")}
    assert {"development (all turns)", "held_out (all turns)"} <= set(names) and len(sets) > 20
    assert [name for name in sets if not (ROOT / "benchmarks" / f"{name}.jsonl").is_file()] == []


@pytest.mark.parametrize(
    ("start", "output", "figure"),
    [
        ("what a question", COST, "2.83 calls, 2,624 tokens; standing alone 1.16 and 1,941 (target 1,700)"),
        ("the same, `direct`", COST, "1.80 calls, 2,217 tokens; standing alone 1.07 and 1,758"),
        ("seconds of the processor a question, syn", SPEED, "p50 41.1 ms, p95 109.2 ms; overhead p50 32.0 ms "
         "(target 10)"),
        ("the same, 1 million", SPEED, "p50 49.9 ms, p95 125.0 ms; overhead p50 37.0 ms (target 10)"),
        ("seconds of the processor a question, 100", WIDE, "p50 39 ms, p95 135 ms (targets 60 and 250 ms); 0.976 of "
         "the questions are answered right"),
        ("the same, 3,000", WIDE, "p50 52 ms, p95 151 ms (targets 90 and 400 ms); 1.000 of the questions are "
         "answered right"),
        ("SPARQL requests a question", SPEED, "2.0 and 3.0 at the median; names in a local graph are not counted"),
        ("200 dialogues, synthetic", SIZE, "19.20 s, 810 MB"),
        ("time a dialogue", SIZE, "2.74"),
        ("10 million triples", SCALE, "114.3 s, 1,078 MB"),
        ("the same, 200 dialogues", SCALE, "8.4 s, 361 MB (target 30 s)"),
        ("the same, seconds a question", SCALE, "p50 27 ms, p95 56 ms, 495 MB (targets 40 and 300 ms)"),
        ("a dialogue and a question", SCALE, "1.05 and 1.03 (target 2)"),
        ("the same bytes", CLUSTER, "yes; 51.4%, so that 100 workers give 1.9 times the speed of one"),
        ("the same, 5 s", LOAD, "0 errors; p50 0.08 s, p95 0.25 s"),
        ("a service with", LOAD * 2, "0 errors; 20.0 answers a second, p95 0.25 s; with `--processes 2` 0 errors, "
         "20.0 a second, p95 0.25 s (target 3 s)"),
        ("calls a second", THREADS, "3.2, 13.1, 50.4, 142.0 (at best 3.3, 13.3, 53.3, 213.3)"),
        ("round trip", "F1    0.996  x\nfalse answers    2.6%  of 38 turns", "F1 0.996; 2.6% of 38 unanswerable turns "
         "answered"),
        ("a model that takes", "  16 workers / 1 worker: 1 / 7.4", "1 / 7.4"),
    ],
)  # fmt: skip
def test_figures_are_read_from_the_output(figures: ModuleType, start: str, output: str, figure: str) -> None:
    (reading,) = (reading for what, reading in figures.READINGS.items() if what.startswith(start))
    assert reading.read(output) == figure
    assert reading.read("nothing of this kind") is None


def test_other_bytes_of_a_cluster_are_no_figure(figures: ModuleType) -> None:
    (reading,) = (reading for what, reading in figures.READINGS.items() if what.startswith("the same bytes"))
    assert reading.read(CLUSTER.replace("17.1 s, 0", "17.1 s, 1")) is None


def test_the_second_table_is_made_from_the_output(figures: ModuleType) -> None:
    lines = figures.render_sets(SETS).splitlines()
    assert lines[0] in PAGE and lines[1] in PAGE
    assert lines[2:4] == [
        "| development/qualifiers/qualifiers | 60 | 0.686 | 0.350 | 0.700 | 0.000 | 0.112 | - | 1.000 |",
        "| development (all turns) | 921 | 0.536 | 0.522 | 0.601 | 0.060 | 0.046 | 0.817 | 0.967 |",
    ]
    assert lines[4].startswith("development/qualifiers/ambiguous: 24 ambiguous")


def test_a_command_that_fails_is_named(figures: ModuleType) -> None:
    def fail(command: str) -> str:
        raise subprocess.CalledProcessError(2, command, stderr="no such graph")

    row = next(figures.parse_rows(PAGE))
    assert figures.measure_row(row, fail) == ("", f"{row.commands[0]}: exit 2: no such graph")
    assert figures.measure_row(row, lambda command: "")[1].endswith(f"no figure in the output of {row.commands[0]}")
