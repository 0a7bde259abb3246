"""``chattygen twin``: a counterfactual graph and its benchmark, which tell memory from grounding."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import SettingsCommand, print_warning, sanitize_for_terminal
from chattyshared.commands.inputs import INPUT_FILE, take_box_graph
from chattyshared.commands.progress import show_progress
from chattyshared.option_specs import OVERWRITE_OPTION, OptionSpec

from chattygen.cli.options import graph_options, warn_of_other_graph

if TYPE_CHECKING:
    from chattygen.twin.construction import Twin

LISTED = 3
"""Turns that are left out, and predicates without partners, that are listed."""


@click.command(cls=SettingsCommand)
@click.option("--benchmark", type=INPUT_FILE, required=True, help="The benchmark, or a box.")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True,
              help="The folder to write.")  # fmt: skip
@graph_options(
    OptionSpec("seed", "Another seed swaps other facts.", "integer", 0, "N"), OVERWRITE_OPTION, required=False
)
def twin(benchmark: Path, output: Path, *, seed: int, overwrite: bool, **options: Any) -> None:
    """Make a counterfactual twin of a graph and of its benchmark: the same questions have other answers on it.

    The objects of the facts that the gold rests on are swapped: each new object is one that another subject of the
    same class had for the same predicate. Who answers from the graph scores on the twin as before; who answers from
    memory gives the original answers, and "chattykg evaluate --twin" counts both.

    The folder gets graph.nt, benchmark.jsonl (the same ids; a dialogue ends before a turn that makes no sense any
    more) and swaps.jsonl (a changed fact a line).

    \b
    Examples:
      chattygen twin --kg demo --benchmark demo.jsonl -o twin
      chattykg answer --kg demo --benchmark demo.jsonl -o answers.jsonl
      chattykg answer --kg twin/graph.nt --benchmark twin/benchmark.jsonl -o twin-answers.jsonl
      chattykg evaluate demo.jsonl answers.jsonl --twin twin/benchmark.jsonl twin-answers.jsonl
    """  # noqa: D301
    from chattyshared.benchmark import read_benchmark
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.errors import ConfigError
    from chattyshared.resources import open_graph

    from chattygen.twin.construction import make_twin, write_twin

    if not take_box_graph(options, benchmark):
        raise click.UsageError("name the graph of the benchmark by --kg")
    if output.is_dir() and any(output.iterdir()) and not overwrite:
        raise ConfigError(f"{output} is not empty: name another folder with -o, or say --overwrite")
    if any(Path(path).resolve().parent == output.resolve() for path in (benchmark, *options["sources"])):
        raise ConfigError(f"{output} holds what is to be read: name another folder with -o")
    original = read_benchmark(benchmark)
    with startup_errors():
        kg = open_graph(options)
        warn_of_other_graph("the benchmark", original.header, kg)
        with show_progress("dialogues", len(original)) as on_progress:
            made = make_twin(kg, original, seed=seed, on_progress=on_progress)
    write_twin(output, made)
    _report(output, made)


def _report(output: Path, made: Twin) -> None:
    """Print what was swapped, and warn of what stayed or is left out."""
    header = made.benchmark.header["twin"]
    if unswapped := header["unswapped"]:
        listed = ", ".join(f"{name} ({count})" for name, count in list(unswapped.items())[:LISTED])
        more = f" and {len(unswapped) - LISTED} more predicates" if len(unswapped) > LISTED else ""
        print_warning(f"{sum(unswapped.values())} tested facts have no partner and stay: {listed}{more}")
    if naming := header["naming"]:
        print_warning(f"{sum(naming.values())} tested facts stay, as things are named by them: {', '.join(naming)}")
    if left_out := header["left_out"]:
        more = f"; and {len(left_out) - LISTED} more" if len(left_out) > LISTED else ""
        print_warning(f"{len(left_out)} turns are left out: {'; '.join(left_out[:LISTED])}{more}")
    turns = [turn for dialogue in made.benchmark for turn in dialogue.turns]
    unanswerable = sum(not turn.answerable for turn in turns)
    changed, same = len(turns) - len(header["unchanged"]), len(header["unchanged"]) - unanswerable
    click.echo(
        sanitize_for_terminal(
            f"{output}: {len(made.swaps):,} facts changed; {len(turns)} of {len(turns) + len(left_out)} turns: "
            f"{changed} with another gold, {same} with the same, {unanswerable} unanswerable"
        )
    )
