"""``chattygen lint``: the defects of dialogue files, per class and file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared import option_specs as specs
from chattyshared.commands.exit_codes import DEFECTS
from chattyshared.commands.group import (
    SectionedCommand,
    exit_on_failures,
    kg_option,
    model_options,
    options_from_specs,
    sanitize_for_terminal,
)
from chattyshared.commands.inputs import INPUT_FILE, take_box_graph
from chattyshared.commands.progress import show_progress
from chattyshared.model.option_specs import BUDGET_OPTIONS, SERVER_OPTIONS, parse_model_assignments
from chattyshared.option_specs import OptionSpec

from chattygen.cli.options import graph_options, warn_of_other_graph

if TYPE_CHECKING:
    from chattygen.lint import LintReport, ModelJudge

FIRST = 3
"""Messages of each kind that are listed without --verbose."""
_SECTION = "Language model"
_MODEL_SPECS = (
    OptionSpec("theta", "Attempts that the model has at each reply.", "integer", specs.THETA, "N", minimum=1,
               section=_SECTION),
    *(replace(spec, section=_SECTION) for spec in (specs.MODEL_TIMEOUT_OPTION, specs.TRACE_OPTION)),
    *(spec for spec in BUDGET_OPTIONS if spec.name != "max_queries"), *SERVER_OPTIONS,
)  # fmt: skip


@click.command(cls=SectionedCommand)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=INPUT_FILE)
@kg_option(
    'The graph that the dialogues are about ("demo", RDF files, or a URL): runs every query again, and judges '
    "questions by how the graph uses its predicates.",
    required=False,
)
@click.option(
    "--turns",
    type=click.IntRange(min=1),
    metavar="N",
    help="The expected turns per dialogue, if the file does not state them.",
)
@model_options("Who reads the dialogues as well, in one call each")
@click.option("-v", "--verbose", is_flag=True, help=f"List every message, not the first {FIRST} of each kind.")
@click.option("--strict", is_flag=True, help="Exit with 1 if there is any defect.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@options_from_specs(_MODEL_SPECS)
@graph_options
def lint(files: tuple[Path, ...], **options: Any) -> None:
    """Find what a careful reader would not let pass in dialogues.

    Defects are wrong gold, questions that nobody would ask or put so, answers that the graph cannot know wholly,
    pronouns that refer to nothing, broken queries, and more: docs/files.md lists every kind. Rules judge
    gold, queries, names and order; of the English they judge what a table of rows says. --model has a language model
    judge it.

    FILE is a benchmark of "chattygen generate", or JSON that Chatty-Gen or Maestro has published. Without --kg some
    kinds cannot be judged; a box is its own graph, if it is the only FILE. Several files are compared in a table,
    with "-" for what a file cannot show.

    \b
    Examples:
      chattygen lint benchmark.jsonl
      chattygen lint --kg films.ttl --strict benchmark.jsonl
      chattygen lint --verbose ours.jsonl yago_subgraph_summarized_20_5_original.json
      chattygen lint --kg films.ttl --model openai:gpt-5-mini benchmark.jsonl
    """  # noqa: D301
    take_box_graph(options, *(files if len(files) == 1 else ()))
    reports = _run_lint(files, options)
    if options["as_json"]:
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

    from chattygen.lint import lint_source, open_lint_graph, read_source

    sources = [read_source(path, turns=options["turns"] or 0) for path in files]
    graph = None
    if options["sources"]:
        with startup_errors():
            kg = open_graph(options)
            graph = open_lint_graph(kg)
        for source in sources:
            warn_of_other_graph(source.name, source.header, kg)
    with (
        _open_judge(options) as judge,
        show_progress("dialogues", sum(len(source.dialogues) for source in sources)) as on_progress,
    ):
        return [lint_source(source, graph=graph, judge=judge, on_progress=on_progress) for source in sources]


@contextmanager
def _open_judge(options: Mapping[str, Any]) -> Iterator[ModelJudge | None]:
    """Open the model that reads the dialogues, if one is named.

    Raises:
        ConfigError: it cannot be opened.
    """
    from chattyshared.model.registry import model_session
    from chattyshared.resources import open_model_factory, secrets
    from chattyshared.trace import Trace, TracedModel

    from chattygen.lint import ModelJudge

    if options["models"] in ((), ("rules",)):
        if options["models"]:
            click.echo("lint: the rule model judges no English; the checks by graph and by rows go on", err=True)
        yield None
        return
    spec, _ = parse_model_assignments(options["models"], ())
    with model_session(options) as settings, Trace(options["trace"], secrets=secrets()) as trace:
        yield ModelJudge(TracedModel(open_model_factory(options, settings)(spec, {}), trace, "lint"), options["theta"])
