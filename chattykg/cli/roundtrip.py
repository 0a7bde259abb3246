"""``chattykg roundtrip``: generates a benchmark, answers it, and scores the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared import option_specs as specs
from chattyshared.commands.group import (
    KG_HELP,
    SettingsCommand,
    exit_on_failures,
    kg_option,
    load_options,
    options_from_specs,
    print_warning,
    toml_keys,
)
from chattyshared.commands.inputs import INPUT_FILE
from chattyshared.commands.progress import show_progress
from chattyshared.commands.samples import print_dialogue
from chattyshared.endpoint.connection_options import GRAPH_SPECS
from chattyshared.model.option_specs import DRY_RUN_OPTION
from chattyshared.option_specs import OptionSpec
from chattyshared.runs.runner import SCHEDULER_SETTING

import chattygen
from chattygen.cli.generate import generate
from chattygen.cli.options import STAGE_MODELS
from chattykg.cli import engines, options, resources
from chattykg.cli.engines import ENGINE_WORKER
from chattykg.cli.resources import ModelChoice
from chattykg.settings import ENGINE_SPECS, HISTORY_OPTION, WORDING_OPTION

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model.registry import ModelFactory
    from chattyshared.model.target import ModelOptions
    from chattyshared.runs.dask import DaskCluster
    from chattyshared.runs.runner import Runner

    from chattykg.roundtrip import ExperienceOptions, RoundtripModels, RoundtripResult, RunFolder
    from chattykg.runs.answer_run import EngineConfig


_OWN = ("dialogues", "turns", "approach", "lang", "seed", "types")
"""The options of the generator that are options of the round trip; the others are settings of it."""
_GENERATE_SPECS = tuple(
    replace(spec, is_setting=name not in _OWN)
    for name, spec in chattygen.OPTION_SPECS.items()
    if name != "workers" and name not in ENGINE_SPECS
)


def _load_generate(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    """Take the options of ``chattygen generate`` from a file that the round trip does not state otherwise."""
    if path is not None:
        own = {spec.flag[2:] for spec in _GENERATE_SPECS}
        known = {key: kind for key, kind in toml_keys(generate).items() if key in own}
        others = {
            key: f"{f'--set {key}=' if kind.is_setting else f'--{key}'} of the round trip"
            for key, kind in toml_keys(ctx.command).items()
            if key not in own
        }
        load_options(ctx, path, known, others)


_MODEL_SPECS = (
    OptionSpec("generate_model", f"The model that makes the dialogues, if not --model; for single {STAGE_MODELS}.",
               metavar="MODEL", is_repeatable=True),
    OptionSpec("answer_model", "The model that answers, if not --model; for single agents qir=MODEL, matching=..., "
               "planning=..., direct=...", metavar="MODEL", is_repeatable=True),
    OptionSpec("learn", "Close the loop: make twice as many dialogues, learn from one half, answer the other without "
               "and with what was learned, and print the gain.", "switch", False),
)  # fmt: skip


@click.command(cls=SettingsCommand)
@kg_option(KG_HELP)
@options_from_specs(*_GENERATE_SPECS)
@click.option(
    "--generate",
    type=INPUT_FILE,
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_load_generate,
    help='Take the other options of "chattygen generate" from this TOML file.',
)
@options.answering_options(examples="off")
@options_from_specs(
    *_MODEL_SPECS, HISTORY_OPTION, WORDING_OPTION, *options.RUN_SPECS,
    OptionSpec("output", "The folder for all that is made; runs/NAME unless said.", "folder"), DRY_RUN_OPTION,
    specs.JSON_OPTION, *GRAPH_SPECS, *options.CHATTY_SWITCHES, SCHEDULER_SETTING,
)  # fmt: skip
def roundtrip(**options: Any) -> None:
    """Make a benchmark from a knowledge graph, answer it, and print the scores.

    The folder holds benchmark.jsonl, answers.jsonl, scores.json, and a trace of every model call and every query of
    both halves; with --learn also training.jsonl, experience.jsonl and answers-experience.jsonl. Stop it whenever you
    like: the same command goes on from there, and prints the table again when all is done.

    \b
    chattykg roundtrip --kg demo --dialogues 5 --turns 5
    chattykg roundtrip --kg vocabulary.ttl --kg data.nt.gz --workers 4 -o runs/mine
    chattykg roundtrip --kg my.ttl --generate-model rules --answer-model openai:gpt-4o-mini
    chattykg roundtrip --kg my.ttl --generate-model rules --answer-model openai:gpt-4o-mini --learn
    """
    from chattyshared.runs.dask import open_cluster

    from chattykg import roundtrip as pipeline

    generate_options = _parse_generate_options(options)
    if options["dry_run"]:
        _print_estimate(options, generate_options)
        return
    folder = pipeline.RunFolder(options["output"] or Path("runs") / pipeline.run_folder_name(options["sources"]))
    with (
        open_cluster(options) as cluster,
        resources.open_model_session(options, folder.path / "roundtrip") as (model_options, model_factory),
        show_progress("dialogues", generate_options.lines) as dialogue_progress,
        show_progress("answers", generate_options.lines * generate_options.turns) as answer_progress,
    ):
        models = _open_models(options, model_factory)
        kg = resources.open_graph(options, model_options)
        experience = _experience_options(options, kg)
        generation_runner, answer_runner = _open_runners(options, cluster, kg, model_options, models.config)
        run_options = resources.run_options(options, answer_progress, model_options, answer_runner)
        result = pipeline.roundtrip(
            kg, replace(models, generation_runner=generation_runner), generate_options, folder, run_options,
            lambda count: dialogue_progress(count - dialogue_progress.done), experience=experience,
        )  # fmt: skip
    if expected := result.errors - result.unexpected["question"].total():
        model_names = _model_choices(options)[1].describe()
        print_warning(f"{expected} questions ended in an error; {engines.retry_hint(model_names)}")
    _print(result, kg.name, folder, options)
    exit_on_failures(result.unexpected, options["trace"] or folder.path)


def _parse_generate_options(options: Mapping[str, Any]) -> chattygen.Options:
    """Return the options of the generation: with --learn for twice as many dialogues.

    Raises:
        ConfigError: an option has no such value.
        UsageError: --learn goes with --experience, or one of them with a cluster.
    """
    generate_options = chattygen.parse_options(options)
    if options["learn"] and options["experience"]:
        raise click.UsageError("--learn makes its own experience: leave out --experience")
    if (options["learn"] or options["experience"]) and options["scheduler"]:
        raise click.UsageError("--learn and --experience do not go with a cluster here; chattykg answer takes both")
    return replace(generate_options, dialogues=generate_options.dialogues * (2 if options["learn"] else 1))


def _experience_options(options: Mapping[str, Any], kg: KnowledgeGraph) -> ExperienceOptions:
    """Return the experience files that the model uses, and whether it learns.

    Raises:
        ConfigError: a file cannot be read, or is of another graph.
    """
    from chattykg.roundtrip import ExperienceOptions

    choice = _model_choices(options)[1]
    is_used = any(ModelChoice(spec).is_promptable for spec in choice.specs)
    return ExperienceOptions(
        tuple(resources.usable_experience(choice, kg, options["experience"])), options["learn"], is_used
    )


def _print(result: RoundtripResult, name: str, folder: RunFolder, options: Mapping[str, Any]) -> None:
    """Print the scores and the paths of the files."""
    import json

    from chattykg.evaluation.report import render_screen

    if options["json"]:
        gain = {"experience": result.gain.to_json()} if result.gain else {}
        click.echo(json.dumps(result.evaluation.figures | gain, indent=2))
        return
    click.echo(f"{name}: {result.dialogues} dialogues\n")
    if result.sample:
        print_dialogue(result.sample)
        click.echo()
    click.echo(f"{render_screen([result.evaluation.card])}\n")
    if result.gain:
        click.echo(f"{result.gain.describe()}\n")
    paths = (("benchmark", folder.benchmark), ("answers", folder.answers), ("scores", folder.scores))
    traces = (("trace", options["trace"]),) if options["trace"] else zip(("traces", ""), folder.traces, strict=True)
    for name, path in (*paths, *traces):
        click.echo(f"{name:<11}{path}")


def _model_choices(options: Mapping[str, Any]) -> tuple[Sequence[str], ModelChoice]:
    """Return the model specs of the generation stages, and the models that answer.

    Raises:
        ConfigError: an agent is unknown.
        UsageError: --model names single agents.
    """
    both = ModelChoice.from_options({**options, "verify": None})
    if both.agents:
        raise click.UsageError("name single agents by --answer-model, and single stages by --generate-model")
    return options["generate_model"] or [both.spec], ModelChoice.from_options(options, options["answer_model"])


def _open_runners(
    options: Mapping[str, Any],
    cluster: DaskCluster | None,
    kg: KnowledgeGraph,
    model_options: ModelOptions,
    config: EngineConfig,
) -> tuple[Runner | None, Runner | None]:
    """Return the runners of the generation and of the answering; both are None without a cluster.

    Raises:
        ConfigError: an option holds a secret, which would be sent to the workers; the endpoint does not answer.
    """
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.runs.cluster_job import open_cluster_runner

    generate_job = {**options, "models": tuple(_model_choices(options)[0])}
    answer_job = {
        **options,
        "models": tuple(options["answer_model"] or options["models"]),
        "engine": "chatty",
        "history_view": "answers",
        "dataset": "",
    }
    with startup_errors():
        return (
            open_cluster_runner(
                cluster,
                "chattygen.cli.generate:open_worker_resources",
                generate_job,
                kg,
                model_options.meter,
                resources.secrets(),
            ),
            open_cluster_runner(
                cluster,
                ENGINE_WORKER,
                answer_job,
                kg,
                model_options.meter,
                resources.secrets(),
                config.to_manifest(),
            ),
        )


def _print_estimate(options: Mapping[str, Any], generate_options: chattygen.Options) -> None:
    """Print the estimated cost of both halves, from a few dialogues that the embedded rules make and answer."""
    import json

    from chattyshared.commands.exit_codes import startup_errors

    from chattykg.cli.resources import estimate_answers, open_prices
    from chattykg.runs.question_sets import conversations_from_dialogues

    stage_specs, answer_choice = _model_choices(options)
    kg, question_count = resources.open_graph(options), generate_options.dialogues * generate_options.turns
    with startup_errors():
        generation = chattygen.estimate_generation(kg, generate_options, stage_specs, open_prices(options))
    sample = conversations_from_dialogues(generation.sample, options["wording"])
    answering = estimate_answers(kg, options, answer_choice, sample, question_count=question_count)
    parts = {"generate": generation.forecast, "answer": answering, "both": generation.forecast + answering}
    if options["json"]:
        click.echo(
            json.dumps({"wanted": generate_options.dialogues, **{name: asdict(part) for name, part in parts.items()}})
        )
        return
    click.echo(f"{generate_options.dialogues} dialogues of {generate_options.turns} turns, {question_count} questions")
    for name, part in parts.items():
        click.echo(f"{name:<10}{part.render_summary()}")


def _open_models(options: Mapping[str, Any], model_factory: ModelFactory) -> RoundtripModels:
    """Open the models of both halves, and the configuration of the engine.

    Raises:
        ConfigError: a model, a stage or an agent is unknown, or cannot be opened.
        UsageError: --model names single agents.
    """
    from chattykg.roundtrip import RoundtripModels

    stage_specs, answer_choice = _model_choices(options)
    generate_model = chattygen.open_stage_models(stage_specs, lambda spec: model_factory(spec, chattygen.RULEBOOK))
    answer_model, config = resources.open_model_and_config(answer_choice, options, model_factory)
    return RoundtripModels(generate_model, answer_model, answer_choice.describe(), config)
