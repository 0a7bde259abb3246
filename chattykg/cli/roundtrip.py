"""``chattykg roundtrip``: generate, answer, score in one go."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands import Sectioned, config_option, options_from, warn

import chattygen
from chattykg.cli import opening, options
from chattykg.cli.opening import ModelChoice
from chattykg.cli.progress import progress

if TYPE_CHECKING:
    from chattykg.roundtrip import Models


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
@click.option(
    "--max-minutes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="M",
    help="Stop after so many minutes; the same command goes on from there.",
)
@options.trace_option
@config_option
@click.option("-o", "--output", type=options.FOLDER, help="The folder for all that is made; runs/NAME unless said.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
@options_from(setting for setting in chattygen.SETTINGS if setting.section)
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
    import json

    from chattyshared.work import Deadline

    from chattykg import roundtrip as trip
    from chattykg.answer_files import Way
    from chattykg.evaluation import report

    wanted = chattygen.options_of(given)
    stop = Deadline(60 * given["max_minutes"]) if given["max_minutes"] else None
    models, kg = _models(given), opening.open_graph(given)
    folder = trip.Folder(given["output"] or Path("runs") / trip.folder_name(given["sources"]))
    with progress("dialogues", wanted.dialogues) as made, progress("answers", wanted.dialogues * wanted.turns) as told:
        way = Way(
            given["history"], given["wording"], given["workers"], given["overwrite"], given["trace"],
            secrets=opening.secrets(), told=told, stop=stop,
        )  # fmt: skip
        done = trip.roundtrip(kg, models, wanted, folder, way, lambda count: made(count - made.done))
    if done.errors:
        warn(f"{done.errors} questions ended in an error; the same command asks them again")
    if given["as_json"]:
        click.echo(json.dumps(report.as_json(done.scores), indent=2))
        return
    click.echo(f"{kg.name}: {done.dialogues} dialogues\n\n{report.as_text(done.scores)}\n")
    places = (("benchmark", folder.benchmark), ("answers", folder.answers), ("scores", folder.scores))
    traces = (("trace", given["trace"]),) if given["trace"] else zip(("traces", ""), folder.traces, strict=True)
    for name, path in (*places, *traces):
        click.echo(f"{name:<11}{path}")


def _models(given: Mapping[str, Any]) -> Models:
    """Open the models of both halves, and what the engine works with.

    Raises:
        ConfigError: a model, a stage or an agent is unknown, or lacks something.
        UsageError: the model of both halves is given for single agents.
    """
    from chattykg.roundtrip import Models

    both = ModelChoice.of(given)
    if both.agents:
        raise click.UsageError("name single agents by --answer-model, and single stages by --generate-model")
    answering = ModelChoice.of(given, given["answer_models"])
    wording = chattygen.by_stage(
        given["generate_models"] or [both.spec],
        lambda spec: opening.open_model(ModelChoice.of(given, [spec]), chattygen.RULEBOOK),
    )
    return Models(wording, opening.open_model(answering), answering.stated(), opening.outfit(answering, given))
