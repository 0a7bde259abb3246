"""``chattykg evaluate``: a file of answers against a file of gold."""

from __future__ import annotations

from pathlib import Path

import click
from chattyshared.commands import warn


@click.command()
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("answers", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
def evaluate(gold: Path, answers: Path, *, as_json: bool) -> None:
    """Score ANSWERS against GOLD and print the table.

    GOLD is a benchmark (of "chattygen generate") or a file of questions with gold answers; ANSWERS is what "chattykg
    answer -o" wrote, or any file of that form. A question without an answer counts as wrong. Turns that the graph
    cannot answer are left out of the rates; how many of them got an answer is said as "false answers".

    \b
    chattykg evaluate bench.jsonl answers.jsonl
    chattykg evaluate --json questions.jsonl answers.jsonl > scores.json
    """
    import json

    from chattykg.evaluation import report
    from chattykg.evaluation.evaluate import evaluate as compare

    found = compare(gold, answers)
    if found.unknown:
        warn(f"{len(found.unknown)} answers are to no question of {gold} and are not counted: {_few(found.unknown)}")
    if found.failed:
        warn(f"{len(found.failed)} lines of {answers} hold errors and count as missing: {_few(found.failed)}")
    if found.scores.missing > len(found.failed):
        warn(f"{found.scores.missing - len(found.failed)} questions have no line in {answers} and count as wrong")
    click.echo(json.dumps(report.as_json(found.scores), indent=2) if as_json else report.as_text(found.scores))


def _few(ids: tuple[str, ...]) -> str:
    return ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
