"""Input files of a command: ``-`` is standard input, which is copied so that it can be read like any file."""

from __future__ import annotations

import sys
from io import BufferedIOBase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import click

from chattyshared.errors import ConfigError
from chattyshared.formats.box import is_box

STDIN_ARGUMENT = "-"
"""The user's name for standard input."""
STDIN_NAME = "standard input"
"""Its name in messages, tables and manifests."""
_COPIES_KEY = "chattyshared.commands.inputs"
_CHUNK = 1 << 16


class InputFileType(click.Path):
    """An input file; ``-`` is standard input. A file that can be read only once, for example a pipe, is copied."""

    def __init__(self) -> None:
        """Accept files, not folders."""
        super().__init__(path_type=Path, dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of a file that can be read more than once."""
        if value == STDIN_ARGUMENT and ctx is not None:
            return copy_standard_input(ctx)
        path = super().convert(value, param, ctx)
        if ctx is not None and isinstance(path, Path) and path.is_fifo():
            with path.open("rb") as stream:
                return _copy_stream(ctx, stream, str(path))
        return path


INPUT_FILE = InputFileType()


def copy_standard_input(ctx: click.Context) -> Path:
    """Return the path of a copy of standard input, which exists until the command ends.

    Raises:
        UsageError: it was read before.
        ConfigError: there is none, or it cannot be read.
    """
    if is_standard_input_read(ctx):
        raise click.UsageError('standard input ("-") can be read only once')
    if sys.stdin is None:
        raise ConfigError("there is no standard input to read")
    if sys.stdin.isatty():
        click.echo("reading standard input; Ctrl-D ends it", err=True)
    return _copy_stream(ctx, cast(BufferedIOBase, sys.stdin.buffer), STDIN_NAME)


def take_box_graph(options: dict[str, Any], *files: Path) -> bool:
    """Take the first box among the input files as the graph of a command, where the user names none; return whether
    there is a graph."""
    if not options["sources"]:
        options["sources"] = tuple(str(file) for file in files if is_box(file))[:1]
    return bool(options["sources"])


def is_standard_input_read(ctx: click.Context) -> bool:
    """Tell whether an option or argument was ``-``."""
    return STDIN_NAME in ctx.meta.get(_COPIES_KEY, {}).values()


def restore_input_names(text: str) -> str:
    """Return a text with the paths of input copies replaced by the users' names."""
    ctx = click.get_current_context(silent=True)
    for copy, name in (ctx.meta.get(_COPIES_KEY, {}) if ctx is not None else {}).items():
        text = text.replace(copy, name)
    return text


def _copy_stream(ctx: click.Context, stream: BufferedIOBase, name: str) -> Path:
    """Copy a stream to its end; the copy has the name of the input, in a folder that is removed with the command."""
    copies: dict[str, str] = ctx.meta.setdefault(_COPIES_KEY, {})
    folder = ctx.find_root().with_resource(TemporaryDirectory(prefix="chatty-", ignore_cleanup_errors=True))
    path = Path(folder) / Path(name).name
    try:
        with path.open("wb") as copy:
            while chunk := stream.read1(_CHUNK):  # at a terminal, read() would need a second Ctrl-D
                copy.write(chunk)
    except OSError as error:
        raise ConfigError(f"{name} cannot be read: {error.strerror or error}") from error
    copies[str(path)] = name
    return path
