"""Exit codes of the commands: the mapping from errors to an exit code and a one-line message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chattyshared.errors import ChattyError, ConfigError, EndpointError, ModelError

DONE, DEFECTS, BAD_INPUT, STOPPED = 0, 1, 2, 3
"""Done; a strict check found defects; bad input, nothing reachable at the start, or nothing made; stopped early and
resumable, or done except for items that ended in unexpected errors."""

INTERRUPTED = "interrupted; what is finished is on disk, the same command (without --overwrite) goes on from there"


def exit_code_and_message(error: ChattyError | KeyboardInterrupt) -> tuple[int, str]:
    """Return the exit code and the message for an error that ends a command."""
    if isinstance(error, KeyboardInterrupt):
        return STOPPED, INTERRUPTED
    text = "".join(letter if letter.isprintable() else " " for letter in str(error))
    line = " ".join(text.split()) or type(error).__name__
    return (BAD_INPUT, line) if isinstance(error, ConfigError) else (STOPPED, line)


@contextmanager
def startup_errors(has_begun: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Turn endpoint and model errors into ``ConfigError``, as long as ``has_begun`` returns false.

    Raises:
        ConfigError: instead of the endpoint's or the model's error.
    """
    try:
        yield
    except (EndpointError, ModelError) as error:
        if has_begun():
            raise
        raise ConfigError(str(error)) from error


def require_distinct_paths(output: Path, inputs: Iterable[Path | str], *, overwrite: bool = True) -> None:
    """Check that the output is not one of the inputs, which ``--overwrite`` would destroy, and without ``overwrite``
    that it is a new file.

    Raises:
        ConfigError: it is an input, its name is not a file name, or it is there and may not be replaced.
    """
    if not output.name or str(output) == "-":
        raise ConfigError(f"{output} is no name of a file")
    try:
        if output.exists() and any(Path(path).exists() and output.samefile(path) for path in inputs):
            raise ConfigError(f"{output} is what is to be read: name another file for the output")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{output}: {getattr(error, 'strerror', None) or error}") from error
    if not overwrite and output.exists():
        raise ConfigError(f"{output} lies there already: name another with -o, or say --overwrite")


def usage_line(message: str, command: str) -> str:
    """Return the one-line message for a usage error."""
    return f"{' '.join(message.split()).rstrip('.')} ({command} --help tells more)"
