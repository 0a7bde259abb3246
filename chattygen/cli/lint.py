"""``chattygen lint``: the defects of dialogue files, per class and file."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.exit_codes import DEFECTS
from chattyshared.commands.group import SettingsCommand, exit_on_failures, options_from_specs, sanitize_for_terminal
from chattyshared.commands.inputs import INPUT_FILE, take_box_graph
from chattyshared.commands.progress import show_progress
from chattyshared.option_specs import OptionSpec

from chattygen.cli.options import (
    FIRST,
    REPORT_SPECS,
    graph_options,
    open_reader,
    reader_options,
    warn_of_other_graph,
)

if TYPE_CHECKING:
    from chattygen.lint import LintReport


@click.command(cls=SettingsCommand)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=INPUT_FILE)
@graph_options(required=False)
@options_from_specs(
    OptionSpec("turns", "The expected turns per dialogue, if the file does not state them.", "integer", metavar="N",
               minimum=1),
    *REPORT_SPECS,
)  # fmt: skip
@reader_options("Who reads the dialogues as well, in one call each")
def lint(files: tuple[Path, ...], **options: Any) -> None:
    """Find what a careful reader would not let pass in dialogues.

    Defects are wrong gold, questions that nobody would ask or put so, answers that the graph cannot know wholly,
    pronouns that refer to nothing, broken queries, and more: docs/files.md lists every kind. Rules judge
    gold, queries, names and order; of the English they judge what a table of rows says. --model has a language model
    judge it.

    FILE is a benchmark of "chattygen generate", or JSON that Chatty-Gen or Maestro has published. With --kg every query
    is run again, and questions are judged by how the graph uses its predicates; without it some kinds cannot be judged.
    A box is its own graph, if it is the only FILE. Several files are compared in a table, with "-" for what a file
    cannot show.

    \b
    Examples:
      chattygen lint benchmark.jsonl
      chattygen lint --kg films.ttl --strict benchmark.jsonl
      chattygen lint --verbose ours.jsonl yago_subgraph_summarized_20_5_original.json
      chattygen lint --kg films.ttl --model openai:gpt-5-mini benchmark.jsonl
    """  # noqa: D301
    take_box_graph(options, *(files if len(files) == 1 else ()))
    reports = _run_lint(files, options)
    if options["json"]:
        total = sum(len(report.defects) for report in reports)
        click.echo(json.dumps({"files": [r.to_json() for r in reports], "defects": total}, ensure_ascii=False))
    else:
        from chattygen.lint.report import render_defects, render_figures, render_table

        listing = render_defects(reports, 0 if options["verbose"] else FIRST)
        table = (*render_table(reports), "") if len(reports) > 1 else ()
        click.echo(sanitize_for_terminal("\n".join((*table, *render_figures(reports), *listing))))
    exit_on_failures({"dialogue": sum((report.unexpected for report in reports), Counter())})
    if options["strict"] and any(report.defects for report in reports):
        click.get_current_context().exit(DEFECTS)


def _run_lint(files: tuple[Path, ...], options: dict[str, Any]) -> list[LintReport]:
    """Read the files, open the graph, and lint the files."""
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.resources import open_graph

    from chattygen.lint import ModelJudge, lint_source, open_lint_graph, read_source

    sources = [read_source(path, turns=options["turns"] or 0) for path in files]
    graph = None
    if options["sources"]:
        with startup_errors():
            kg = open_graph(options)
            graph = open_lint_graph(kg)
        for source in sources:
            warn_of_other_graph(source.name, source.header, kg)
    with (
        open_reader(options, "lint") as model,
        show_progress("dialogues", sum(len(source.dialogues) for source in sources)) as on_progress,
    ):
        judge = ModelJudge(model, options["theta"]) if model else None
        return [lint_source(source, graph=graph, judge=judge, on_progress=on_progress) for source in sources]
