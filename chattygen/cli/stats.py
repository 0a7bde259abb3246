"""``chattygen stats``: the figures of benchmarks as a table, as JSON, or as an HTML page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from chattyshared.commands.group import SettingsCommand, print_warning, sanitize_for_terminal
from chattyshared.commands.inputs import INPUT_FILE, restore_input_names
from chattyshared.option_specs import JSON_OPTION, OptionSpec

from chattygen.cli.options import graph_options


@click.command(cls=SettingsCommand)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=INPUT_FILE)
@graph_options(
    OptionSpec("html", "Write a page with plots and a viewer of all turns; it opens offline.", "output"), JSON_OPTION,
    required=False,
)  # fmt: skip
def stats(files: tuple[Path, ...], **options: Any) -> None:
    """Say what benchmarks are like, side by side.

    The figures tell what is asked and how, how it is worded, what the queries are made of, and what it took to make
    them; with --kg also how types and predicates of the graph compare with theirs.

    FILE is a benchmark of "chattygen generate", or a JSON file that Chatty-Gen or Maestro published (as far as that
    says anything). The seeds that failed are read from FILE.rejected.jsonl, the time from FILE.trace.jsonl, what
    the whole run has spent from FILE.spent.jsonl, if they lie there.

    \b
    Examples:
      chattygen stats benchmark.jsonl
      chattygen stats --kg films.ttl --html report.html films.jsonl
      chattygen stats planned.jsonl multi-stage.jsonl --json
    """  # noqa: D301
    from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
    from chattyshared.figures import values_to_json
    from chattyshared.jsonlines import write_atomically
    from chattyshared.resources import open_graph

    from chattygen.stats import compute_figures, open_source
    from chattygen.stats.report import render_page, render_table

    page, sources = options["html"], options["sources"]
    if page is not None:
        require_distinct_paths(page, (*files, *sources))
    opened = [open_source(file) for file in files]
    with startup_errors():
        kg = open_graph(options) if sources else None
        figures = [compute_figures(source, kg) for source in opened]
    for row in figures:
        if kg is not None and not row["ground.is_same"]:
            print_warning(f"{row['file']} does not say that it was made from {row['ground.kg']} as it is now")
    if page is not None:
        write_atomically(page, [restore_input_names(render_page(opened, figures))])
    if options["json"]:
        files_json = {"files": [values_to_json(row) for row in figures]}
        click.echo(restore_input_names(json.dumps(files_json, ensure_ascii=False)))
    else:
        click.echo(sanitize_for_terminal(render_table(figures)))
        if page is not None:
            click.echo(f"\npage  {page}")
