"""Write ``docs/commands.md`` from the commands' own help: ``python docs/generate_commands.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

import chattygen.cli
import chattykg.cli

PROGRAMS = {"chattygen": chattygen.cli.main, "chattykg": chattykg.cli.main}
PAGE = Path(__file__).with_name("commands.md")
WIDTH = 100
"""Columns of the help texts."""

_HEAD = """# Commands

This page is generated from the `--help` of each command (`make docs`); a test compares them.

A file that is called `-` is standard input: `curl -s URL | chattykg answer --kg - "How many rivers are there?"`.
Each option may also stand in a TOML file (`--config run.toml`); the order is flag, environment, file, default.
"""


def command_names(group: click.Group, prefix: str) -> Iterator[str]:
    """Yield the full names of a group's commands, subcommands included, in the order of its help."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield f"{prefix} {name}"
        if isinstance(command, click.Group):
            yield from command_names(command, f"{prefix} {name}")


def help_text(command: str) -> str:
    """Return the help of a command, such as ``chattykg cache prune``."""
    program, *rest = command.split()
    return CliRunner().invoke(PROGRAMS[program], [*rest, "--help"], prog_name=program, terminal_width=WIDTH).output


def render_page() -> str:
    """Return the whole page."""
    parts = [_HEAD]
    for program, group in PROGRAMS.items():
        parts.append(f"## {program}\n\n```\n{help_text(program)}```\n")
        parts += [f"### {name}\n\n```\n{help_text(name)}```\n" for name in command_names(group, program)]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(render_page(), encoding="utf-8")
