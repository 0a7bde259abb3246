"""``chattykg roundtrip``: generate, answer, score in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import Sectioned, config_option, end_with_failures, options_from, warn

import chattygen
from chattykg.cli import engines, options, resources
from chattykg.cli.progress import progress
from chattykg.cli.resources import ModelChoice

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model.from_options import Opener
    from chattyshared.model.registry import Access
    from chattyshared.runs.dask import Cluster
    from chattyshared.runs.runner import Runner

    from chattykg.roundtrip import Folder, Models, Round
    from chattykg.runs.answer_run import Outfit


@click.command(cls=Sectioned)
@options.kg_options
@options_from(setting for setting in chattygen.SETTINGS if not setting.section)
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
@options_from(setting for setting in chattygen.SETTINGS if setting.section)
@options.machine_options
def roundtrip(**given: Any) -> None:
    """Make a benchmark from a knowledge graph, answer it, and print the scores.

    The folder holds benchmark.jsonl, answers.jsonl, scores.json, and a trace of every model call and every query of
    both halves. Stop it whenever you like: the same command goes on from there, and prints the table again when all is
    done.

    \b
    chattykg roundtrip --kg demo --dialogues 5 --turns 5
    chattykg roundtrip --kg vocabulary.ttl --kg data.nt.gz --workers 4 -o runs/mine
    chattykg roundtrip --kg my.ttl --generate-model rules --answer-model openai:gpt-4o-mini
    """
    from chattyshared.kg.profile_file import stated_in
    from chattyshared.runs.dask import clustered

    from chattykg import roundtrip as trip
    from chattykg.runs.answer_run import Way

    wanted = chattygen.options_of(given)
    if given["dry_run"]:
        _foretell(given, wanted)
        return
    folder = trip.Folder(given["output"] or Path("runs") / trip.folder_name(given["sources"]))
    with (
        clustered(given) as cluster,
        resources.accessed(given, folder.path / "roundtrip") as (access, opened),
        progress("dialogues", wanted.dialogues) as made,
        progress("answers", wanted.dialogues * wanted.turns) as told,
    ):
        models = _models(given, opened)
        kg = resources.open_graph(given, access)
        makers, askers = _runners(given, cluster, kg, access, models.outfit)
        way = Way(
            given["history"], given["wording"], given["workers"], given["overwrite"], given["trace"],
            secrets=resources.secrets(), told=told, stop=access.meter, profile=stated_in(given["profile"]),
            runner=askers,
        )  # fmt: skip
        done = trip.roundtrip(
            kg, replace(models, makers=makers), wanted, folder, way, lambda count: made(count - made.done)
        )
    if others := done.errors - done.unexpected["question"].total():
        named = _chosen(given)[1].stated()
        warn(f"{others} questions ended in an error; {engines.after_errors(named)}")
    _print(done, kg.name, folder, given)
    end_with_failures(done.unexpected, given["trace"] or folder.path)


def _print(done: Round, name: str, folder: Folder, given: Mapping[str, Any]) -> None:
    """Print the scores, and where the files lie."""
    import json

    from chattykg.evaluation import report

    if given["as_json"]:
        click.echo(json.dumps(report.as_json(done.scores), indent=2))
        return
    click.echo(f"{name}: {done.dialogues} dialogues\n\n{report.as_text(done.scores)}\n")
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
    both = ModelChoice.of(given)
    if both.agents:
        raise click.UsageError("name single agents by --answer-model, and single stages by --generate-model")
    return given["generate_models"] or [both.spec], ModelChoice.of(given, given["answer_models"])


def _runners(
    given: Mapping[str, Any], cluster: Cluster | None, kg: KnowledgeGraph, access: Access, outfit: Outfit
) -> tuple[Runner | None, Runner | None]:
    """Return who makes the dialogues on a cluster, and who answers there; None where there is none.

    Raises:
        ConfigError: an option holds a secret, which would travel; the endpoint does not answer.
    """
    from chattyshared.commands.exit_codes import starting
    from chattyshared.runs.cluster_job import hire

    from chattykg.cli.cluster_worker import STATION

    making = {**given, "models": tuple(_chosen(given)[0])}
    answering = {
        **given, "models": tuple(given["answer_models"] or given["models"]),
        "engine": "chatty", "context": "answers", "dataset": "",
    }  # fmt: skip
    with starting():
        return (
            hire(cluster, "chattygen.cli.cluster_worker:station", making, kg, access.meter, resources.secrets()),
            hire(cluster, STATION, answering, kg, access.meter, resources.secrets(), outfit.stated()),
        )


def _foretell(given: Mapping[str, Any], wanted: chattygen.Options) -> None:
    """Print what both halves would take; the few dialogues that the rules make are what is asked."""
    import json

    from chattyshared.commands.exit_codes import starting

    from chattykg.cli.estimating import of_answers, prices_of
    from chattykg.runs.question_sets import of_dialogues

    writing, answering = _chosen(given)
    kg, number = resources.open_graph(given), wanted.dialogues * wanted.turns
    with starting():
        made = chattygen.estimate(kg, wanted, writing, prices_of(given))
    told = of_answers(kg, given, answering, of_dialogues(made.sample, given["wording"]), wanted=number)
    parts = {"generate": made.forecast, "answer": told, "both": made.forecast + told}
    if given["as_json"]:
        click.echo(json.dumps({"wanted": wanted.dialogues, **{name: asdict(part) for name, part in parts.items()}}))
        return
    click.echo(f"{wanted.dialogues} dialogues of {wanted.turns} turns, {number} questions")
    for name, part in parts.items():
        click.echo(f"{name:<10}{part.said()}")


def _models(given: Mapping[str, Any], opened: Opener) -> Models:
    """Open the models of both halves, and what the engine works with.

    Raises:
        ConfigError: a model, a stage or an agent is unknown, or lacks something.
        UsageError: the model of both halves is given for single agents.
    """
    from chattykg.roundtrip import Models

    writing, answering = _chosen(given)
    wording = chattygen.by_stage(writing, lambda spec: opened(spec, chattygen.RULEBOOK))
    model, outfit = resources.equipped(answering, given, opened)
    return Models(wording, model, answering.stated(), outfit)
