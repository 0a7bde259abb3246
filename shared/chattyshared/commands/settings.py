"""The command ``settings`` of both programs: what ``--set`` and the files of ``--config`` take."""

from __future__ import annotations

import json
from typing import Any

import click

from chattyshared.commands.group import Setting, settings_of
from chattyshared.option_specs import did_you_mean

_HELP = """List the settings: what an expert tunes by --set NAME=VALUE, or as a key of a TOML file (--config).

Each has its default, its values, and the commands that take it; with a COMMAND only those of that command. The options
of Python have fields of the same names.

\b
{program} settings
{program} settings {example}
"""


def make_settings_command(program: str, example: str) -> click.Command:
    """Return the command for one program; ``example`` is a command with settings."""
    params: list[click.Parameter] = [
        click.Argument(["command"], required=False, metavar="[COMMAND]"),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the settings as one JSON object."),
    ]
    text = _HELP.format(program=program, example=example)
    return click.Command("settings", help=text, params=params, callback=_print_settings)


def _print_settings(command: str | None, as_json: bool) -> None:
    rows = _list_settings(click.get_current_context().find_root(), command)
    if as_json:
        click.echo(json.dumps({"settings": rows}, ensure_ascii=False, indent=1))
        return
    formatter = click.HelpFormatter(width=100)
    for row in rows:
        takers = "" if command else f" [{', '.join(row['commands'])}]"
        formatter.write_text(f"{row['name']}={row['default']}  ({row['values']})")
        with formatter.indentation():
            formatter.write_text(f"{row['help']}{takers}")
    click.echo(formatter.getvalue().rstrip())


def _list_settings(root: click.Context, only: str | None) -> list[dict[str, Any]]:
    """Return the settings of a command (None: of all) by name, each with the commands that take it.

    Raises:
        UsageError: there is no such command.
    """
    group = root.command
    assert isinstance(group, click.Group)
    names = group.list_commands(root)
    if only is not None and only not in names:
        raise click.UsageError(f"no command is called {only!r:.100}{did_you_mean(only, names)}")
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for name in names if only is None else [only]:
        command = group.get_command(root, name)
        for setting in settings_of(command).values() if command else ():
            row = _row(setting)
            rows.setdefault((row["name"], row["default"], row["help"]), {**row, "commands": []})["commands"].append(
                name
            )
    return [rows[key] for key in sorted(rows)]


def _row(setting: Setting) -> dict[str, str]:
    shown = setting.show_default if isinstance(setting.show_default, str) else setting.default
    if isinstance(setting.type, click.Choice):
        values = " | ".join(map(str, setting.type.choices))
    elif isinstance(setting.type, click.IntRange | click.FloatRange):
        values = _bounds(setting.type)
    elif isinstance(setting.type, click.types.BoolParamType):
        values, shown = "on | off", ("off", "on")[shown] if isinstance(shown, bool) else shown
    else:
        values = f"{setting.metavar or setting.type.name}{', may be repeated' * setting.multiple}"
    default = str(shown) if isinstance(shown, str | int | float) else ""
    return {"name": str(setting.name), "default": default, "values": values, "help": setting.help or ""}


def _bounds(kind: click.IntRange | click.FloatRange) -> str:
    noun = "integer" if isinstance(kind, click.IntRange) else "number"
    low = "" if kind.min is None else f" from {kind.min:g}"
    return f"{noun}{low}" if kind.max is None else f"{noun}{low} to {kind.max:g}"
