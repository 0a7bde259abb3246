"""The command ``chattygen``: a group whose commands are imported when they are called."""

from __future__ import annotations

import click
from chattyshared.commands.group import CONTEXT_SETTINGS, LazyGroup


@click.command(
    cls=LazyGroup,
    package="chattygen.cli",
    names=("generate", "types", "lint", "audit", "show", "stats", "judge", "export", "box", "twin", "settings"),
    context_settings=CONTEXT_SETTINGS,
)
@click.version_option(package_name="chattykg", prog_name="chattygen")
def main() -> None:
    """Make benchmarks of multi-turn dialogues from any knowledge graph, with queries and gold answers.

    A knowledge graph is "demo", RDF files, or the URL of a SPARQL endpoint.
    A file that is called "-" is standard input.

    \b
    Exit codes: 0 done (perhaps with warnings),
    1 defects found by "lint --strict", "audit --strict" or "box --verify",
    2 bad input or nothing reachable at the start,
    3 stopped early: the same command goes on from there.
    """


__all__ = ["main"]
