"""The command ``chattykg``: a group that imports its commands when they are called."""

from __future__ import annotations

import click
from chattyshared.commands.group import CONTEXT_SETTINGS, LazyGroup


@click.command(
    cls=LazyGroup,
    package="chattykg.cli",
    names=tuple(
        (
            "answer chat converse evaluate show show:export compare judge learn roundtrip serve mcp inspection:explain"
            " inspection:doctor inspection:settings inspection:cache"
        ).split()
    ),
    context_settings=CONTEXT_SETTINGS,
)
@click.version_option(package_name="chattykg", prog_name="chattykg")
def main() -> None:
    """Ask knowledge graphs in plain words, and measure how well the answers are.

    A knowledge graph is "demo", RDF files, or the URL of a SPARQL endpoint.
    A file that is called "-" is standard input.

    \b
    chattykg answer --kg demo "Who directed Inception?"
    chattykg chat --kg my.ttl
    chattykg roundtrip --kg my.ttl --dialogues 20

    \b
    Exit codes: 0 done (perhaps with warnings),
    2 bad input or nothing reachable at the start,
    3 stopped early: the same command goes on from there.
    """
