"""Print the rows of docs/figures.md anew: run the command of each row, and read its figure from the output.

    python benchmarks/figures.py [--quick] [--files FILE...] [--list]

The page is the list of rows and commands; this script knows how to read the output of each. ``--quick`` runs the rows
that take up to a minute. ``--files`` names the files of the graph for the rows with ``FILE...`` in their command, which
are left out without it. ``--list`` prints the rows and runs nothing. A command that stands in several rows runs once.
Exit code 1: a command failed, or its output has no figure.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "figures.md"
FILES = "FILE..."
SETS = "see below"
"""The figure of the row whose command prints the second table of the page."""
_SET_LINE = re.compile(r"^(\S+(?: \([a-z ]+\))?) +(\d+)((?: +(?:-|[\d.]+)){9})$", re.MULTILINE)
_SETS_HEAD = "| set | n | gold F1 | said | answered | false | ECE | AUROC | P@.9 |"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the page: what is measured, the figure, and the commands that print it."""

    what: str
    figure: str
    commands: tuple[str, ...]

    def to_markdown(self, figure: str) -> str:
        """Return the row with a figure."""
        return f"| {self.what} | {figure} | {', then '.join(f'`{command}`' for command in self.commands)} |"


@dataclass(frozen=True, slots=True)
class Reading:
    """How the figure of a row is read: a pattern over the whole output, and the text that its groups fill."""

    pattern: str
    figure: str
    is_quick: bool = False

    def read(self, output: str) -> str | None:
        """Return the figure in an output; None if there is none."""
        match = re.search(self.pattern, output, flags=re.DOTALL | re.MULTILINE)
        return self.figure.format(*match.groups()) if match else None


def _speed(triples: int) -> Reading:
    pattern = rf"scholarly-{triples}\.nt.*?seconds p50: +([\d.]+).*?seconds p95: +([\d.]+).*?overhead p50: +([\d.]+)"
    return Reading(pattern, "p50 {0} ms, p95 {1} ms; overhead p50 {2} ms (target 10)")


def _scale(title: str, figures: str, text: str) -> Reading:
    return Reading(rf"scholarly-10000000\.nt.*?{title}.*?: {figures}.*?; ([\d,]+) MB", text)


def _wide(predicates: int, targets: str) -> Reading:
    pattern = rf"{predicates} predicates: p50 (\d+) ms, p95 (\d+) ms .*?right ([\d.]+)"
    return Reading(
        pattern, f"p50 {{0}} ms, p95 {{1}} ms (targets {targets} ms); {{2}} of the questions are answered right", True
    )


_SECONDS = r"([\d.]+) s"
_LOAD = r"^answers \d+ \(([\d.]+) a second\), errors (\d+).*?p50 ([\d.]+), p95 ([\d.]+)"
_PROMPTS = Reading(r"together: ([\d.]+) calls, ([\d,]+) tokens", "{0} calls, {1} tokens", is_quick=True)
_COST = (
    r", {0} \(.*? all +\d+ questions: ([\d.]+) calls, ([\d,]+) tokens.*?alone +\d+ questions: ([\d.]+) calls, ([\d,]+)"
)
_COST_FIGURE = "{0} calls, {1} tokens; standing alone {2} and {3} (target 1,700)"
_THREADS = "".join(rf".*?^ +{threads} +([\d.]+) +([\d.]+) " for threads in (1, 4, 16, 64))
READINGS = {
    "round trip, demo graph, 100 dialogues of 5 turns": Reading(
        r"^F1 +([\d.]+).*?^false answers +([\d.]+%) +of (\d+)", "F1 {0}; {1} of {2} unanswerable turns answered", True
    ),
    "120 questions about the demo graph, by somebody who had not seen the parser": Reading(
        r"^F1 +([\d.]+)", "F1 {0} (0.754 when they were first asked)", True
    ),
    "all question sets of `benchmarks/`, one line of figures each, with ECE, AUROC and precision of the answers at "
    "0.9 and more": Reading(_SET_LINE.pattern, SETS),
    "what a question would send to a hosted model, `staged` (200 generated questions, demo)": Reading(
        _COST.format("staged"), _COST_FIGURE, True
    ),
    "the same, `direct`": Reading(_COST.format("direct"), _COST_FIGURE.replace(" (target 1,700)", ""), True),
    "seconds of the processor a question, synthetic scholarly graph, 100 thousand triples": _speed(100_000),
    "the same, 1 million triples": _speed(1_000_000),
    "SPARQL requests a question, both": Reading(
        r"scholarly-100000\.nt.*?requests p50: +([\d.]+).*?scholarly-1000000\.nt.*?requests p50: +([\d.]+)",
        "{0} and {1} at the median; names in a local graph are not counted",
    ),
    "seconds of the processor a question, 100 thousand triples with 600 predicates": _wide(600, "60 and 250"),
    "the same, 3,000 predicates": _wide(3_000, "90 and 400"),
    "a service with 200 clients that talk for 60 s without a pause, demo graph, 2 cores shared with the "
    "clients": Reading(
        f"{_LOAD}.*?{_LOAD}",
        "{1} errors; {0} answers a second, p95 {3} s; with `--processes 2` {5} errors, {4} a second, p95 {7} s "
        "(target 3 s)",
    ),
    "the same, 5 s between an answer and the next question, 2 processes": Reading(
        _LOAD, "{1} errors; p50 {2} s, p95 {3} s"
    ),
    "200 dialogues of 5 turns, 27 thousand triples (a corporate graph), store open": Reading(
        r"dialogues in ([\d.]+) s", "{0} s"
    ),
    "200 dialogues, synthetic scholarly graph, 1 million triples": Reading(
        r"scholarly-1000000\.nt.*?dialogues in ([\d.]+) s.*?peak memory ([\d,]+) MB", "{0} s, {1} MB"
    ),
    "time a dialogue at 1 million triples / at 100 thousand": Reading(r"at 100,000: ([\d.]+)", "{0}"),
    "10 million triples (synthetic scholarly graph): first load into `--store`, with all indexes": _scale(
        "first load", _SECONDS, "{0} s, {1} MB"
    ),
    "the same, opened from `--store` with its indexes": _scale("opened again", _SECONDS, "{0} s, {1} MB (target 5 s)"),
    "the same, 200 dialogues of 5 turns": _scale("200 dialogues", _SECONDS, "{0} s, {1} MB (target 30 s)"),
    "the same, seconds a question": _scale(
        "questions", r"p50 (\d+) ms.*?p95 (\d+) ms", "p50 {0} ms, p95 {1} ms, {2} MB (targets 40 and 300 ms)"
    ),
    "a dialogue and a question at 10 million triples / at 1 million": Reading(
        r"smallest: a dialogue ([\d.]+), a question ([\d.]+)", "{0} and {1} (target 2)"
    ),
    "the same bytes from Dask with 1, 2 and 4 workers, and with one of 4 killed; the command's own share of the "
    "processor (demo, 200 dialogues)": Reading(
        r"1 workers: .*?, (\w+)$.*?2 workers: .*?, \1$.*?4 workers: .*?, \1$.*?killed.*?, \1$.*?serial share ([\d.]+%)"
        r".*?give ([\d.]+) times",
        "yes; {1}, so that 100 workers give {2} times the speed of one",
    ),
    "SPARQL requests an accepted dialogue of the corporate graph, start and gold answers included": Reading(
        r"per accepted dialogue: ([\d.]+)", "{0}"
    ),
    "prompts a planned dialogue of 5 turns (demo; names of types included)": _PROMPTS,
    "the same, `multi-stage`": _PROMPTS,
    "calls a second of a model that takes 300 ms: 1, 4, 16, 64 threads": Reading(
        _THREADS, "{0}, {2}, {4}, {6} (at best {1}, {3}, {5}, {7})"
    ),
    "Kendall's tau between the orders of seven variants of the rules on generated dialogues and on written "
    "conversations, five graphs": Reading(
        r"order of the systems$" + r".*?written +\d+ +\d+ +\d+ +([\d.-]+) +(\S+ - \S+)$" * 5,
        "{0} ({1}), {2} ({3}), {4} ({5}), {6} ({7}), {8} ({9})",
    ),
    "a model that takes 300 ms: 20 dialogues, 16 workers / 1 worker": Reading(r"1 worker: (1 / [\d.]+)", "{0}"),
}
"""How to read the figure of each row of the page, by what is measured."""


def parse_rows(page: str) -> Iterator[Row]:
    """Yield the rows of the page's first table."""
    table = page.partition("## Question sets")[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        commands = tuple(re.findall(r"`([^`]+)`", cells[-1]))
        if line.startswith("|") and len(cells) == 3 and commands:
            yield Row(cells[0], cells[1], commands)


def parse_set_names(page: str) -> list[str]:
    """Return the names of the sets in the page's second table."""
    return re.findall(r"^\| (\S+(?: \([a-z ]+\))?) \| \d+ \|", page.partition("## Question sets")[2], re.MULTILINE)


def resolve_command(command: str, files: Sequence[str] = ()) -> list[str]:
    """Return the arguments of a command of the page: programs of this environment, paths of this checkout."""
    arguments: list[str] = []
    for part in shlex.split(command):
        arguments += list(files) if part == FILES else [part]
    program, *rest = (str(ROOT / part) if part.startswith("benchmarks/") else part for part in arguments)
    return [sys.executable if program == "python" else str(Path(sys.executable).with_name(program)), *rest]


def run_command(command: str, folder: Path, files: Sequence[str]) -> str:
    """Run a command in a folder and return its output.

    Raises:
        CalledProcessError: the command failed.
    """
    print(f"$ {command}", file=sys.stderr, flush=True)
    done = subprocess.run(resolve_command(command, files), cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def measure_row(row: Row, run: Callable[[str], str]) -> tuple[str, str]:
    """Return the figure of a row (empty: it failed), and the second table or the failure."""
    try:
        output = "\n".join(map(run, row.commands))
    except subprocess.CalledProcessError as error:
        return "", f"{row.commands[-1]}: exit {error.returncode}: {(error.stderr or '').strip()[-300:]}"
    figure = READINGS[row.what].read(output)
    if figure is None:
        return "", f"{row.what}: no figure in the output of {row.commands[-1]}"
    return figure, render_sets(output) if figure == SETS else ""


def render_sets(output: str) -> str:
    """Return the second table of the page from the output of the question sets, and the line of the ambiguous ones."""
    lines = [_SETS_HEAD, re.sub(r"[^|]+", " --- ", _SETS_HEAD)]
    for name, number, figures in _SET_LINE.findall(output):
        lines.append(f"| {name} | {number} | {' | '.join(figures.split()[1:-1])} |")
    return "\n".join([*lines, *re.findall(r"^\S+: \d+ ambiguous: .*$", output, flags=re.MULTILINE)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the commands and print the rows; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only the rows that take up to a minute")
    parser.add_argument("--files", nargs="+", default=[], metavar="FILE", help=f"the graph of the rows with {FILES}")
    parser.add_argument("--list", action="store_true", help="print the rows and run nothing")
    options = parser.parse_args(arguments)
    files = [str(Path(file).resolve()) for file in options.files]
    rows = [
        row for row in parse_rows(PAGE.read_text(encoding="utf-8")) if READINGS[row.what].is_quick or not options.quick
    ]
    if options.list:
        print("\n".join(row.to_markdown(row.figure) for row in rows))
        return 0
    outputs: dict[str, str] = {}
    failures, tables = [], []
    print("| what | figure | command |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            if any(FILES in command for command in row.commands) and not files:
                print(f"left out, it needs --files: {row.what}", file=sys.stderr)
                continue
            figure, rest = measure_row(row, partial(_run_once, outputs, Path(folder), files))
            (tables if figure else failures).append(rest)
            if figure:
                print(row.to_markdown(figure), flush=True)
    print("".join(f"\n{table}\n" for table in filter(None, tables)), end="")
    print("".join(f"{failure}\n" for failure in failures), end="", file=sys.stderr)
    return 1 if failures else 0


def _run_once(outputs: dict[str, str], folder: Path, files: Sequence[str], command: str) -> str:
    if command not in outputs:
        outputs[command] = run_command(command, folder, files)
    return outputs[command]


if __name__ == "__main__":
    sys.exit(main())
