"""Commands that look inside: ``explain``, ``settings`` and ``cache`` in the program, ``doctor`` in an endpoint."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.cache import make_cache_command
from chattyshared.commands.group import (
    SettingsCommand,
    model_options,
    options_from_specs,
    print_status,
    print_warning,
    sanitize_for_terminal,
)
from chattyshared.commands.settings import make_settings_command
from chattyshared.model.option_specs import MODEL_SPECS
from chattyshared.option_specs import JSON_OPTION, MODEL_TIMEOUT_OPTION, OptionSpec

from chattykg.cli import options, resources

if TYPE_CHECKING:
    from chattyshared.endpoint.connection_options import ConnectionOptions
    from chattyshared.profile import Profile

    from chattykg.doctor import DiagnosticReport

cache = make_cache_command("chattykg")
settings = make_settings_command("chattykg", "answer")


@click.command(cls=SettingsCommand)
@options.graph_options(
    OptionSpec("output", "Write what was found of the graph as a profile: see --profile.", "output"),
    OptionSpec("name_terms", "Have the model of --model say what people call tables and columns, and write that into "
               "the profile, too.", "switch", False),
    JSON_OPTION,
)  # fmt: skip
@model_options("Who names tables and columns")
@options_from_specs(MODEL_TIMEOUT_OPTION, *MODEL_SPECS)
def doctor(**options: Any) -> None:
    """Examine a SPARQL endpoint, and how its graph is read.

    The page tells of engine, limits, paging, text search, named graphs, classes, labels and languages what works and
    what does not. It takes up to a minute, and some fifty small queries.

    The profile that -o writes can be edited, and be given to all other commands. With --name-terms it also says what
    people call the classes and predicates that have only the names of tables and columns; those that --profile names
    already stay.

    \b
    chattykg doctor --kg http://localhost:8890/sparql
    chattykg doctor --kg https://example.org/sparql --set contact=mailto:me@example.org -o example.toml
    chattykg doctor --kg export.ttl --name-terms --model openai:gpt-5-mini -o export.toml
    chattykg answer --kg https://example.org/sparql --profile example.toml "How many rivers are there?"
    """  # noqa: D301
    from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
    from chattyshared.endpoint.connection_options import read_connection_options
    from chattyshared.jsonlines import write_atomically
    from chattyshared.kg.profile_file import render_profile

    from chattykg.doctor import render_report

    if options["name_terms"] and not (options["output"] and options["models"]):
        raise click.UsageError("--name-terms needs --model MODEL and -o FILE")
    if options["models"] and not options["name_terms"]:
        raise click.UsageError("--model goes with --name-terms")
    if options["output"]:
        profile_path = (options["profile"],) if options["name_terms"] and options["profile"] else ()
        require_distinct_paths(options["output"], (*options["sources"], *profile_path))
    connection = read_connection_options(options, os.environ)
    with startup_errors():
        report = _examine(options, connection)
    click.echo(
        json.dumps(report.to_json(), ensure_ascii=False, indent=2)
        if options["json"]
        else sanitize_for_terminal("\n".join(render_report(report)))
    )
    if options["output"] and report.profile is not None:
        notes = [
            f"{report.name}, as chattykg doctor has found it.",
            *(f"{finding.name}: {finding.said}" for finding in report.server if finding.said),
        ]
        profile = _name_terms(options) if options["name_terms"] else report.profile
        write_atomically(options["output"], render_profile(profile, timeout=connection.timeout, notes=notes))
        print_status(f"profile: {options['output']} (--profile on the other commands)")


def _name_terms(options: dict[str, Any]) -> Profile:
    """Return the profile of the graph, with names for tables and columns that a model has written.

    Raises:
        ConfigError: the model cannot be opened, or is the rules.
        ModelUnavailable, BudgetSpent: no profile is written.
    """
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.errors import ConfigError
    from chattyshared.model.option_specs import parse_model_assignments

    from chattykg.term_names import name_table_terms, terms_to_name

    spec, _ = parse_model_assignments(options["models"], ())
    if spec == "rules":
        raise ConfigError("the rules name nothing more: --model names a language model")
    with resources.open_model_session(options) as (model_options, model_factory):
        kg = resources.open_graph(options, model_options)
        with startup_errors():
            is_needed = bool(terms_to_name(kg))
            named, failed = name_table_terms(kg, model_factory(spec, {})) if is_needed else ({}, 0)
    stated = dict(kg.profile.names)
    written = f"{len(named)} written" if is_needed else "no class or predicate needs a model, none was asked"
    print_status(f"names: {written}, {len(stated)} kept")
    if failed:
        print_warning(f"{failed} tables and columns have no usable reply: the same command with --profile asks again")
    return replace(kg.profile, names=tuple({**stated, **named}.items()))


def _examine(options: dict[str, Any], connection: ConnectionOptions) -> DiagnosticReport:
    from chattyshared.endpoint.download import is_file_url
    from chattyshared.endpoint.remote import RemoteEndpoint
    from chattyshared.kg.factory import open_kg

    from chattykg import doctor as examination

    sources: tuple[str, ...] = options["sources"]
    if len(sources) != 1 or not sources[0].startswith(("http://", "https://")) or is_file_url(sources[0]):
        return examination.examine_files(
            open_kg(sources, store=options["store"], cache_dir=options["cache_dir"], connection=connection)
        )
    # The doctor reports what a server does not accept, so it retries only once.
    seconds = min(connection.timeout or examination.HEAVY_QUERY_SECONDS, examination.HEAVY_QUERY_SECONDS)
    remote = RemoteEndpoint(sources[0], connection, timeout=seconds, retries=1)
    remote.check_available()
    return examination.examine_server(remote, connection)


@click.command(cls=SettingsCommand)
@click.argument("question", required=False)
@options.graph_options(JSON_OPTION, required=False)
def explain(question: str | None, **options: Any) -> None:
    """Print the graph of agents as a Mermaid diagram; with a QUESTION, how the rules read it.

    Of the diagram, dotted lines are decisions. Each agent that asks a language model can be given one of its own:
    --model qir=openai:NAME. Each reading of a QUESTION, best first, has a score (a log score; more is better), the
    question intermediate representation (QIR), the words that it does not use, and the tree of the grammar's rules.

    \b
    chattykg explain > agents.mmd
    chattykg explain --kg demo "Which films by Christopher Nolan are longer than 150 minutes?"
    """  # noqa: D301
    if question is None:
        from chattykg.graph import render_mermaid

        if options["json"]:
            raise click.UsageError("--json goes with a QUESTION")
        click.echo(render_mermaid())
        return
    if not options["sources"]:
        raise click.UsageError("name the graph of the question by --kg")
    from chattyshared.language.tokenizer import tokenize

    from chattykg.linking.vocabulary_card import build_vocabulary_card
    from chattykg.qir import render_qir, to_json
    from chattykg.rulebook.grammar.parser import parse, render_tree

    parses = parse(question, build_vocabulary_card(question, resources.open_graph(options)))
    if options["json"]:
        readings = [{"score": round(p.score, 2), "unused": p.unused, "qir": to_json(p.qir)} for p in parses]
        click.echo(json.dumps({"question": question, "readings": readings}, ensure_ascii=False, indent=2))
        return
    blocks = [
        f"{number}. {render_qir(p.qir)}\n   score {p.score:.2f}; unused: {', '.join(p.unused) or 'nothing'}\n"
        + render_tree(p.node, tokenize(question), depth=2)
        for number, p in enumerate(parses, 1)
    ]
    click.echo(sanitize_for_terminal("\n\n".join(blocks) or "No rule reads this question."))
