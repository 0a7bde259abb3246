"""``chattygen audit``: checks a file of gold queries from any source against its knowledge graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.exit_codes import DEFECTS
from chattyshared.commands.group import (
    SectionedCommand,
    exit_on_failures,
    kg_option,
    sanitize_for_terminal,
)
from chattyshared.commands.inputs import INPUT_FILE, restore_input_names
from chattyshared.commands.progress import show_progress

from chattygen.cli.options import graph_options

if TYPE_CHECKING:
    from chattygen.audit import AuditReport

FILE = click.Path(path_type=Path, dir_okay=False)
FIRST = 3
"""Findings of each kind that are listed without --verbose."""


@click.command(cls=SectionedCommand)
@click.argument("file", metavar="FILE", type=INPUT_FILE)
@kg_option('The graph that the questions are about: "demo", RDF files (--kg may be repeated), or the URL of a server.')
@click.option("--lang", metavar="TAG", default="", help="The language to read of a file that holds several.")
@click.option(
    "-o",
    "--output",
    type=FILE,
    help="Write a repaired copy: queries in SPARQL 1.1, answers as the graph gives them, the old values kept.",
)
@click.option("-v", "--verbose", is_flag=True, help=f"List every finding, not the first {FIRST} of each kind.")
@click.option("--strict", is_flag=True, help="Exit with 1 if anything is found.")
@click.option("--overwrite", is_flag=True, help="Replace an existing file at -o.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@graph_options
def audit(file: Path, **options: Any) -> None:
    """Run every gold query of FILE on its graph, and say what is wrong.

    Findings are queries that cannot be read or run, that give nothing, or other answers than the file states; and
    questions that are ambiguous, give their answer away, or stand there twice.

    FILE is a benchmark or a file of questions of ours, QALD JSON, LC-QuAD 1 or 2, Chatty-Gen's or Chatty-KG's JSON,
    ConvQuestions, questions.yml of TEXT2SPARQL, or Maestro's; its format is found by its content. Where only queries
    stand, the graph makes the answers.

    \b
    Examples:
      chattygen audit --kg dump.nt qald-9-test-multilingual.json
      chattygen audit --kg films.ttl --strict benchmark.jsonl
      chattygen audit --kg https://example.org/sparql questions.yml -o repaired.jsonl
    """  # noqa: D301
    from chattyshared.commands.exit_codes import require_distinct_paths
    from chattyshared.errors import ConfigError
    from chattyshared.jsonlines import write_atomically

    from chattygen.audit import repaired_lines
    from chattygen.audit.text_report import render_listing, render_table

    output: Path | None = options["output"]
    if output:
        require_distinct_paths(output, [file, *options["sources"]])
        if output.exists() and not options["overwrite"]:
            raise ConfigError(f"{output} lies there already: name another with -o, or say --overwrite")
    report = _run_audit(file, options)
    if output:
        write_atomically(output, repaired_lines(report))
    if options["as_json"]:
        click.echo(restore_input_names(json.dumps(report.to_json(), ensure_ascii=False)))
    else:
        click.echo(
            sanitize_for_terminal(
                "\n".join((*render_table(report), *render_listing(report, 0 if options["verbose"] else FIRST)))
            )
        )
    exit_on_failures({"question": report.unexpected})
    if options["strict"] and any(verdict.findings for verdict in report.verdicts):
        click.get_current_context().exit(DEFECTS)


def _run_audit(file: Path, options: dict[str, Any]) -> AuditReport:
    """Read the file, open the graph, and audit the file."""
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.formats.gold import read_gold
    from chattyshared.resources import open_graph

    from chattygen.audit import audit_gold

    gold = read_gold(file, lang=options["lang"])
    with startup_errors():
        kg = open_graph(options)
    with show_progress("questions", len(gold.questions)) as on_progress:
        return audit_gold(gold, kg, on_progress)
