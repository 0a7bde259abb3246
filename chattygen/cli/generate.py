"""``chattygen generate``: makes a benchmark file from a knowledge graph."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared import option_specs as specs
from chattyshared.commands.exit_codes import BAD_INPUT
from chattyshared.commands.group import (
    SettingsCommand,
    exit_on_failures,
    model_options,
    options_from_specs,
    print_status,
)
from chattyshared.commands.progress import show_progress
from chattyshared.model.option_specs import DRY_RUN_OPTION, MODEL_SPECS
from chattyshared.option_specs import OptionSpec
from chattyshared.runs.runner import SCHEDULER_SETTING

from chattygen.cli.options import STAGE_MODELS, graph_options
from chattygen.options import OPTION_SPECS

if TYPE_CHECKING:
    from chattyshared.model import LanguageModel
    from chattyshared.model.target import ModelOptions
    from chattyshared.runs.remote_worker import WorkerResources

    from chattygen.options import Options
    from chattygen.runs.accounting import GenerationCounts
    from chattygen.runs.slots import SlotWorker


@click.command(cls=SettingsCommand)
@graph_options()
@options_from_specs(*OPTION_SPECS.values())
@model_options("Who writes", STAGE_MODELS)
@options_from_specs(
    OptionSpec("output", "The benchmark. Rejected seeds go to OUTPUT.rejected.jsonl, calls and queries to "
               "OUTPUT.trace.jsonl.", "output", Path("benchmark.jsonl")),
    specs.OVERWRITE_OPTION, specs.MODEL_TIMEOUT_OPTION, *MODEL_SPECS, DRY_RUN_OPTION, specs.JSON_OPTION,
    specs.TRACE_SETTING, SCHEDULER_SETTING,
)  # fmt: skip
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
    from chattyshared.trace import trace_path_of

    from chattygen.mix import form_coverage
    from chattygen.option_parsing import parse_options
    from chattygen.runs.accounting import render_counts, render_coverage

    run_options = parse_options(options)
    if options["dry_run"]:
        _print_estimate(options, run_options)
        return
    start = time.perf_counter()
    counts, is_new = _generate(options, run_options)
    seconds = round(time.perf_counter() - start, 1) if is_new else None
    coverage = form_coverage(counts.forms, run_options.mix)
    if options["json"]:
        summary = {
            "output": str(options["output"]),
            "wanted": run_options.lines,
            **counts.to_json(),
            "coverage": {row.form: row.to_json() for row in coverage},
            "seconds": seconds,
        }
        click.echo(json.dumps(summary, ensure_ascii=False))
    else:
        click.echo(f"{counts.dialogues} dialogues, {counts.turns} turns -> {options['output']}\n")
        click.echo(render_counts(counts, seconds=seconds))
        if coverage:
            click.echo(f"\n{render_coverage(coverage)}")
    trace_path = options["trace"] or trace_path_of(options["output"])
    exit_on_failures({"seed": counts.unexpected}, trace_path)
    if not counts.dialogues:
        click.get_current_context().exit(BAD_INPUT)


def _generate(options: dict[str, Any], run_options: Options) -> tuple[GenerationCounts, bool]:
    """Open the resources of the options, and generate into the output; return whether anything was made now as well."""
    from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
    from chattyshared.kg.profile_file import profile_file_to_json
    from chattyshared.model.registry import collect_secrets, model_session, with_query_budget
    from chattyshared.model.spend_log import usage_of_run
    from chattyshared.resources import open_graph
    from chattyshared.runs.cluster_job import open_cluster_runner
    from chattyshared.runs.dask import open_cluster
    from chattyshared.trace import open_run_trace, trace_path_of

    from chattygen.option_parsing import input_files
    from chattygen.runs.recording import record_run

    trace_path = options["trace"] or trace_path_of(options["output"])
    require_distinct_paths(options["output"], [*options["sources"], *input_files(options)])
    with (
        open_cluster(options) as cluster,
        model_session(options, output=options["output"], on_progress=print_status) as access,
    ):
        with startup_errors():
            model, kg = open_model(options, access), open_graph(options)
            opener = "chattygen.cli.generate:open_worker_resources"
            runner = open_cluster_runner(cluster, opener, options, kg, access.meter, collect_secrets(os.environ))
        kg = with_query_budget(kg, access)
        trace = open_run_trace(
            trace_path,
            is_named=options["trace"] is not None,
            overwrite=options["overwrite"],
            secrets=collect_secrets(os.environ),
        )
        with startup_errors(lambda: trace.is_committed), trace, show_progress("dialogues", run_options.lines) as bar:

            def on_progress(counts: GenerationCounts) -> None:
                trace.commit()
                bar(counts.dialogues - bar.done, _progress_figures(counts))

            profile = profile_file_to_json(options["profile"])
            counts = record_run(
                kg, model, run_options, options["output"], overwrite=options["overwrite"], trace=trace,
                stop=access.meter, profile=profile, runner=runner, on_progress=on_progress,
            )  # fmt: skip
            is_new = trace.is_committed
            trace.commit()
        if access.meter is not None:  # the calls that choose label predicates belong to no dialogue
            counts.usage = usage_of_run(counts.usage, access.meter.spent.usage)
    return counts, is_new


def _progress_figures(counts: GenerationCounts) -> dict[str, str]:
    """Return the seeds, tokens and price, if it is known, that stand behind the bar."""
    usage = counts.usage
    figures = {
        "accepted": str(counts.dialogues),
        "rejected": str(counts.rejected.total()),
        "tokens": f"{usage.prompt_tokens + usage.completion_tokens:,}",
    }
    return figures if usage.usd is None else {**figures, "usd": f"{usage.usd:.3f}"}


def open_model(options: Mapping[str, Any], access: ModelOptions) -> LanguageModel:
    """Open the model for all stages, or one for each."""
    from chattyshared.resources import open_model_factory

    from chattygen import RULEBOOK
    from chattygen.stage_models import open_stage_models

    open_one = open_model_factory(options, access)
    return open_stage_models(options["models"], lambda spec: open_one(spec, RULEBOOK))


@contextmanager
def open_worker_resources(options: Mapping[str, Any]) -> Iterator[WorkerResources[SlotWorker]]:
    """Open the graph and the models of a command's options in a worker of a cluster, with the keys in its environment.

    Raises:
        ConfigError: a file, a key or another resource of the options is missing on this machine.
        EndpointError: the endpoint fails from this machine.
    """
    from chattyshared.model import close_model
    from chattyshared.model.registry import collect_secrets, model_session, with_query_budget
    from chattyshared.resources import open_graph
    from chattyshared.runs.cluster_job import job_stamp
    from chattyshared.runs.remote_worker import WorkerResources

    from chattygen.dialogue_language import prefer_labels
    from chattygen.run import RunCache
    from chattygen.runs.slots import SlotWorker

    with model_session(options) as access:
        model, kg = open_model(options, access), open_graph(options)
        stamp, cache = job_stamp(kg), RunCache()
        kg = prefer_labels(with_query_budget(kg, access), options["lang"])
        assert access.meter is not None
        try:
            yield WorkerResources(
                lambda trace: SlotWorker(kg, model, trace, cache), access.meter, stamp, collect_secrets(os.environ)
            )
        finally:
            close_model(model)


def _print_estimate(options: dict[str, Any], run_options: Options) -> None:
    """Print the estimated calls, tokens and cost of the run; no model is asked."""
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.model.prices import Prices
    from chattyshared.resources import open_graph

    from chattygen.runs.accounting import estimate_generation

    prices = Prices.parse(options["price"])
    with startup_errors():
        estimate = estimate_generation(
            open_graph(options),
            run_options,
            options["models"],
            lambda spec: prices.price_of_model(spec, options["base_url"]),
        )
    if options["json"]:
        click.echo(json.dumps({"wanted": run_options.dialogues, **asdict(estimate.forecast)}))
    else:
        click.echo(
            f"{run_options.dialogues} dialogues of {run_options.turns} turns: {estimate.forecast.render_summary()}"
        )
