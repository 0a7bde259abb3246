"""Ask a hosted model a fixed list of questions, and have it make a few dialogues: one line of figures for each.

    python benchmarks/model_baseline.py --model openai:NAME --base-url URL [--first N] [--dialogues N]

Each question is asked by ``direct`` and by ``staged``; then so many dialogues are tried by ``planned`` and by
``multi-stage``, each from one seed. What is finished lies in ``--output`` and the replies in ``--cache-dir``: stop the
script whenever you like, the same command goes on from there, and a repeat asks nothing twice. ``--first N`` takes the
first questions of the list only. ``--figures`` asks nothing, and prints the figures of what lies there.

``refused`` are the questions whose answer is said not to be known, ``empty`` those with an empty result, ``failed``
those that ended with an error. Tokens are those that the server counts. Seconds are those of the run that asked; a
question that a stopped run has begun has some of its replies for nothing. Exit code 2: the
model does not answer; 3: it stopped to do so, the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from chattyshared.jsonlines import read_lines, to_json_line
from chattyshared.questions import read_questions
from chattyshared.text import Column, render_rows
from question_sets import FOLDER, rate_text, read_answer_lines

import chattykg
from chattykg.evaluation.gold import gold_of_questions
from chattykg.evaluation.metrics import mean_f1, score_turn

QUESTIONS = FOLDER / "small_model" / "questions.jsonl"
STRATEGIES = ("direct", "staged")
APPROACHES = ("planned", "multi-stage")
REPLY_TOKENS = "1024"
"""Tokens of a reply at most: a small model that repeats itself was stopped after 9,200."""
ANSWER_HEADS = ("strategy", "n", "F1", "answered", "refused", "empty", "failed", "calls", "prompt tokens", "seconds")
DIALOGUE_HEADS = ("approach", "accepted", "rejected", "calls", "prompt tokens", "rejected for")


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is run: the options of the model for the commands, and the folder of results."""

    model_options: tuple[str, ...]
    folder: Path

    def answer(self, strategy: str, first: int | None) -> None:
        """Answer the first questions of the list (None: all); consecutive ones over one graph are one file."""
        lines = [value for _, value in read_lines(QUESTIONS)][:first]
        for number, (kg, block) in enumerate(groupby(lines, key=lambda line: str(line["kg"]))):
            answers = self.folder / f"{strategy}.{number}.jsonl"
            questions = answers.with_name(f"{strategy}.{number}.questions.jsonl")
            questions.write_text("".join(to_json_line(line) + "\n" for line in block), encoding="utf-8")
            graph = str(FOLDER / kg) if (FOLDER / kg).is_file() else kg
            arguments = ("--kg", graph, "--questions", str(questions), "--strategy", strategy)
            self._run("chattykg", "answer", *arguments, "-o", str(answers))

    def generate(self, approach: str, dialogues: int) -> None:
        """Try to make dialogues about entities of the demo graph, one seed for each, and keep the summary."""
        arguments = ("--kg", "demo", "--approach", approach, "--dialogues", str(dialogues))
        output = self.folder / f"{approach}.jsonl"
        summary = self._run(
            "chattygen", "generate", *arguments, f"--set=max_seeds={dialogues}", "--json", "-o", str(output)
        )
        self._summary_path(approach).write_text(summary, encoding="utf-8")

    def _run(self, *command: str) -> str:
        """Run a command with the options of the model, and return what it prints.

        Raises:
            SystemExit: the command failed; its last line is printed, and its exit code handed on.
        """
        call = [sys.executable, "-m", *command, *self.model_options]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode:
            print(next(iter(done.stderr.strip().splitlines()[-1:]), f"{command[0]} failed"), file=sys.stderr)
            raise SystemExit(done.returncode)
        return done.stdout

    def answer_rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the figures of each strategy that has an answer."""
        gold = {turn.id: turn for turn in gold_of_questions(read_questions(QUESTIONS))}
        for strategy in STRATEGIES:
            lines = list(self._answer_lines(strategy))
            if lines:
                answers = read_answer_lines(lines)
                turns = [score_turn(gold[line["id"]], answers.answer_to(line["id"])) for line in lines]
                said = Counter("failed" if line.get("error") else line["status"] for line in lines)
                refused = said["unknown"] + said["clarification"]
                counts = (said["answered"], refused, said["empty"], said["failed"])
                costs = (_sum_usage(lines, "calls"), _sum_usage(lines, "prompt_tokens"))
                seconds = round(sum(line["seconds"] for line in lines))
                figures = (*map(str, counts), *(f"{amount:,}" for amount in (*costs, seconds)))
                yield (strategy, str(len(lines)), rate_text(mean_f1(turns)), *figures)

    def dialogue_rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the figures of each approach that was run."""
        for approach in filter(lambda each: self._summary_path(each).is_file(), APPROACHES):
            summary = json.loads(self._summary_path(approach).read_text(encoding="utf-8"))
            rejected = summary["seeds_used"] - summary["dialogues"]
            figures = (summary["dialogues"], rejected, summary["model_calls"], summary["prompt_tokens"])
            reasons = ", ".join(f"{reason} ({count})" for reason, count in summary["rejected"].items())
            yield (approach, *(f"{figure:,}" for figure in figures), reasons or "-")

    def _answer_lines(self, strategy: str) -> Iterator[Mapping[str, Any]]:
        """Yield the finished answers of a strategy, also of a run that is not at its end."""
        for questions in sorted(self.folder.glob(f"{strategy}.*.questions.jsonl")):
            answers = questions.with_name(questions.name.replace(".questions", ""))
            journal = answers.with_name(f"{answers.name}.journal.jsonl")
            if journal.is_file():
                yield from (line for _, entry in read_lines(journal) for line in entry.get("lines", {}).get("", ()))
            elif answers.is_file():
                yield from (line for _, line in read_lines(answers))

    def _summary_path(self, approach: str) -> Path:
        return self.folder / f"{approach}.summary.json"


def _sum_usage(lines: Sequence[Mapping[str, Any]], name: str) -> int:
    return sum(line.get("usage", {}).get(name, 0) for line in lines)


def render_markdown(baseline: Baseline, model: str, note: str) -> str:
    """Return the page of the baseline: what was measured, when and on which commit, and both tables."""
    home = Path(chattykg.__file__).parent
    commit = subprocess.run(["git", "-C", str(home), "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
    measured = f"{date.today()}, commit {commit.stdout.strip() or 'unknown'}, model `{model}`. {note}".strip()
    parts = ["# Baseline of a small model", measured, "Made by `python benchmarks/model_baseline.py --markdown FILE`."]
    tables = ((ANSWER_HEADS, baseline.answer_rows()), (DIALOGUE_HEADS, baseline.dialogue_rows()))
    for heads, rows in tables:
        ruler = ("---", *["---:"] * (len(heads) - 1))
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in (heads, ruler, *rows)))
    return "\n\n".join(parts) + "\n"


def print_table(heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a table."""
    columns = [Column(heads[0]), *(Column(head, right=True) for head in heads[1:])]
    print("\n".join(render_rows(columns, rows)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the model, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, metavar="SPEC", help="as in openai:NAME")
    parser.add_argument("--base-url", metavar="URL")
    parser.add_argument("--model-timeout", default="3000", metavar="S")
    parser.add_argument("--first", type=int, metavar="N", help="only the first questions of the list")
    parser.add_argument("--dialogues", type=int, default=2, metavar="N", help="how many are tried by each approach")
    parser.add_argument("--output", type=Path, default=Path("small_model"), metavar="DIR", help="where results go")
    parser.add_argument("--cache-dir", type=Path, metavar="DIR", help="where replies are kept [OUTPUT/cache]")
    parser.add_argument("--figures", action="store_true", help="ask nothing, only print the figures")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the figures as a page")
    parser.add_argument("--note", default="", help="a sentence for that page")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    cache = options.cache_dir or options.output / "cache"
    model_options = ["--model", options.model, "--model-timeout", options.model_timeout, "--cache-dir", str(cache),
                     "--set", f"reply_tokens={REPLY_TOKENS}"]  # fmt: skip
    server = ["--base-url", options.base_url] if options.base_url else []
    baseline = Baseline((*model_options, *server), options.output)
    for strategy in () if options.figures else STRATEGIES:
        baseline.answer(strategy, options.first)
    for approach in () if options.figures or not options.dialogues else APPROACHES:
        baseline.generate(approach, options.dialogues)
    print_table(ANSWER_HEADS, list(baseline.answer_rows()))
    print_table(DIALOGUE_HEADS, list(baseline.dialogue_rows()))
    if options.markdown:
        options.markdown.write_text(render_markdown(baseline, options.model, options.note), encoding="utf-8")


if __name__ == "__main__":
    main()
