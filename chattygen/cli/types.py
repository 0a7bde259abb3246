"""``chattygen types``: the types that a benchmark would be about, and why the others are dropped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import SettingsCommand, sanitize_for_terminal
from chattyshared.option_specs import JSON_OPTION
from chattyshared.text import Column, render_rows

from chattygen.cli.options import graph_options
from chattygen.options import OPTION_SPECS, QUOTA_RULES

if TYPE_CHECKING:
    from chattygen.options import QuotaRule
    from chattygen.sampling.node_types import NodeType


_QUESTIONS = (
    "turns",
    "mix",
    "chain",
    "queries",
    "context",
    "context_tokens",
    "list_limit",
    "theta",
    "workers",
    "max_seeds",
)
"""The options of the generator that decide nothing about the types and their quotas."""


@click.command(cls=SettingsCommand)
@graph_options(*(spec for name, spec in OPTION_SPECS.items() if name not in _QUESTIONS), JSON_OPTION)
def types(**options: Any) -> None:
    """Print the types of a knowledge graph: entities, share, dialogues that each would get, and why others get none.

    The dialogues are those by balanced and by proportional quotas; "dropped" is what the quota says. Options and
    settings are those of "generate", and mean the same; no model is asked.

    \b
    Examples:
      chattygen types --kg demo
      chattygen types --kg http://localhost:3030/films/sparql --set quota=proportional --set rare=0.001
    """  # noqa: D301
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.resources import open_graph

    from chattygen.dialogue_language import prefer_labels
    from chattygen.option_parsing import parse_options
    from chattygen.runs.preparation import choose_types, drop_without_plans

    run_options = parse_options(options)
    with startup_errors():
        kg = prefer_labels(open_graph(options), run_options.lang)
        node_types = drop_without_plans(kg, choose_types(kg, run_options))
        other_rule: QuotaRule = "proportional" if run_options.quota == "balanced" else "balanced"
        other = drop_without_plans(kg, choose_types(kg, replace(run_options, quota=other_rule), warn=False))
    ordered = sorted(node_types, key=lambda node: (bool(node.dropped), -node.count, node.iri))
    quotas: dict[str, dict[str, int]] = {
        rule: {node.iri: node.quota for node in selected}
        for rule, selected in ((run_options.quota, node_types), (other_rule, other))
    }
    if options["json"]:
        rows = [asdict(node) | {rule: quotas[rule][node.iri] for rule in QUOTA_RULES} for node in ordered]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join(map(sanitize_for_terminal, _table_lines(ordered, quotas))))
        if unread := kg.ontology_note():
            click.echo(unread)


def _table_lines(node_types: list[NodeType], quotas: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return the lines of the table, the kept types first; an estimated count has its error."""
    columns = (
        Column("type", max_width=40), Column("entities", right=True), Column("share", right=True, min_width=6),
        *(Column(rule, right=True) for rule in QUOTA_RULES), Column("dropped"),
    )  # fmt: skip
    return render_rows(columns, (_row(node, quotas) for node in node_types))


def _row(node: NodeType, quotas: Mapping[str, Mapping[str, int]]) -> tuple[str, ...]:
    count = f"{node.count:,}{f' ± {node.error:,.0f}' if node.error else ''}"
    numbers = [quotas[rule][node.iri] for rule in QUOTA_RULES]
    share = "" if node.dropped else f"{100 * node.share:.1f} %"
    return node.label, count, share, *(str(n) if any(numbers) else "" for n in numbers), node.dropped
