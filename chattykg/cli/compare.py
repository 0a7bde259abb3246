"""``chattykg compare``: runs the cells of a plan, and compares them."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import click
from chattyshared.commands.exit_codes import BAD_INPUT, DONE, STOPPED, exit_code_and_message
from chattyshared.commands.group import SettingsCommand, print_status, sanitize_for_terminal, toml_keys
from chattyshared.commands.inputs import INPUT_FILE
from chattyshared.errors import ChattyError, ConfigError
from chattyshared.runs.lock import OutputLock

from chattygen.cli.generate import generate
from chattykg.cli import engines, resources
from chattykg.cli.answer import answer

if TYPE_CHECKING:
    from chattykg.comparison.plan import Cell, Plan
    from chattykg.comparison.results import Scored


@click.command(cls=SettingsCommand)
@click.argument("plan", type=INPUT_FILE)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of all files; comparisons/NAME unless said.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the tables as one JSON object.")
@click.option("--overwrite", metavar="CELL", multiple=True, help='Start a cell anew; "demo--*" are several.')
@click.option("--dry-run", is_flag=True, help="Only list the cells, and estimate what they would ask of a model.")
def compare(plan: Path, output: Path | None, *, as_json: bool, overwrite: tuple[str, ...], dry_run: bool) -> None:
    """Run the systems of PLAN on its graphs, and print one table of all.

    PLAN is a TOML file: [[systems]] are options of "chattykg answer", [[graphs]] have gold or a benchmark, which
    [[benchmarks]] make by options of "chattygen generate". A list as a value makes a cell of each. The folder holds
    the file of each cell, comparison.json and comparison.html. Stop it whenever you like: the same command goes on
    from there, and keeps the cells whose options are the same.

    \b
    chattykg compare plan.toml --dry-run
    chattykg compare plan.toml -o comparisons/mine
    """
    from chattyshared.jsonlines import write_atomically

    from chattykg.comparison import report, results
    from chattykg.comparison.plan import read_plan

    folder = (output or Path("comparisons") / plan.stem).resolve()
    content = read_plan(plan, folder / "cells", toml_keys(answer), toml_keys(generate))
    with contextlib.chdir(plan.resolve().parent):
        _check(plan, content, overwrite)
        if dry_run:
            for cell in content.cells:
                click.echo(f"{cell.output.stem}: {' '.join(cell.arguments)}")
                if (cell.gold is None or cell.gold.is_file()) and (why := _run(cell, "--dry-run")[1]):
                    print_status(why)
            return
        with OutputLock(folder / "comparison"):
            outcomes = _run_cells(content, overwrite)
            done = [cell for cell, (_, reason) in outcomes.items() if not reason]
            scored = list(_score(content, done))
            tables: report.Tables = {
                "systems": results.system_rows(scored, content.baseline),
                "measures of the published tables": list(results.measure_rows(scored)),
                "solved / all questions": list(results.question_rows(scored)),
                "languages": list(results.language_rows(scored)),
                "candidate queries": list(results.filter_rows(scored)),
                "agreement of the sets on the order of the systems": [
                    *results.agreement_rows(scored, seed=content.seed)
                ],
                "notes": list(results.note_rows(scored)),
                "benchmarks": [results.benchmark_row(cell) for cell in done if cell.gold is None],
                "not done": [{"cell": cell.output.stem, "why": why} for cell, (_, why) in outcomes.items() if why],
            }
            text = json.dumps(tables, ensure_ascii=False, indent=2)
            write_atomically(folder / "comparison.json", [text])
            write_atomically(folder / "comparison.html", [report.render_page(plan.stem, tables)])
    click.echo(text if as_json else sanitize_for_terminal(report.render_tables(tables)))
    click.get_current_context().exit(max(code for code, _ in outcomes.values()))


def _open(cell: Cell, *more: str) -> click.Context:
    """Parse the options of a cell."""
    arguments = [*cell.arguments, f"--output={cell.output}", *more]
    return (answer if cell.gold else generate).make_context("", arguments, parent=click.get_current_context())


def _check(path: Path, plan: Plan, overwrite: tuple[str, ...]) -> None:
    """Check the options of all cells, and the files of gold that are there, before anything runs."""
    from chattyshared.formats.gold import read_gold

    if unknown := [name for name in overwrite if not any(fnmatch(cell.output.stem, name) for cell in plan.cells)]:
        raise click.UsageError(f"--overwrite: no cell is called {unknown[0]}")
    for cell in plan.cells:
        try:
            params = _open(cell).params
            if cell.gold:
                engines.select_engine_kind(params)
                resources.engine_settings(params)
        except (click.UsageError, ConfigError) as error:
            text = error.format_message() if isinstance(error, click.UsageError) else error
            raise ConfigError(f"{path}: {cell.output.stem}: {text}") from error
    for gold, lang in {(cell.gold, cell.lang) for cell in plan.cells if cell.gold and cell.gold.is_file()}:
        read_gold(gold, lang=lang, repair_queries=False)


def _run_cells(plan: Plan, overwrite: tuple[str, ...]) -> dict[Cell, tuple[int, str]]:
    """Run the cells; return the exit code of each, and why it is not done (empty: it is).

    A complete cell that stops before it changes a line, as it asks again for those with errors, is done as it lies.
    """
    from chattyshared.model.spend_log import spend_log_path

    outcomes: dict[Cell, tuple[int, str]] = {}
    failed: set[Path] = set()
    is_stopped = False
    for number, cell in enumerate(plan.cells, 1):
        is_anew = any(fnmatch(cell.output.stem, name) for name in overwrite)
        is_complete = _is_complete(cell.output) and not is_anew
        if cell.gold in failed or (is_stopped and not is_complete):
            outcomes[cell] = DONE, "its benchmark is not done" if cell.gold in failed else "not begun"
            continue
        print_status(f"{number} of {len(plan.cells)}: {cell.output.stem}")
        if is_anew:
            cell.output.with_name(f"{cell.output.name}.trace.jsonl").unlink(missing_ok=True)
            if (log := spend_log_path(cell.output)).exists():  # what it has spent still counts
                log.rename(log.with_name(f"{cell.output.stem}.{log.stat().st_mtime_ns}.spent.jsonl"))
        limits = ["--set=max_calls=0"] if is_stopped else _remaining_limits(plan, cell.output, is_complete=is_complete)
        code, why = _run(cell, *limits, *["--overwrite"] * is_anew)
        is_stopped = is_stopped or (code == STOPPED and bool(why))
        if is_complete and code == STOPPED and _is_complete(cell.output):
            why = ""
        outcomes[cell] = code, why
        if why:
            print_status(f"not done: {why}")
            failed.add(cell.output)
    return outcomes


def _run(cell: Cell, *more: str) -> tuple[int, str]:
    """Run a cell as its command would; return the exit code, and the error that ended it."""
    try:
        with contextlib.redirect_stdout(sys.stderr), _open(cell, *more) as context:
            context.command.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code, ""
    except click.UsageError as error:
        return BAD_INPUT, error.format_message()
    except ChattyError as error:
        return exit_code_and_message(error)
    return DONE, ""


def _remaining_limits(plan: Plan, output: Path, *, is_complete: bool) -> Iterator[str]:
    """Yield the limits of a cell: those of all cells less what the others have spent; a complete one may read."""
    from chattyshared.model.spend_log import Spending, SpendLog, spend_log_path

    from chattykg.comparison.plan import LIMITS, make_argument

    logs = (path for path in output.parent.glob("*.spent.jsonl") if path != spend_log_path(output))
    spent = sum((SpendLog(path).earlier_spending for path in logs), Spending())
    amounts = {"max-tokens": spent.tokens, "max-calls": spent.usage.calls, "max-usd": spent.usage.usd or 0}
    if not is_complete:
        amounts |= {"max-queries": spent.queries, "max-minutes": spent.seconds / 60}
    for key, amount in amounts.items():
        if key in plan.limits:
            yield make_argument(key, max(0, plan.limits[key] - amount), is_setting=LIMITS[key].is_setting)


def _is_complete(output: Path) -> bool:
    manifest = output.with_name(f"{output.name}.run.json")
    return manifest.is_file() and '"complete": true' in manifest.read_text(encoding="utf-8")


def _score(plan: Plan, done: list[Cell]) -> Iterator[Scored]:
    """Score the finished cells of each graph, the baseline first."""
    from chattykg.evaluation.evaluate import evaluate_systems

    for graph in dict.fromkeys(cell.graph for cell in done if cell.gold):
        answered = [cell for cell in done if cell.gold and cell.graph == graph]
        cells = sorted(answered, key=lambda cell: cell.name != plan.baseline)
        params, gold, outputs = _open(cells[0]).params, cells[0].gold, [cell.output for cell in cells]
        kg = resources.open_graph(params) if params["sources"] else None
        assert gold is not None
        yield cells, evaluate_systems(gold, outputs, lang=cells[0].lang, seed=plan.seed, kg=kg)
