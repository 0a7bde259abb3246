"""Commands that look inside: ``chattykg graph``, ``parse`` and ``cache`` in the program, ``doctor`` in an endpoint."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands import group
from chattyshared.commands.cache import make_cache_command
from chattyshared.commands.group import print_status, print_warning, sanitize_for_terminal

from chattykg.cli import options, resources

if TYPE_CHECKING:
    from chattyshared.endpoint.connection_options import ConnectionOptions
    from chattyshared.profile import Profile

    from chattykg.doctor import DiagnosticReport

cache = make_cache_command("chattykg")


@click.command()
@options.kg_options
@click.option(
    "-o", "--output", type=options.FILE, help="Write what was found of the graph as a profile: see --profile."
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object.")
@click.option(
    "--name-terms",
    is_flag=True,
    help="Have the model of --model say what people call tables and columns, and write that into the profile, too.",
)
@group.model_options("Who names tables and columns")
@options.model_run_options
def doctor(**options: Any) -> None:
    """Examine a SPARQL endpoint, and how its graph is read.

    The page tells of engine, limits, paging, text search, named graphs, classes, labels and languages what works and
    what does not. It takes up to a minute, and some fifty small queries.

    The profile that -o writes can be edited, and be given to all other commands. With --name-terms it also says what
    people call the classes and predicates that have only the names of tables and columns; those that --profile names
    already stay.

    \b
    chattykg doctor --kg http://localhost:8890/sparql
    chattykg doctor --kg https://example.org/sparql --contact mailto:me@example.org -o example.toml
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
        if options["as_json"]
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


@click.command()
@click.argument("question")
@options.kg_options
@click.option("--json", "as_json", is_flag=True, help="Print the readings as one JSON object.")
def parse(**options: Any) -> None:
    """Show how the rules read QUESTION: the trees of its readings, best first, and what they ask for.

    Each reading has a score (a log score; more is better), the tree of the grammar's rules, the question intermediate
    representation (QIR), and the words of the question that it does not use.

    \b
    chattykg parse --kg demo "Which films by Christopher Nolan are longer than 150 minutes?"
    """  # noqa: D301
    from chattyshared.language.tokenizer import tokenize

    from chattykg.linking.vocabulary_card import build_vocabulary_card
    from chattykg.qir import render_qir, to_json
    from chattykg.rulebook.grammar.parser import parse as parse_question
    from chattykg.rulebook.grammar.parser import render_tree

    question = options["question"]
    kg = resources.open_graph(options)
    parses = parse_question(question, build_vocabulary_card(question, kg))
    if options["as_json"]:
        readings = [{"score": round(p.score, 2), "unused": p.unused, "qir": to_json(p.qir)} for p in parses]
        click.echo(json.dumps({"question": question, "readings": readings}, ensure_ascii=False, indent=2))
        return
    blocks = [
        f"{number}. {render_qir(p.qir)}\n   score {p.score:.2f}; unused: {', '.join(p.unused) or 'nothing'}\n"
        + render_tree(p.node, tokenize(question), depth=2)
        for number, p in enumerate(parses, 1)
    ]
    click.echo(sanitize_for_terminal("\n\n".join(blocks) or "No rule reads this question."))


@click.command()
def graph() -> None:
    """Print the graph of agents as a Mermaid diagram.

    Dotted lines are decisions. Each agent that asks a language model can be given one of its
    own: --model qir=openai:NAME.

    \b
    chattykg graph > agents.mmd
    """
    from chattykg.graph import render_mermaid

    click.echo(render_mermaid())
