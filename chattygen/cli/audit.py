"""``chattygen audit``: checks a file of gold queries from any source against its knowledge graph."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.exit_codes import DEFECTS
from chattyshared.commands.group import (
    KGSourceType,
    SettingsCommand,
    exit_on_failures,
    options_from_specs,
    sanitize_for_terminal,
)
from chattyshared.commands.inputs import INPUT_FILE, restore_input_names, take_box_graph
from chattyshared.commands.progress import show_progress
from chattyshared.errors import ConfigError
from chattyshared.option_specs import LANG_OPTION, OVERWRITE_OPTION, OptionSpec

from chattygen.cli.certification import (
    CERTIFICATE_SPECS,
    certificate_file,
    check_certificate_options,
    open_certifier,
    open_other_graph,
    write_certificates,
)
from chattygen.cli.options import FIRST, REPORT_SPECS, graph_options, reader_options, warn_of_other_graph

if TYPE_CHECKING:
    from chattygen.audit import AuditReport


@click.command(cls=SettingsCommand)
@click.argument("file", metavar="FILE", type=INPUT_FILE)
@graph_options(required=False)
@options_from_specs(
    LANG_OPTION,
    OptionSpec("output", "Write a repaired copy: queries in SPARQL 1.1, answers as the graph gives them, the old "
               "values kept. With --certify, a copy with certificates and nothing repaired.", "output"),
    OVERWRITE_OPTION, *CERTIFICATE_SPECS, *REPORT_SPECS,
)  # fmt: skip
@click.option("--since", metavar="OLD", multiple=True, type=KGSourceType(),
              help="The graph of which the gold was made (as --kg; may be repeated): say which gold --kg changes, and "
              "why.")  # fmt: skip
@reader_options("Who puts each query back into words, for --certify")
def audit(file: Path, **options: Any) -> None:
    """Run every gold query of FILE on its graph, and say what is wrong.

    Findings are queries that cannot be read or run, that give nothing, or other answers than the file states; and
    questions that are ambiguous, give their answer away, or stand there twice.

    FILE is a benchmark or a file of questions of ours, QALD JSON, LC-QuAD 1 or 2, Chatty-Gen's or Chatty-KG's JSON,
    ConvQuestions, questions.yml of TEXT2SPARQL, or Maestro's; its format is found by its content. Where only queries
    stand, the graph makes the answers.

    --certify keeps what is known about each answer as a certificate in the file: the result on two engines, whether the
    witness is in the graph, ties, other answers that are right as well, with --model the query put back into words, and
    the verdict: certain, ambiguous or defective. "chattykg evaluate" accepts those answers, and --certain scores the
    certain questions alone. The same command writes the same bytes again.

    --since OLD compares the gold on the graph of which it was made with that on --kg: answers changed or lost, and
    predicates and classes renamed (with the rewritten query). -o then writes the copy for the new graph.

    --strict exits with 1 if anything is found; with --certify, if any is defective; with --since, if any has drifted.

    \b
    Examples:
      chattygen audit --kg dump.nt qald-9-test-multilingual.json
      chattygen audit --kg films.ttl --strict benchmark.jsonl
      chattygen audit --kg https://example.org/sparql questions.yml -o repaired.jsonl
      chattygen audit --kg films.ttl --certify benchmark.jsonl
      chattygen audit --kg new.ttl --since old.ttl --strict benchmark.jsonl
    """  # noqa: D301
    if not take_box_graph(options, *(() if options["since"] else (file,))):
        raise click.UsageError("name the graph of the questions by --kg")
    _check_options(file, options)
    report = _audit(file, options)
    _print(report, options)
    if report.stopped is not None:
        raise report.stopped
    exit_on_failures({"question": report.unexpected})
    if options["strict"] and (report.by_certificate["defective"] if options["certify"] else report.found):
        click.get_current_context().exit(DEFECTS)


def _check_options(file: Path, options: dict[str, Any]) -> None:
    """Check that the options go together, and that no output replaces an input.

    Raises:
        ConfigError: they do not, or an output is an input, or lies there already.
    """
    from chattyshared.commands.exit_codes import require_distinct_paths

    output: Path | None = options["output"]
    check_certificate_options(options)
    if options["since"] and options["certify"]:
        raise ConfigError("--since compares two graphs, --certify looks at one: run one after the other")
    if {*map(_identity, options["since"])} == {*map(_identity, options["sources"])}:
        raise ConfigError("--since names the graph of --kg: drift needs an older copy of it, or another address")
    if output:
        read = [file, *options["sources"], *options["since"]]
        require_distinct_paths(output, read, overwrite=options["overwrite"])


def _identity(source: str) -> str:
    return str(Path(source).resolve()) if "://" not in source and Path(source).exists() else source


def _audit(file: Path, options: dict[str, Any]) -> AuditReport:
    """Read the file, open the graph, audit the file there or compare two graphs, and write what is wanted: its
    certificates, or a repaired copy."""
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.formats.gold import read_gold
    from chattyshared.jsonlines import write_atomically
    from chattyshared.resources import open_graph

    from chattygen.audit import audit_gold, compare_graphs, repaired_lines

    gold = read_gold(file, lang=options["lang"])
    target = certificate_file(gold, options["output"]) if options["certify"] else None
    with startup_errors():
        old = open_other_graph(options["since"], options) if options["since"] else None
        kg = open_graph(options)
        hint = "" if old else "; --since with the graph that it was made from says what has changed"
        warn_of_other_graph(gold.path.name, getattr(gold.content, "header", {}), old or kg, hint)
    with open_certifier(kg, options) if target else nullcontext() as certifier:
        with show_progress("questions", len(gold.questions)) as on_progress:
            if old is None:
                report = audit_gold(gold, kg, on_progress, certifier, workers=options["workers"])
            else:
                report = compare_graphs(gold, old, kg, on_progress)
    if target is not None:
        write_certificates(report, target)
    elif options["output"]:
        write_atomically(options["output"], repaired_lines(report, kg))
    return report


def _print(report: AuditReport, options: dict[str, Any]) -> None:
    """Print the report as text, or as one JSON object."""
    from chattygen.audit.report import render_report

    if options["json"]:
        click.echo(restore_input_names(json.dumps(report.to_json(), ensure_ascii=False)))
        return
    lines = render_report(report, 0 if options["verbose"] else FIRST)
    click.echo(sanitize_for_terminal("\n".join(lines)))
