"""Drift for ``chattygen audit --since``: the options, the old graph, and the outputs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from chattyshared.commands.exit_codes import DEFECTS
from chattyshared.commands.group import KGSourceType, SectionedOption, exit_on_failures, sanitize_for_terminal
from chattyshared.commands.inputs import restore_input_names
from chattyshared.errors import ConfigError

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph

    from chattygen.audit.drift import DriftReport

Command = TypeVar("Command", bound=Callable[..., Any])
_MARKDOWN_FILE = click.Path(path_type=Path, dir_okay=False)


def drift_options(command: Command) -> Command:
    """Add the options of drift to the command."""
    since = "The graph of which the gold was made (as --kg; may be repeated): say which gold --kg changes, and why."
    markdown = "With --since, write a summary for the comment of a pull request; the file is replaced."
    section: dict[str, Any] = {"cls": SectionedOption, "section": "Drift"}
    for decorate in (
        click.option("--markdown", type=_MARKDOWN_FILE, help=markdown, **section),
        click.option("--since", metavar="OLD", multiple=True, type=KGSourceType(), help=since, **section),
    ):
        command = decorate(command)
    return command


def check_drift_options(options: Mapping[str, Any]) -> None:
    """Check the options of drift.

    Raises:
        ConfigError: they do not go together, or both graphs are one source.
    """
    if options["markdown"] and not options["since"]:
        raise ConfigError("--markdown summarizes drift: name the old graph with --since")
    if options["since"] and options["certify"]:
        raise ConfigError("--since compares two graphs, --certify looks at one: run one after the other")
    if {*map(_identity, options["since"])} == {*map(_identity, options["sources"])}:
        raise ConfigError("--since names the graph of --kg: drift needs an older copy of it, or another address")


def report_drift(file: Path, options: Mapping[str, Any]) -> None:
    """Compare the graphs, write the files that are wanted, print the report, and exit as --strict says."""
    from chattyshared.jsonlines import write_atomically

    from chattygen.audit.drift_repair import updated_lines
    from chattygen.audit.drift_text import render_drift, render_markdown

    report, kg = _compare(file, options)
    if options["output"]:
        write_atomically(options["output"], updated_lines(report, kg))
    if options["markdown"]:
        write_atomically(options["markdown"], map(restore_input_names, render_markdown(report)))
    if options["as_json"]:
        click.echo(restore_input_names(json.dumps(report.to_json(), ensure_ascii=False)))
    else:
        click.echo(sanitize_for_terminal("\n".join(render_drift(report, 0 if options["verbose"] else 3))))
    exit_on_failures({"question": report.unexpected})
    if options["strict"] and report.drifted:
        click.get_current_context().exit(DEFECTS)


def _compare(file: Path, options: Mapping[str, Any]) -> tuple[DriftReport, KnowledgeGraph]:
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.commands.progress import show_progress
    from chattyshared.endpoint.connection_options import read_connection_options
    from chattyshared.endpoint.credentials import Credentials
    from chattyshared.formats.gold import read_gold
    from chattyshared.kg.factory import open_kg
    from chattyshared.resources import open_graph

    from chattygen.audit.drift import compare_graphs

    gold = read_gold(file, lang=options["lang"])
    # The credentials of the environment are those of --kg.
    connection = replace(read_connection_options(options, os.environ), credentials=Credentials())
    with startup_errors():
        old = open_kg(options["since"], cache_dir=options["cache_dir"], connection=connection)
        new = open_graph(options)
    with show_progress("questions", sum(1 for question in gold.questions if question.sparql)) as on_progress:
        return compare_graphs(gold, old, new, on_progress), new


def _identity(source: str) -> str:
    return str(Path(source).resolve()) if "://" not in source and Path(source).exists() else source
