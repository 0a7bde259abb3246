"""What the commands ``judge`` of both programs share: the options, and the summary of all ratings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from chattyshared import option_specs as specs
from chattyshared.commands import group
from chattyshared.errors import ConfigError
from chattyshared.model.option_specs import MODEL_SPECS
from chattyshared.option_specs import OptionSpec
from chattyshared.text import Column, render_rows

if TYPE_CHECKING:
    from chattyshared.judging.judge import JudgeTask

Command = TypeVar("Command", bound=Callable[..., Any])
_SPECS = (
    OptionSpec("ratings", "Ratings to compare with: a CSV file of people with the columns id, rater, criterion and "
               "score (1 to 5), or a file of this command (may be repeated).", "file", (), "FILE", is_repeatable=True),
    OptionSpec("weights", "How a kappa weighs the distance of two scores.", "choice", "quadratic",
               choices=("quadratic", "linear")),
    OptionSpec("gold", "Show the judge the gold answers.", "switch", False),
    OptionSpec("output", "Ratings.", "output", Path("ratings.jsonl")),
    specs.LANG_OPTION, specs.OVERWRITE_OPTION, specs.WORKERS_OPTION, specs.CACHE_OPTION, specs.JSON_OPTION,
    specs.MODEL_TIMEOUT_OPTION, specs.TRACE_SETTING, specs.THETA_SETTING, *MODEL_SPECS,
)  # fmt: skip


def judge_options(command: Command) -> Command:
    """Add the options of the command."""
    return group.model_options("Who judges")(group.options_from_specs(*_SPECS)(command))


def run_judge(tasks: Sequence[JudgeTask], files: Sequence[Path], options: dict[str, Any]) -> None:
    """Judge the tasks that were made from files, unless there is no model, and print the summary of all ratings."""
    from chattyshared.judging.agreement import POWERS, Ratings, add_ratings, summarize
    from chattyshared.judging.judge import judge_to_file

    if not options["ratings"] and not (options["models"] and files):
        raise click.UsageError("a judge needs a FILE and --model MODEL (the rules have no opinion), or --ratings FILE")
    ids = {task.id for task in tasks} if files else None
    ratings: Ratings = {}
    for path in options["ratings"]:
        add_ratings(ratings, path, ids)
    known = {name for raters in ratings.values() for kind, name in raters if kind == "model"}
    if files and (repeated := known.intersection(options["models"])):
        raise ConfigError(f"--ratings: {min(repeated)} has rated these already: leave out that file, or --model")
    lines = judge_to_file(tasks, files, options) if options["models"] and files else []
    if lines:
        add_ratings(ratings, options["output"])
    if not ratings and not lines:
        raise ConfigError("there is not one rating")
    summary = summarize(ratings, lines, POWERS[options["weights"]])
    counts = {name: sum(bool(line.get(name)) for line in lines) for name in ("error", "unread")}
    if options["json"]:
        click.echo(json.dumps({**summary, "judged": len(lines), **counts}, ensure_ascii=False))
    else:
        click.echo(group.sanitize_for_terminal("\n\n".join(_render(*table) for table in summary.items() if table[1])))
    if counts["error"]:
        why = f"{counts['error']} of {len(lines)} are without a rating, {counts['unread']} since no reply held one"
        group.print_warning(f"{why}; the same command asks for them again")
    unexpected = Counter(line["unexpected"] for line in lines if "unexpected" in line)
    group.exit_on_failures({"rating": unexpected}, options["trace"], "--set trace=FILE records the tracebacks")


def _render(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table as text; a figure that is undefined says so."""
    columns = [Column(head, not isinstance(cell, str)) for head, cell in rows[0].items()]
    return "\n".join((name, *render_rows(columns, [[*map(_cell, row.values())] for row in rows])))


def _cell(value: object) -> str:
    return "undefined" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)
