"""Click plumbing of both programs: a group with lazy imports, warnings and error handling; options from specs, help in
sections, and options from a TOML file."""

from __future__ import annotations

import importlib
import logging
import math
import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from chattyshared.commands.exit_codes import STOPPED, exit_code_and_message, usage_line
from chattyshared.commands.inputs import INPUT_FILE, STDIN_ARGUMENT, copy_standard_input, restore_input_names
from chattyshared.errors import ChattyError, file_write_error, is_storage_error
from chattyshared.model.providers import PROVIDERS
from chattyshared.option_specs import OptionSpec, TomlKey, read_toml

CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
Command = TypeVar("Command", bound=Callable[..., Any])
KG_VARIABLE = "CHATTY_KG"
KG_HELP = (
    '"demo", an RDF file or its URL (also .gz), a box of "chattygen box", or the URL of a SPARQL endpoint; several '
    "files are one graph."
)
"""The values of ``--kg``, for the help."""
_MAX_SUMMARY = 1_000
"""Characters of a command's summary in the help; no summary is longer."""


class FullHelpGroup(click.Group):
    """A group whose help shows the whole summary of each command, wrapped."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, each with the first sentence of its help."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, command.get_short_help_str(limit=_MAX_SUMMARY)) for name, command in commands if command]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class LazyGroup(FullHelpGroup):
    """Imports each command from its module on use, and turns errors into one line and an exit code."""

    def __init__(self, *args: Any, package: str, names: Sequence[str], **arguments: Any) -> None:
        """Take the package of the commands' modules, and the commands in the order of the help.

        A name ``MODULE:COMMAND`` is for a command whose module has another name.
        """
        super().__init__(*args, **arguments)
        self._package = package
        self._modules = {name.rpartition(":")[2]: name.partition(":")[0] for name in names}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self._modules:
            return None
        module = importlib.import_module(f"{self._package}.{self._modules[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the group's own options."""
        with _usage_errors_in_one_line(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; see the exit codes in the help."""
        try:
            with _usage_errors_in_one_line(ctx), print_logged_warnings():
                return super().invoke(ctx)
        except (ChattyError, KeyboardInterrupt) as error:
            _exit_with_error(ctx, error)
        except OSError as error:
            if not is_storage_error(error):
                raise
            _exit_with_error(ctx, file_write_error(Path(error.filename or "standard output"), error))


def _exit_with_error(ctx: click.Context, error: ChattyError | KeyboardInterrupt) -> NoReturn:
    code, line = exit_code_and_message(error)
    click.echo(f"{ctx.info_name}: {sanitize_for_terminal(line)}", err=True)
    ctx.exit(code)


@contextmanager
def _usage_errors_in_one_line(ctx: click.Context) -> Iterator[None]:
    """Print a usage error as one line and exit; a group that is called without a command prints its help."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else str(ctx.info_name)
        click.echo(f"{ctx.info_name}: {sanitize_for_terminal(usage_line(error.format_message(), command))}", err=True)
        ctx.exit(error.exit_code)


def exit_on_failures(failures: Mapping[str, Counter[str]], trace: Path | None = None, hint: str = "") -> None:
    """Exit with code 3 and a message if items of a run ended in unexpected errors.

    ``failures`` counts errors by the noun for an item. ``trace`` is the file with the tracebacks; ``hint`` says how to
    get them without one."""
    from chattyshared.runs.containment import summarize_failures

    if line := summarize_failures(failures, trace if trace and trace.exists() else None, hint):
        context = click.get_current_context()
        print_status(f"{context.find_root().info_name}: {line}")
        context.exit(STOPPED)


def print_status(message: str) -> None:
    """Print a status message to stderr."""
    click.echo(sanitize_for_terminal(message), err=True)


def print_warning(message: str) -> None:
    """Print a warning to stderr."""
    click.echo(f"warning: {sanitize_for_terminal(message)}", err=True)


class _WarningPrinter(logging.Handler):
    """Prints the warnings that the packages log."""

    def emit(self, record: logging.LogRecord) -> None:
        print_warning(record.getMessage())


@contextmanager
def print_logged_warnings() -> Iterator[None]:
    """Print logged warnings while a command runs."""
    handler = _WarningPrinter(logging.WARNING)
    loggers = [logging.getLogger(name) for name in ("chattykg", "chattygen", "chattyshared")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)


def sanitize_for_terminal(text: str) -> str:
    """Return a text that is safe to print: inputs by their users' names, and no control characters, since graphs
    contain foreign text."""
    return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in restore_input_names(text))


class FiniteRange(click.FloatRange):
    """A range of finite numbers; click's own range accepts NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number", param, ctx)
        return number


class SectionedOption(click.Option):
    """An option under a heading of the help."""

    def __init__(self, *args: Any, section: str = "", **arguments: Any) -> None:
        """Take the heading; options without one come first."""
        super().__init__(*args, **arguments)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help shows common options first, then the others under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {"": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(param, "section", ""), []).append(record)
        for title, records in sections.items():
            with formatter.section(title or "Options"):
                formatter.write_dl(records)


def options_from_specs(settings: Iterable[OptionSpec]) -> Callable[[Command], Command]:
    """Return a decorator that adds an option for each spec to a command, in their order."""
    return _add_options([_option(setting) for setting in settings])


def _add_options(options: Sequence[Callable[[Any], Any]]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _option(setting: OptionSpec) -> Callable[[Any], Any]:
    bounded = (setting.minimum, setting.maximum) != (None, None)
    types: dict[str, Any] = {
        "text": str,
        "integer": click.IntRange(min=_to_int(setting.minimum), max=_to_int(setting.maximum)) if bounded else int,
        "number": FiniteRange(min=setting.minimum, max=setting.maximum),
        "choice": click.Choice(setting.choices),
        "file": INPUT_FILE,
        "output": click.Path(path_type=Path, dir_okay=False),
        "folder": click.Path(path_type=Path, file_okay=False),
    }
    arguments: dict[str, Any] = {"is_flag": True} if setting.kind == "switch" else {"type": types[setting.kind]}
    if setting.metavar:
        arguments["metavar"] = setting.metavar
    arguments["show_default"] = setting.shown_default or (
        setting.default not in (None, "", ()) and setting.kind != "switch"
    )
    return click.option(
        setting.flag,
        setting.name,
        cls=SectionedOption,
        section=setting.section,
        help=setting.help,
        default=() if setting.is_repeatable else setting.default,
        multiple=setting.is_repeatable,
        envvar=setting.environment_variable or None,
        show_envvar=bool(setting.environment_variable),
        **arguments,
    )


def _to_int(bound: float | None) -> int | None:
    return None if bound is None else int(bound)


class KGSourceType(click.ParamType[str]):
    """A knowledge graph, or a part of one: ``demo``, a file, or a URL; the environment may name several."""

    name = "source"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return a source; standard input becomes a file."""
        return str(copy_standard_input(ctx)) if value == STDIN_ARGUMENT and ctx is not None else str(value)

    def split_envvar_value(self, rv: str) -> list[str]:
        """Split at blanks, with quotes as in a shell; the name of an existing file is one source, even with blanks.

        Raises:
            BadParameter: a quote is not closed.
        """
        if os.path.exists(rv):  # noqa: PTH110 - a path's own method raises where a name is impossible
            return [rv]
        try:
            return shlex.split(rv)
        except ValueError as error:
            raise click.BadParameter(str(error).lower()) from error


def kg_option(
    text: str = KG_HELP, *, name: str = "sources", metavar: str = "KG", required: bool = True
) -> Callable[[Command], Command]:
    """Return a decorator that adds ``--kg`` to a command, with the environment variable ``CHATTY_KG``."""
    return click.option(
        "--kg",
        name,
        metavar=metavar,
        type=KGSourceType(),
        multiple=True,
        required=required,
        envvar=KG_VARIABLE,
        show_envvar=True,
        help=text,
    )


def model_options(purpose: str, agents: str = "") -> Callable[[Command], Command]:
    """Return a decorator that adds ``--model`` and ``--base-url`` to a command.

    ``purpose`` says what the model does (``Who writes``); ``agents`` names the parts that can have their own model.
    Without any, the rules do not serve.
    """
    *others, last = (provider.option_help for provider in PROVIDERS)
    specs = (
        f"{', '.join(others if agents else others[1:])}, or {last}{f'; for single {agents} beside it' * bool(agents)}"
    )
    options = (
        click.option(
            "--model",
            "models",
            metavar="MODEL",
            multiple=True,
            show_default="rules" if agents else False,
            help=f"{purpose}: {specs}.",
        ),
        click.option(
            "--base-url",
            metavar="URL",
            envvar="OPENAI_BASE_URL",
            show_envvar=True,
            help="Where a server lies that speaks OpenAI's API (vLLM, Ollama, ...).",
        ),
    )
    return _add_options(options)


def config_option(command: Command) -> Command:
    """Add ``--config FILE`` to a command: a TOML file whose keys are the command's own options."""
    option: Callable[[Command], Command] = click.option(
        "--config",
        type=INPUT_FILE,
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_load_config,
        help="Take options from this TOML file; those given here come first.",
    )
    return option(command)


def long_options(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command that a file can give, by their long names without hyphens in front."""
    options = [option for option in command.params if isinstance(option, click.Option) and option.expose_value]
    return {name[2:]: option for option in options for name in option.opts if name.startswith("--")}


def _load_config(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    if path is None:
        return
    flags = long_options(ctx.command)
    values = read_toml(path, {key: TomlKey(option.multiple, option.is_flag) for key, option in flags.items()})
    ctx.default_map = {**(ctx.default_map or {}), **{str(flags[key].name): value for key, value in values.items()}}
