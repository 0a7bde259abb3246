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
    InSection,
    Sectioned,
    config_option,
    end_with_failures,
    kg_option,
    say,
    warn,
)

from chattygen.cli import options
from chattygen.option_specs import RUN

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.model.registry import Access

    from chattygen.options import Options
    from chattygen.runs.accounting import Tally


@click.command(cls=Sectioned)
@kg_option()
@options.first_options
@options.writing_options
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
    type=FiniteRange(min=0, min_open=True),
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
@options.cost_options
@options.endpoint_options
@options.machine_options
def generate(**given: Any) -> None:
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
    from chattygen.option_parsing import options_of
    from chattygen.runs.accounting import coverage, covered, table

    wanted = options_of(given)
    if given["dry_run"]:
        _foretell(given, wanted)
        return
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
    else:
        click.echo(f"{tally.dialogues} dialogues, {tally.turns} turns -> {given['output']}\n")
        click.echo(table(tally, seconds=seconds))
        if found:
            click.echo(f"\n{covered(found)}")
    hint = "--overwrite --trace FILE records the tracebacks"
    end_with_failures({"seed": tally.unexpected}, given["trace"], hint)


def _made(given: dict[str, Any], wanted: Options) -> tuple[Tally, bool]:
    """Open what the options name, and generate into the output; tell whether anything was made now."""
    from chattyshared.commands.exit_codes import apart, starting
    from chattyshared.kg.profile_file import stated_in
    from chattyshared.model.from_options import accessing, counted, secrets
    from chattyshared.model.spend_log import of_run
    from chattyshared.runs.cluster_job import hire
    from chattyshared.runs.dask import clustered
    from chattyshared.trace import Trace, is_there

    from chattygen.cli.progress import progress
    from chattygen.option_parsing import paths
    from chattygen.runs.recording import record

    place = given["trace"]
    apart(given["output"], [*given["sources"], *paths(given)])
    with (
        clustered(given) as cluster,
        accessing(given, os.environ, output=given["output"], tell=say) as access,
    ):
        with starting():
            model, kg = model_of(given, access), graph_of(given)
            runner = hire(cluster, "chattygen.cli.cluster_worker:station", given, kg, access.meter, secrets(os.environ))
        kg = counted(kg, access)
        trace = Trace(place, secrets=secrets(os.environ), anew=place is not None and not is_there(place))
        with starting(lambda: trace.is_kept), trace, progress(wanted.dialogues) as watch:

            def watched(tally: Tally) -> None:
                trace.keep()
                watch(tally)

            tally = record(
                kg, model, wanted, given["output"],
                overwrite=given["overwrite"], trace=trace, stop=access.meter, profile=stated_in(given["profile"]),
                runner=runner, watch=watched,
            )  # fmt: skip
            is_new = trace.is_kept
            trace.keep()
        if access.meter is not None:  # the calls that name types belong to no dialogue
            tally.usage = of_run(tally.usage, access.meter.spent.usage)
    return tally, is_new


def model_of(given: dict[str, Any], access: Access) -> LanguageModel:
    """Open the model for all stages, or one for each."""
    from chattyshared.model.from_options import Opener

    from chattygen import RULEBOOK
    from chattygen.stage_models import by_stage

    opened = Opener(given, os.environ, access)
    return by_stage(given["models"], lambda spec: opened(spec, RULEBOOK))


def graph_of(given: dict[str, Any]) -> KnowledgeGraph:
    """Open the graph; warn if nothing in it has a label."""
    from chattyshared.endpoint.connection_options import reach
    from chattyshared.kg.factory import open_kg

    asked = reach(given, os.environ)
    kg = open_kg(given["sources"], store=given["store"], cache_dir=given["cache_dir"], reach=asked)
    if not kg.profile.has_labels:
        warn(f"{kg.name} has no labels: things are called by their IRIs' local names")
    return kg


def _foretell(given: dict[str, Any], wanted: Options) -> None:
    """Say what the run would ask of its models, and cost; make nothing, and ask no model."""
    from chattyshared.commands.exit_codes import starting
    from chattyshared.model.prices import Prices

    from chattygen.runs.cost_estimate import estimate

    prices = Prices.of(given["price"])
    with starting():
        found = estimate(
            graph_of(given), wanted, given["models"], lambda spec: prices.of_model(spec, given["base_url"])
        )
    if given["as_json"]:
        click.echo(json.dumps({"wanted": wanted.dialogues, **asdict(found.forecast)}))
    else:
        click.echo(f"{wanted.dialogues} dialogues of {wanted.turns} turns: {found.forecast.said()}")
