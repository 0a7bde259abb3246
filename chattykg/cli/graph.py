"""``chattykg graph``: the agents and the edges between them, as a diagram."""

from __future__ import annotations

import click


@click.command()
def graph() -> None:
    """Print the graph of agents as a Mermaid diagram.

    Dotted lines are decisions. Each agent that asks a language model can be given one of its
    own: --model qir=openai:NAME.

    \b
    chattykg graph > agents.mmd
    """
    from chattykg.graph import render_mermaid

    click.echo(render_mermaid())
