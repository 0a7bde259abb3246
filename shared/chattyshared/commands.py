"""What both command lines share: a group that imports commands when called, says warnings, and ends on errors."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from chattyshared.errors import ChattyError
from chattyshared.exits import ending, usage_line

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Commands(click.Group):
    """Finds each command in ``ROOM.NAME``, and turns our errors into one line and an exit code."""

    def __init__(self, *args: Any, room: str, names: Sequence[str], **more: Any) -> None:
        """Take the package that the commands' modules lie in, and their names in the order of the help."""
        super().__init__(*args, **more)
        self._room, self._names = room, tuple(names)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        return list(self._names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self._names:
            return None
        command: click.Command = getattr(importlib.import_module(f"{self._room}.{cmd_name}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; see the exit codes in the help."""
        try:
            with warnings_said():
                return super().invoke(ctx)
        except (ChattyError, KeyboardInterrupt) as error:
            code, line = ending(error)
            click.echo(f"{ctx.info_name}: {plain(line)}", err=True)
            ctx.exit(code)
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else str(ctx.info_name)
            click.echo(f"{ctx.info_name}: {usage_line(error.format_message(), command)}", err=True)
            ctx.exit(error.exit_code)


def warn(message: str) -> None:
    """Say something on stderr that does not stop the command."""
    click.echo(f"warning: {plain(message)}", err=True)


class _Warnings(logging.Handler):
    """Says what the rooms below log as warnings."""

    def emit(self, record: logging.LogRecord) -> None:
        warn(record.getMessage())


@contextmanager
def warnings_said() -> Iterator[None]:
    """Say what is logged as a warning while a command runs."""
    handler = _Warnings(logging.WARNING)
    loggers = [logging.getLogger(name) for name in ("chattykg", "chattygen", "chattyshared")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)


def plain(text: str) -> str:
    """Return a text without what would move the cursor or change the terminal: graphs hold other people's text."""
    return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text)
