"""The command ``chattygen``: a group whose commands are imported when they are called."""

from __future__ import annotations

import importlib
from typing import Any

import click

COMMANDS = ("generate",)


class Commands(click.Group):
    """Finds each command in the module of its name, and turns our errors into one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(f"chattygen.cli.{cmd_name}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; see the exit codes in the help."""
        from chattyshared.errors import ChattyError
        from chattyshared.exits import ending, usage_line

        try:
            return super().invoke(ctx)
        except (ChattyError, KeyboardInterrupt) as error:
            code, line = ending(error)
            click.echo(f"{ctx.info_name}: {line}", err=True)
            ctx.exit(code)
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else str(ctx.info_name)
            click.echo(f"{ctx.info_name}: {usage_line(error.format_message(), command)}", err=True)
            ctx.exit(error.exit_code)


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="chatty", prog_name="chattygen")
def main() -> None:
    """Make benchmarks of multi-turn dialogues from any knowledge graph, with queries and gold answers.

    A knowledge graph is "demo", RDF files, or the URL of a SPARQL endpoint.

    \b
    Exit codes: 0 done (perhaps with warnings); 2 bad input, or nothing reachable at the
    start; 3 stopped early: the same command goes on where it stopped.
    """


__all__ = ["main"]
