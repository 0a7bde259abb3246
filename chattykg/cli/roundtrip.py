"""``chattykg roundtrip``: generate, answer, score in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import (
    SectionedCommand,
    config_option,
    exit_on_failures,
    options_from_specs,
    print_warning,
)

import chattygen
from chattykg.cli import engines, options, resources
from chattykg.cli.progress import show_progress
from chattykg.cli.resources import ModelChoice

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model.from_options import ModelFactory
    from chattyshared.model.target import ModelOptions
    from chattyshared.runs.dask import DaskCluster
    from chattyshared.runs.runner import Runner

    from chattykg.roundtrip import RoundtripModels, RoundtripResult, RunFolder
    from chattykg.runs.answer_run import EngineConfig


@click.command(cls=SectionedCommand)
@options.kg_options
@options_from_specs(setting for setting in chattygen.OPTION_SPECS if not setting.section)
@options.model_options
@click.option(
    "--generate-model",
    "generate_models",
    metavar="MODEL",
    multiple=True,
    help="The model that makes the dialogues, if not --model; for single stages questions=MODEL, queries=..., "
    "dialogues=..., labels=....",
)
@click.option(
    "--answer-model",
    "answer_models",
    metavar="MODEL",
    multiple=True,
    help="The model that answers, if not --model; for single agents qir=MODEL, matching=..., planning=..., direct=...",
)
@options.engine_options
@options.asking_options
@options.run_options
@options.trace_option
@config_option
@click.option("-o", "--output", type=options.FOLDER, help="The folder for all that is made; runs/NAME unless said.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
@options.dry_run_option
@options.cost_options
@options_from_specs(setting for setting in chattygen.OPTION_SPECS if setting.section)
@options.machine_options
def roundtrip(**options: Any) -> None:
    """Make a benchmark from a knowledge graph, answer it, and print the scores.

    The folder holds benchmark.jsonl, answers.jsonl, scores.json, and a trace of every model call and every query of
    both halves. Stop it whenever you like: the same command goes on from there, and prints the table again when all is
    done.

    \b
    chattykg roundtrip --kg demo --dialogues 5 --turns 5
    chattykg roundtrip --kg vocabulary.ttl --kg data.nt.gz --workers 4 -o runs/mine
    chattykg roundtrip --kg my.ttl --generate-model rules --answer-model openai:gpt-4o-mini
    """
    from chattyshared.kg.profile_file import profile_file_to_json
    from chattyshared.runs.dask import open_cluster

    from chattykg import roundtrip as trip
    from chattykg.runs.answer_run import RunOptions

    wanted = chattygen.parse_options(options)
    if options["dry_run"]:
        _foretell(options, wanted)
        return
    folder = trip.RunFolder(options["output"] or Path("runs") / trip.run_folder_name(options["sources"]))
    with (
        open_cluster(options) as cluster,
        resources.open_model_session(options, folder.path / "roundtrip") as (access, opened),
        show_progress("dialogues", wanted.dialogues) as made,
        show_progress("answers", wanted.dialogues * wanted.turns) as told,
    ):
        models = _models(options, opened)
        kg = resources.open_graph(options, access)
        makers, askers = _runners(options, cluster, kg, access, models.config)
        way = RunOptions(
            options["history"], options["wording"], options["workers"], options["overwrite"], options["trace"],
            secrets=resources.secrets(), on_progress=told, stop=access.meter,
            profile=profile_file_to_json(options["profile"]), runner=askers,
        )  # fmt: skip
        done = trip.roundtrip(
            kg, replace(models, generation_runner=makers), wanted, folder, way, lambda count: made(count - made.done)
        )
    if others := done.errors - done.unexpected["question"].total():
        named = _chosen(options)[1].describe()
        print_warning(f"{others} questions ended in an error; {engines.retry_hint(named)}")
    _print(done, kg.name, folder, options)
    exit_on_failures(done.unexpected, options["trace"] or folder.path)


def _print(done: RoundtripResult, name: str, folder: RunFolder, given: Mapping[str, Any]) -> None:
    """Print the scores, and where the files lie."""
    import json

    from chattykg.evaluation import report

    if given["as_json"]:
        click.echo(json.dumps(report.scores_to_json(done.scores), indent=2))
        return
    click.echo(f"{name}: {done.dialogues} dialogues\n\n{report.render_scores(done.scores)}\n")
    places = (("benchmark", folder.benchmark), ("answers", folder.answers), ("scores", folder.scores))
    traces = (("trace", given["trace"]),) if given["trace"] else zip(("traces", ""), folder.traces, strict=True)
    for name, path in (*places, *traces):
        click.echo(f"{name:<11}{path}")


def _chosen(given: Mapping[str, Any]) -> tuple[Sequence[str], ModelChoice]:
    """Return the models that write, as specs of stages, and those that answer.

    Raises:
        ConfigError: an agent is unknown.
        UsageError: the model of both halves is given for single agents.
    """
    both = ModelChoice.from_options(given)
    if both.agents:
        raise click.UsageError("name single agents by --answer-model, and single stages by --generate-model")
    return given["generate_models"] or [both.spec], ModelChoice.from_options(given, given["answer_models"])


def _runners(
    given: Mapping[str, Any],
    cluster: DaskCluster | None,
    kg: KnowledgeGraph,
    access: ModelOptions,
    outfit: EngineConfig,
) -> tuple[Runner | None, Runner | None]:
    """Return who makes the dialogues on a cluster, and who answers there; None where there is none.

    Raises:
        ConfigError: an option holds a secret, which would travel; the endpoint does not answer.
    """
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.runs.cluster_job import open_cluster_runner

    from chattykg.cli.cluster_worker import ENGINE_WORKER

    making = {**given, "models": tuple(_chosen(given)[0])}
    answering = {
        **given,
        "models": tuple(given["answer_models"] or given["models"]),
        "engine": "chatty",
        "context": "answers",
        "dataset": "",
    }
    with startup_errors():
        return (
            open_cluster_runner(
                cluster,
                "chattygen.cli.cluster_worker:open_worker_resources",
                making,
                kg,
                access.meter,
                resources.secrets(),
            ),
            open_cluster_runner(
                cluster, ENGINE_WORKER, answering, kg, access.meter, resources.secrets(), outfit.to_manifest()
            ),
        )


def _foretell(given: Mapping[str, Any], wanted: chattygen.Options) -> None:
    """Print what both halves would take; the few dialogues that the rules make are what is asked."""
    import json

    from chattyshared.commands.exit_codes import startup_errors

    from chattykg.cli.estimating import estimate_answers, open_prices
    from chattykg.runs.question_sets import conversations_from_dialogues

    writing, answering = _chosen(given)
    kg, number = resources.open_graph(given), wanted.dialogues * wanted.turns
    with startup_errors():
        made = chattygen.estimate_generation(kg, wanted, writing, open_prices(given))
    told = estimate_answers(
        kg, given, answering, conversations_from_dialogues(made.sample, given["wording"]), question_count=number
    )
    parts = {"generate": made.forecast, "answer": told, "both": made.forecast + told}
    if given["as_json"]:
        click.echo(json.dumps({"wanted": wanted.dialogues, **{name: asdict(part) for name, part in parts.items()}}))
        return
    click.echo(f"{wanted.dialogues} dialogues of {wanted.turns} turns, {number} questions")
    for name, part in parts.items():
        click.echo(f"{name:<10}{part.render_summary()}")


def _models(given: Mapping[str, Any], opened: ModelFactory) -> RoundtripModels:
    """Open the models of both halves, and what the engine works with.

    Raises:
        ConfigError: a model, a stage or an agent is unknown, or lacks something.
        UsageError: the model of both halves is given for single agents.
    """
    from chattykg.roundtrip import RoundtripModels

    writing, answering = _chosen(given)
    wording = chattygen.open_stage_models(writing, lambda spec: opened(spec, chattygen.RULEBOOK))
    model, outfit = resources.open_model_and_config(answering, given, opened)
    return RoundtripModels(wording, model, answering.describe(), outfit)
