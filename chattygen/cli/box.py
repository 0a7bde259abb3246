"""``chattygen box``: a benchmark with the part of its graph that reproduces it, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.exit_codes import DEFECTS
from chattyshared.commands.group import SettingsCommand, print_warning, sanitize_for_terminal
from chattyshared.commands.inputs import INPUT_FILE, is_standard_input_read
from chattyshared.commands.progress import show_progress
from chattyshared.option_specs import OVERWRITE_OPTION, OptionSpec
from click.core import ParameterSource

from chattygen.cli.options import graph_options

if TYPE_CHECKING:
    from chattygen.snapshot.reproduction import Reproduction

LISTED = 10
"""Turns that are listed by their reasons; the others are counted."""


@click.command(cls=SettingsCommand)
@click.argument("file", metavar="FILE", type=INPUT_FILE)
@graph_options(
    OptionSpec("output", "The box to write (default: FILE's name with .zip, in its folder).", "output"),
    OptionSpec("verify", "FILE is a box: check its sums, and run its gold queries on its graph.", "switch", False),
    OptionSpec("skip", "Leave out the turns that match more than max_triples, or whose gold cannot be reproduced, and "
               "what follows them.", "switch", False),
    OptionSpec("license", "The license of the graph, where it states none.", default="", metavar="TEXT"),
    OVERWRITE_OPTION,
    OptionSpec("distractors", "Further entities of each class in question, those with similar names first.",
               "integer", 50, minimum=0, is_setting=True),
    OptionSpec("max_triples", "The most triples that the gold queries may match.", "integer", 500_000, minimum=1,
               is_setting=True),
    OptionSpec("seed", "Of the sample of distractors.", "integer", 0, is_setting=True),
    required=False,
)  # fmt: skip
def box(file: Path, *, verify: bool, **options: Any) -> None:
    """Pack a benchmark with a small snapshot of its graph, so that everybody gets the same scores without the graph.

    The snapshot holds everything that the patterns of the gold queries match (also what their filters, limits and
    counts leave out), the facts of the entities in question, further entities of their classes, and all names and
    classes. The box checks itself: gold that the snapshot does not reproduce is an error.

    A box stands for its benchmark wherever a benchmark is read, and for its graph in --kg. A command that reads a box
    takes it as the graph as well, where --kg (or CHATTY_KG) names none; only "stats" and "export" need no graph.

    \b
    Examples:
      chattygen box --kg films.ttl benchmark.jsonl -o films.zip
      chattygen box --verify films.zip
      chattykg answer --benchmark films.zip -o answers.jsonl
      chattykg evaluate films.zip answers.jsonl
    """  # noqa: D301
    if verify:
        if options["output"]:
            raise click.UsageError("--verify writes nothing: leave out -o")
        if click.get_current_context().get_parameter_source("sources") is ParameterSource.COMMANDLINE:
            raise click.UsageError("--verify runs the queries on the graph in the box: leave out --kg")
        _verify(file)
    elif not options["sources"]:
        raise click.UsageError("name the graph of the benchmark by --kg, or say --verify for a box")
    else:
        _pack(file, options)


def _verify(path: Path) -> None:
    from chattyshared.benchmark import read_benchmark
    from chattyshared.formats.box import read_members

    from chattygen.snapshot.reproduction import reproduce_box

    read_members(path)  # what is no box is refused
    turns = sum(len(dialogue.turns) for dialogue in read_benchmark(path))
    with show_progress("queries", turns) as on_progress:
        reproduction = reproduce_box(path, on_progress)
    click.echo(f"{path}: {reproduction}")
    if reproduction.differing:
        click.echo(sanitize_for_terminal("\n".join(_listing(reproduction))))
        click.get_current_context().exit(DEFECTS)


def _listing(reproduction: Reproduction) -> list[str]:
    lines = [f"  {name}: {reason}" for name, reason in reproduction.differing]
    return lines[:LISTED] + ([f"  and {len(lines) - LISTED} more"] if len(lines) > LISTED else [])


def _pack(file: Path, options: dict[str, Any]) -> None:
    from chattyshared.benchmark import read_benchmark
    from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
    from chattyshared.resources import open_graph

    from chattygen.snapshot.archive import make_box
    from chattygen.snapshot.extraction import SnapshotOptions

    if options["output"] is None and is_standard_input_read(click.get_current_context()):
        raise click.UsageError("standard input has no name to call the box after: name it with -o")
    output: Path = options["output"] or file.with_suffix(".zip")
    require_distinct_paths(output, [file, *options["sources"]], overwrite=options["overwrite"])
    benchmark = read_benchmark(file)
    with startup_errors():
        kg = open_graph(options)
        bounds = SnapshotOptions(**{name: options[name] for name in ("distractors", "max_triples", "skip", "seed")})
        with show_progress("dialogues", len(benchmark)) as on_progress:
            snapshot, reproduction = make_box(
                output, file, benchmark, kg, bounds, license=options["license"], on_progress=on_progress
            )
    if snapshot.left_out:
        print_warning(f"{len(snapshot.left_out)} turns are left out, such as {snapshot.left_out[0]}")
    size = output.stat().st_size / 1000
    click.echo(f"{output}: {size:,.0f} kB, {len(snapshot.triples):,} of {kg.count_triples():,} triples, {reproduction}")
