"""Click plumbing of both programs: a group with lazy imports, warnings and error handling; options and settings from
their specs, from ``--set`` and from a TOML file."""

from __future__ import annotations

import importlib
import logging
import math
import os
import shlex
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from click.core import ParameterSource

from chattyshared.commands.exit_codes import STOPPED, exit_code_and_message, usage_line
from chattyshared.commands.inputs import INPUT_FILE, STDIN_ARGUMENT, copy_standard_input, restore_input_names
from chattyshared.commands.removed import find_successor, successors_of_keys
from chattyshared.errors import ChattyError, file_write_error, is_storage_error
from chattyshared.model.providers import PROVIDERS
from chattyshared.option_specs import CONFIG_OPTION, OptionSpec, TomlKey, did_you_mean, read_toml

CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
Command = TypeVar("Command", bound=Callable[..., Any])
KG_VARIABLE = "CHATTY_KG"
KG_HELP = (
    '"demo", an RDF file or its URL (also .gz), a box of "chattygen box", or the URL of a SPARQL endpoint; several '
    "files are one graph."
)
"""The values of ``--kg``, for the help."""
SHORT_FLAGS = {"output": ("-o",), "verbose": ("-v",)}
_SET_KEY = "chattyshared.commands.group"
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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by its name.

        Raises:
            UsageError: there is none; the message names the successor of one that is gone.
        """
        if successor := find_successor(ctx.command_path, args[0]):
            raise click.UsageError(f"there is no {args[0]}: use {successor}", ctx)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the group's own options."""
        with _usage_errors_in_one_line(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; see the exit codes in the help."""
        try:
            with _usage_errors_in_one_line(ctx), print_logged_warnings(), _termination_as_interrupt():
                return super().invoke(ctx)
        except (ChattyError, KeyboardInterrupt) as error:
            _exit_with_error(ctx, error)
        except OSError as error:
            if not is_storage_error(error):
                raise
            _exit_with_error(ctx, file_write_error(Path(error.filename or "standard output"), error))


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """Take SIGTERM as Ctrl-C, so that nothing unfinished is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


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
        context = error.ctx or ctx
        message = error.format_message()
        if isinstance(error, click.NoSuchOption):
            message = _say_successor(context, error.option_name) or message
        line = sanitize_for_terminal(usage_line(message, context.command_path))
        click.echo(f"{ctx.info_name}: {line}", err=True)
        ctx.exit(error.exit_code)


def _say_successor(ctx: click.Context, flag: str) -> str:
    """Return what to use instead of an option that is gone; "" of one that never was."""
    key = flag.removeprefix("--").replace("-", "_")
    successor = find_successor(ctx.command_path, flag)
    if not successor and key in settings_of(ctx.command):
        successor = f"--set {key}=VALUE"
    return f"there is no {flag}: use {successor}" if successor else ""


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


class DeclaredOption(click.Option):
    """An option that a spec declares; an error says whether its value stands in a file."""

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name of the option as the user gave it."""
        source = ctx.get_parameter_source(str(self.name)) if ctx else None
        if source is ParameterSource.DEFAULT_MAP:
            return f"{self.opts[-1].removeprefix('--')!r} of --config"
        return super().get_error_hint(ctx)


class Setting(DeclaredOption):
    """A setting: no flag gives it, but ``--set NAME=VALUE`` or a file."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Leave the parser as it is."""

    def get_help_record(self, ctx: click.Context) -> None:
        """Leave the help of the command as it is."""

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """Return the value of ``--set``, else of the environment, the file, or the default."""
        given = ctx.meta.get(_SET_KEY, {})
        if self.name in given:
            return given[self.name], ParameterSource.COMMANDLINE
        return super().consume_value(ctx, opts)

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name of the setting as the user gave it."""
        hint = super().get_error_hint(ctx)
        return hint if hint.endswith("--config") else f"'--set {self.name}='"


class SettingsCommand(click.Command):
    """A command that takes its settings by ``--set NAME=VALUE``, and them and its options by ``--config FILE``."""

    def __init__(self, *args: Any, **arguments: Any) -> None:
        """Add ``--set`` and ``--config`` to a command with settings."""
        super().__init__(*args, **arguments)
        if settings_of(self):
            self.params += [_SET_OPTION, _CONFIG_OPTION]


def settings_of(command: click.Command) -> dict[str, Setting]:
    """Return the settings of a command by their names."""
    return {str(param.name): param for param in command.params if isinstance(param, Setting)}


def flag_of(name: str) -> str:
    """Return how a user of the running command gives an option or a setting: ``--history``, or ``say=``."""
    context = click.get_current_context(silent=True)
    is_setting = context is not None and name in settings_of(context.command)
    return f"{name}=" if is_setting else f"--{name.replace('_', '-')}"


def options_from_specs(*specs: OptionSpec) -> Callable[[Command], Command]:
    """Return a decorator that adds an option or a setting for each spec to a command, in their order."""

    def decorate(command: Command) -> Command:
        for spec in reversed(specs):
            command = _option(spec)(command)
        return command

    return decorate


def _option(spec: OptionSpec) -> Callable[[Any], Any]:
    bounded = (spec.minimum, spec.maximum) != (None, None)
    types: dict[str, Any] = {
        "text": str,
        "integer": click.IntRange(min=_to_int(spec.minimum), max=_to_int(spec.maximum)) if bounded else int,
        "number": FiniteRange(min=spec.minimum, max=spec.maximum),
        "choice": click.Choice(spec.choices),
        "switch": click.BOOL,
        "file": INPUT_FILE,
        "output": click.Path(path_type=Path, dir_okay=False),
        "folder": click.Path(path_type=Path, file_okay=False),
    }
    is_flag = spec.kind == "switch" and not spec.is_setting
    return click.option(
        *SHORT_FLAGS.get(spec.name, ()),
        spec.flag,
        spec.name,
        cls=Setting if spec.is_setting else DeclaredOption,
        help=spec.help,
        default=() if spec.is_repeatable else spec.default,
        show_default=spec.shown_default or (spec.default not in (None, "", ()) and not is_flag),
        multiple=spec.is_repeatable,
        envvar=spec.environment_variable or None,
        show_envvar=bool(spec.environment_variable),
        metavar=spec.metavar or None,
        **({"is_flag": True} if is_flag else {"type": types[spec.kind]}),
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
    model = click.option(
        "--model", "models", metavar="MODEL", multiple=True, show_default="rules" if agents else False,
        help=f"{purpose}: {specs}.",
    )  # fmt: skip
    base_url = click.option(
        "--base-url", metavar="URL", envvar="OPENAI_BASE_URL", show_envvar=True,
        help="Where a server lies that speaks OpenAI's API (vLLM, Ollama, ...).",
    )  # fmt: skip
    return lambda command: model(base_url(command))


def long_options(command: click.Command) -> dict[str, click.Option]:
    """Return the options and settings of a command that a file can give, by their long names without hyphens."""
    options = [option for option in command.params if isinstance(option, click.Option) and option.expose_value]
    return {name[2:]: option for option in options for name in option.opts if name.startswith("--")}


def toml_keys(command: click.Command) -> dict[str, TomlKey]:
    """Return the keys of a file of a command's options."""
    return {
        key: TomlKey(option.multiple, isinstance(option.type, click.types.BoolParamType), isinstance(option, Setting))
        for key, option in long_options(command).items()
    }


def load_options(ctx: click.Context, path: Path, keys: Mapping[str, TomlKey], successors: Mapping[str, str]) -> None:
    """Take the options of a file with some keys as the defaults of a command; see ``read_toml``.

    Raises:
        ConfigError: the file cannot be read, or gives something that the command does not have.
    """
    values = read_toml(path, keys, successors)
    flags = long_options(ctx.command)
    ctx.default_map = {**(ctx.default_map or {}), **{str(flags[key].name): value for key, value in values.items()}}


def _load_config(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    if path is not None:
        load_options(ctx, path, toml_keys(ctx.command), successors_of_keys(ctx.command_path))


def _take_settings(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> None:
    """Keep the values of ``--set`` for the settings of the command.

    Raises:
        UsageError: a setting is unknown, or has no value.
    """
    settings, given = settings_of(ctx.command), dict[str, list[str]]()
    for text in texts:
        name, mark, value = text.partition("=")
        key = name.strip().replace("-", "_")
        if key not in settings:
            raise click.UsageError(f"unknown setting {name!r:.100}{_say_nearest(ctx, key)}", ctx)
        if not mark:
            raise click.UsageError(f"--set takes NAME=VALUE, such as {key}=VALUE, not {text!r:.100}", ctx)
        given.setdefault(key, []).append(value)
    ctx.meta[_SET_KEY] = {key: values if settings[key].multiple else values[-1] for key, values in given.items()}


def _say_nearest(ctx: click.Context, name: str) -> str:
    flag = f"--{name.replace('_', '-')}"
    if flag[2:] in long_options(ctx.command):
        return f": it is an option, {flag}"
    if successor := find_successor(ctx.command_path, flag):
        return f": use {successor}"
    return did_you_mean(name, tuple(settings_of(ctx.command))) or f"; {ctx.find_root().info_name} settings lists them"


_SET_OPTION = click.Option(
    ["--set"], metavar="NAME=VALUE", multiple=True, is_eager=True, expose_value=False, callback=_take_settings,
    help='Give a setting a value (may be repeated); the command "settings" lists them.',
)  # fmt: skip
_CONFIG_OPTION = click.Option(
    [CONFIG_OPTION.flag], type=INPUT_FILE, metavar=CONFIG_OPTION.metavar, is_eager=True, expose_value=False,
    callback=_load_config, help=CONFIG_OPTION.help,
)  # fmt: skip
