"""``chattygen generate``: a knowledge graph in, a benchmark file out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from chattygen.recording import Tally

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.option(
    "--kg",
    "sources",
    metavar="KG",
    multiple=True,
    required=True,
    help='"demo", an RDF file (also .gz), or the URL of a SPARQL endpoint; several files are one graph.',
)
@click.option(
    "--dialogues", type=click.IntRange(min=1), metavar="N", default=20, show_default=True, help="How many dialogues."
)
@click.option(
    "--turns",
    type=click.IntRange(min=1),
    metavar="N",
    default=5,
    show_default=True,
    help="How many questions each dialogue has.",
)
@click.option(
    "--model",
    metavar="MODEL",
    default="rules",
    show_default=True,
    help='Who words the questions: "rules" (embedded, free), "openai:NAME" (key in OPENAI_API_KEY), or "replay:TRACE".',
)
@click.option("--base-url", metavar="URL", help="Where a server lies that speaks OpenAI's API (vLLM, Ollama, ...).")
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Another seed draws other entities and questions; the same seed gives the same bytes.",
)
@click.option(
    "-o",
    "--output",
    type=FILE,
    default=Path("benchmark.jsonl"),
    show_default=True,
    help="The benchmark. Rejected seeds lie beside it in OUTPUT.rejected.jsonl.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="How many dialogues at a time; the result is the same.",
)
@click.option("--store", type=FOLDER, help="Keep the loaded files here, so that the next start is quick.")
@click.option("--cache-dir", type=FOLDER, help="Keep indexes of labels here between runs.")
@click.option(
    "--model-timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    default=120.0,
    show_default=True,
    help="Seconds that one reply of the model may take.",
)
@click.option("--trace", type=FILE, help="Write every model call and every query to this file.")
@click.option("--overwrite", is_flag=True, help="Start anew, whatever lies there.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def generate(**given: Any) -> None:
    """Make a benchmark: dialogues about the entities of a knowledge graph, each turn with its SPARQL query and its
    gold answers, taken from the graph itself.

    The command may be interrupted at any time; the same command goes on where it stopped. If the graph cannot give as
    many dialogues as wanted, it makes what it can and says why.

    \b
    Examples:
      chattygen generate --kg demo
      chattygen generate --kg films.ttl --kg people.nt.gz --dialogues 50 --turns 4 -o films.jsonl
      chattygen generate --kg http://localhost:3030/films/sparql --seed 7 --workers 8
      chattygen generate --kg demo --model openai:llama3 --base-url http://localhost:11434/v1
    """  # noqa: D205, D301
    tally = _made(given)
    summary = {
        "output": str(given["output"]), "dialogues": tally.dialogues, "wanted": given["dialogues"],
        "turns": tally.turns, "forms": dict(sorted(tally.forms.items())),
        "rejected": dict(sorted(tally.rejected.items())), "model_calls": tally.usage.calls,
        "prompt_tokens": tally.usage.prompt_tokens, "completion_tokens": tally.usage.completion_tokens,
    }  # fmt: skip
    click.echo(json.dumps(summary, ensure_ascii=False) if given["as_json"] else _said(summary))


def _made(given: dict[str, Any]) -> Tally:
    """Open what the options name, and generate into the output."""
    from chattyshared.exits import apart, starting
    from chattyshared.model.opening import open_model
    from chattyshared.opening import open_kg
    from chattyshared.trace import Trace, is_there

    from chattygen import RULEBOOK, Options
    from chattygen.cli.progress import progress
    from chattygen.recording import record

    apart(given["output"], given["sources"])
    key, place = os.environ.get("OPENAI_API_KEY"), given["trace"]
    options = Options(dialogues=given["dialogues"], turns=given["turns"], seed=given["seed"], workers=given["workers"])
    with starting():
        model = open_model(
            given["model"], rulebook=RULEBOOK, base_url=given["base_url"], timeout=given["model_timeout"], api_key=key
        )
        kg = open_kg(given["sources"], store=given["store"], cache_dir=given["cache_dir"])
        if not kg.profile.has_labels:
            click.echo(f"warning: {kg.name} has no labels: things are called by their IRIs' local names", err=True)
    trace = Trace(place, secrets=filter(None, [key]), anew=place is not None and not is_there(place))
    with starting(lambda: trace.is_kept), trace, progress(options.dialogues) as watch:

        def watched(tally: Tally) -> None:
            trace.keep()
            watch(tally)

        tally = record(kg, model, options, given["output"], overwrite=given["overwrite"], trace=trace, watch=watched)
        trace.keep()
    return tally


def _said(summary: dict[str, Any]) -> str:
    """Say what was made, in a few lines."""
    forms = ", ".join(f"{number} {form}" for form, number in summary["forms"].items())
    lines = [f"{summary['dialogues']} dialogues, {summary['turns']} turns -> {summary['output']}"]
    if forms:
        lines.append(f"forms: {forms}")
    if summary["rejected"]:
        lines.append("rejected seeds: " + ", ".join(f"{number} {why}" for why, number in summary["rejected"].items()))
    return "\n".join(lines)
