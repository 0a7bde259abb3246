"""``chattygen generate``: a knowledge graph in, a benchmark file out."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands import InSection, Sectioned, config_option

from chattygen.cli import options
from chattygen.settings import RUN

if TYPE_CHECKING:
    from chattygen.ledger import Tally
    from chattygen.options import Options


@click.command(cls=Sectioned)
@options.kg_option
@options.first_options
@options.model_options
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
@options.further_options
@click.option(
    "--max-minutes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="M",
    cls=InSection,
    section=RUN,
    help="Stop after so many minutes; the same command goes on from there.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    cls=InSection,
    section=RUN,
    help="How many dialogues at a time; the result is the same.",
)
@options.keeping_options
@click.option(
    "--model-timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    default=120.0,
    show_default=True,
    cls=InSection,
    section=RUN,
    help="Seconds that one reply of the model may take.",
)
@click.option(
    "--trace",
    type=options.FILE,
    cls=InSection,
    section=RUN,
    help="Write every model call and every query to this file.",
)
def generate(**given: Any) -> None:
    """Make a benchmark: dialogues about the entities of a knowledge graph, each turn with its SPARQL query and its
    gold answers, taken from the graph itself.

    The command may be interrupted at any time; the same command goes on where it stopped. If the graph cannot give as
    many dialogues as wanted, it makes what it can and says why. An option comes from the command line, else from the
    environment (CHATTY_KG, OPENAI_BASE_URL, OPENAI_API_KEY), else from the file --config.

    \b
    Examples:
      chattygen generate --kg demo
      chattygen generate --kg films.ttl --kg people.nt.gz --dialogues 50 --turns 4 -o films.jsonl
      chattygen generate --kg http://localhost:3030/films/sparql --type Film --mix boolean=20 --workers 8
      chattygen generate --kg demo --model openai:llama3 --base-url http://localhost:11434/v1
    """  # noqa: D205, D301
    from chattygen.choices import options_of
    from chattygen.ledger import coverage, covered, table

    wanted = options_of(given)
    began = time.perf_counter()
    tally, is_new = _made(given, wanted)
    seconds = round(time.perf_counter() - began, 1) if is_new else None
    found = coverage(tally.forms, wanted.mix)
    if given["as_json"]:
        forms = {one.form: {"share": round(one.share, 1), "wanted": round(one.wanted, 1)} for one in found}
        summary = {
            "output": str(given["output"]), "wanted": wanted.dialogues, **tally.to_json(), "coverage": forms,
            "seconds": seconds,
        }  # fmt: skip
        click.echo(json.dumps(summary, ensure_ascii=False))
        return
    click.echo(f"{tally.dialogues} dialogues, {tally.turns} turns -> {given['output']}\n")
    click.echo(table(tally, seconds=seconds))
    if found:
        click.echo(f"\n{covered(found)}")


def _made(given: dict[str, Any], wanted: Options) -> tuple[Tally, bool]:
    """Open what the options name, and generate into the output; tell whether anything was made now."""
    from chattyshared.exits import apart, starting
    from chattyshared.model.opening import open_model
    from chattyshared.opening import open_kg
    from chattyshared.trace import Trace, is_there
    from chattyshared.work import Deadline

    from chattygen import RULEBOOK
    from chattygen.choices import paths
    from chattygen.cli.progress import progress
    from chattygen.models import by_stage
    from chattygen.recording import record

    apart(given["output"], [*given["sources"], *paths(given)])
    key, place = os.environ.get("OPENAI_API_KEY"), given["trace"]
    stop = Deadline(60 * given["max_minutes"]) if given["max_minutes"] else None
    with starting():
        model = by_stage(given["models"], lambda spec: open_model(
            spec, rulebook=RULEBOOK, base_url=given["base_url"], timeout=given["model_timeout"], api_key=key
        ))  # fmt: skip
        kg = open_kg(given["sources"], store=given["store"], cache_dir=given["cache_dir"])
        if not kg.profile.has_labels:
            click.echo(f"warning: {kg.name} has no labels: things are called by their IRIs' local names", err=True)
    trace = Trace(place, secrets=filter(None, [key]), anew=place is not None and not is_there(place))
    with starting(lambda: trace.is_kept), trace, progress(wanted.dialogues) as watch:

        def watched(tally: Tally) -> None:
            trace.keep()
            watch(tally)

        tally = record(
            kg, model, wanted, given["output"], overwrite=given["overwrite"], trace=trace, stop=stop, watch=watched
        )
        is_new = trace.is_kept
        trace.keep()
    return tally, is_new
