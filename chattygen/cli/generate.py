"""``chattygen generate``: a knowledge graph in, a benchmark file out."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import (
    FiniteRange,
    SectionedCommand,
    SectionedOption,
    config_option,
    exit_on_failures,
    kg_option,
    print_status,
    print_warning,
)

from chattygen.cli import options
from chattygen.option_specs import RUN

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.model.target import ModelOptions

    from chattygen.options import Options
    from chattygen.runs.accounting import GenerationCounts


@click.command(cls=SectionedCommand)
@kg_option()
@options.basic_options
@options.stage_model_options
@click.option(
    "-o",
    "--output",
    type=options.FILE,
    default=Path("benchmark.jsonl"),
    show_default=True,
    help="The benchmark. Rejected seeds lie beside it in OUTPUT.rejected.jsonl.",
)
@click.option("--overwrite", is_flag=True, help="Start anew, whatever lies there.")
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@options.advanced_options
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    cls=SectionedOption,
    section=RUN,
    help="How many dialogues at a time; the result is the same.",
)
@options.cache_options
@click.option(
    "--model-timeout",
    type=FiniteRange(min=0, min_open=True),
    metavar="S",
    default=120.0,
    show_default=True,
    cls=SectionedOption,
    section=RUN,
    help="Seconds that one reply of the model may take.",
)
@click.option(
    "--trace",
    type=options.FILE,
    cls=SectionedOption,
    section=RUN,
    help="Write every model call and every query to this file.",
)
@options.cost_options
@options.endpoint_options
@options.runner_options
def generate(**options: Any) -> None:
    """Make a benchmark: dialogues about the entities of a knowledge graph.

    Each turn has its SPARQL query and its gold answers, taken from the graph itself.

    The command may be interrupted at any time; the same command goes on where it stopped. If the graph cannot give as
    many dialogues as wanted, it makes what it can and says why. An option comes from the command line, else from the
    environment (CHATTY_KG, OPENAI_BASE_URL, CHATTY_CONTACT), else from the file --config. Keys stand in the environment
    alone: OPENAI_API_KEY, GEMINI_API_KEY; for an endpoint CHATTY_KG_USER and CHATTY_KG_PASSWORD, or CHATTY_KG_TOKEN.

    \b
    Examples:
      chattygen generate --kg demo
      chattygen generate --kg films.ttl --kg people.nt.gz --dialogues 50 --turns 4 -o films.jsonl
      chattygen generate --kg http://localhost:3030/films/sparql --type Film --mix boolean=20 --workers 8
      chattygen generate --kg demo --model openai:llama3 --base-url http://localhost:11434/v1
      chattygen generate --kg demo --model openai:gpt-4o-mini --max-usd 2 --dry-run
    """  # noqa: D301
    from chattygen.option_parsing import parse_options
    from chattygen.runs.accounting import form_coverage, render_counts, render_coverage

    wanted = parse_options(options)
    if options["dry_run"]:
        _foretell(options, wanted)
        return
    began = time.perf_counter()
    tally, is_new = _made(options, wanted)
    seconds = round(time.perf_counter() - began, 1) if is_new else None
    found = form_coverage(tally.forms, wanted.mix)
    if options["as_json"]:
        forms = {one.form: {"share": round(one.share, 1), "wanted": round(one.target_share, 1)} for one in found}
        summary = {
            "output": str(options["output"]),
            "wanted": wanted.dialogues,
            **tally.to_json(),
            "coverage": forms,
            "seconds": seconds,
        }
        click.echo(json.dumps(summary, ensure_ascii=False))
    else:
        click.echo(f"{tally.dialogues} dialogues, {tally.turns} turns -> {options['output']}\n")
        click.echo(render_counts(tally, seconds=seconds))
        if found:
            click.echo(f"\n{render_coverage(found)}")
    hint = "--overwrite --trace FILE records the tracebacks"
    exit_on_failures({"seed": tally.unexpected}, options["trace"], hint)


def _made(given: dict[str, Any], wanted: Options) -> tuple[GenerationCounts, bool]:
    """Open what the options name, and generate into the output; tell whether anything was made now."""
    from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
    from chattyshared.kg.profile_file import profile_file_to_json
    from chattyshared.model.from_options import collect_secrets, model_session, with_query_budget
    from chattyshared.model.spend_log import usage_of_run
    from chattyshared.runs.cluster_job import open_cluster_runner
    from chattyshared.runs.dask import open_cluster
    from chattyshared.trace import Trace, file_exists

    from chattygen.cli.progress import show_progress
    from chattygen.option_parsing import input_files
    from chattygen.runs.recording import record_run

    place = given["trace"]
    require_distinct_paths(given["output"], [*given["sources"], *input_files(given)])
    with (
        open_cluster(given) as cluster,
        model_session(given, output=given["output"], on_progress=print_status) as access,
    ):
        with startup_errors():
            model, kg = open_model(given, access), open_graph(given)
            opener = "chattygen.cli.cluster_worker:open_worker_resources"
            runner = open_cluster_runner(cluster, opener, given, kg, access.meter, collect_secrets(os.environ))
        kg = with_query_budget(kg, access)
        trace = Trace(
            place, secrets=collect_secrets(os.environ), replace_existing=place is not None and not file_exists(place)
        )
        with startup_errors(lambda: trace.is_committed), trace, show_progress(wanted.dialogues) as watch:

            def watched(tally: GenerationCounts) -> None:
                trace.commit()
                watch(tally)

            profile = profile_file_to_json(given["profile"])
            tally = record_run(
                kg, model, wanted, given["output"], overwrite=given["overwrite"], trace=trace, stop=access.meter,
                profile=profile, runner=runner, on_progress=watched,
            )  # fmt: skip
            is_new = trace.is_committed
            trace.commit()
        if access.meter is not None:  # the calls that name types belong to no dialogue
            tally.usage = usage_of_run(tally.usage, access.meter.spent.usage)
    return tally, is_new


def open_model(options: dict[str, Any], access: ModelOptions) -> LanguageModel:
    """Open the model for all stages, or one for each."""
    from chattyshared.model.from_options import ModelFactory

    from chattygen import RULEBOOK
    from chattygen.stage_models import open_stage_models

    opened = ModelFactory(options, os.environ, access)
    return open_stage_models(options["models"], lambda spec: opened(spec, RULEBOOK))


def open_graph(options: dict[str, Any]) -> KnowledgeGraph:
    """Open the graph; warn if nothing in it has a label."""
    from chattyshared.endpoint.connection_options import read_connection_options
    from chattyshared.kg.factory import open_kg

    asked = read_connection_options(options, os.environ)
    kg = open_kg(options["sources"], store=options["store"], cache_dir=options["cache_dir"], connection=asked)
    if not kg.profile.has_labels:
        print_warning(f"{kg.name} has no labels: things are called by their IRIs' local names")
    return kg


def _foretell(given: dict[str, Any], wanted: Options) -> None:
    """Say what the run would ask of its models, and cost; make nothing, and ask no model."""
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.model.prices import Prices

    from chattygen.runs.cost_estimate import estimate_generation

    prices = Prices.parse(given["price"])
    with startup_errors():
        found = estimate_generation(
            open_graph(given), wanted, given["models"], lambda spec: prices.price_of_model(spec, given["base_url"])
        )
    if given["as_json"]:
        click.echo(json.dumps({"wanted": wanted.dialogues, **asdict(found.forecast)}))
    else:
        click.echo(f"{wanted.dialogues} dialogues of {wanted.turns} turns: {found.forecast.render_summary()}")
