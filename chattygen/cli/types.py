"""``chattygen types``: the types that a benchmark would be about, and why the others are dropped."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import SectionedCommand, config_option, kg_option, sanitize_for_terminal
from chattyshared.text_table import Column, render_rows

from chattygen.cli import options

if TYPE_CHECKING:
    from chattygen.sampling.node_types import NodeType


@click.command(cls=SectionedCommand)
@kg_option()
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
@options.type_options
@options.cache_options
@options.endpoint_options
def types(**options: Any) -> None:
    """Print the types of a knowledge graph: entities, share, dialogues that each would get, and why others get none.

    The options are those of "generate", and mean the same; no model is asked.

    \b
    Examples:
      chattygen types --kg demo
      chattygen types --kg http://localhost:3030/films/sparql --rare 0.001 --no-type Award
    """  # noqa: D301
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.resources import open_graph

    from chattygen.dialogue_language import prefer_labels
    from chattygen.option_parsing import parse_options
    from chattygen.runs.preparation import choose_types

    run_options = parse_options(options)
    with startup_errors():
        kg = prefer_labels(open_graph(options), run_options.lang)
        node_types = choose_types(kg, run_options).types
    ordered = sorted(node_types, key=lambda node: (bool(node.dropped), -node.count, node.iri))
    if options["as_json"]:
        click.echo(json.dumps([asdict(node) for node in ordered], ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join(map(sanitize_for_terminal, _table_lines(ordered))))


def _table_lines(node_types: list[NodeType]) -> list[str]:
    """Return the lines of the table, the kept types first; an estimated count has its error."""
    columns = (
        Column("type", max_width=40), Column("entities", right=True), Column("share", right=True, min_width=6),
        Column("quota", right=True), Column("dropped"),
    )  # fmt: skip
    return render_rows(columns, map(_row, node_types))


def _row(node: NodeType) -> tuple[str, ...]:
    count = f"{node.count:,}{f' ± {node.error:,.0f}' if node.error else ''}"
    share, quota = ("", "") if node.dropped else (f"{100 * node.share:.1f} %", str(node.quota))
    return node.label, count, share, quota, node.dropped
