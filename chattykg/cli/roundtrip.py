"""``chattykg roundtrip``: generate, answer, score in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from chattyshared.commands import warn

from chattykg.cli import opening, options
from chattykg.cli.opening import ModelChoice
from chattykg.cli.progress import progress


@click.command()
@options.kg_options
@options.generating_options
@options.model_options
@click.option("--generate-model", metavar="MODEL", help="The model that words the questions, if not --model.")
@click.option("--answer-model", metavar="MODEL", help="The model that answers, if not --model.")
@options.asking_options
@options.run_options
@options.trace_option
@click.option("-o", "--output", type=options.FOLDER, help="The folder for all that is made; runs/NAME unless said.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
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

    import chattygen
    from chattykg import roundtrip as trip
    from chattykg.answer_files import Way
    from chattykg.evaluation import report

    answering = ModelChoice.of(given, given["answer_model"])
    models = trip.Models(
        opening.open_model(ModelChoice.of(given, given["generate_model"]), chattygen.RULEBOOK),
        opening.open_model(answering),
        answering.stated(),
    )
    kg = opening.open_graph(given["sources"], store=given["store"], cache_dir=given["cache_dir"])
    folder = trip.Folder(given["output"] or Path("runs") / trip.folder_name(given["sources"]))
    wanted = chattygen.Options(
        dialogues=given["dialogues"], turns=given["turns"], seed=given["seed"], workers=given["workers"]
    )
    with progress("dialogues", wanted.dialogues) as made, progress("answers", wanted.dialogues * wanted.turns) as told:
        way = Way(
            given["history"], given["wording"], given["workers"], given["overwrite"], given["trace"],
            secrets=opening.secrets(), told=told,
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
