"""How a command ends: the one mapping from what went wrong to an exit code and one clear line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chattyshared.errors import ChattyError, ConfigError, EndpointError, ModelError

DONE, DEFECTS, BAD_INPUT, STOPPED = 0, 1, 2, 3
"""Done; a strict check found defects; bad input or nothing reachable at the start; stopped early, resumable, or done
but for items that ended in unexpected errors."""

INTERRUPTED = "interrupted; what is finished is on disk, the same command (without --overwrite) goes on from there"


def exit_code_and_message(error: ChattyError | KeyboardInterrupt) -> tuple[int, str]:
    """Return the exit code and the line for an error that ends a command."""
    if isinstance(error, KeyboardInterrupt):
        return STOPPED, INTERRUPTED
    said = "".join(letter if letter.isprintable() else " " for letter in str(error))
    line = " ".join(said.split()) or type(error).__name__
    return (BAD_INPUT, line) if isinstance(error, ConfigError) else (STOPPED, line)


@contextmanager
def startup_errors(has_begun: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Turn an unreachable world into bad input, while nothing has been done yet; ``begun`` tells that something has.

    Raises:
        ConfigError: in place of the endpoint's or the model's error.
    """
    try:
        yield
    except (EndpointError, ModelError) as error:
        if has_begun():
            raise
        raise ConfigError(str(error)) from error


def require_distinct_paths(output: Path, inputs: Iterable[Path | str]) -> None:
    """Make sure that what is written is none of what is read: ``--overwrite`` shall not destroy it.

    Raises:
        ConfigError: it is; or its name cannot be that of a file.
    """
    if not output.name or str(output) == "-":
        raise ConfigError(f"{output} is no name of a file")
    try:
        if output.exists() and any(Path(given).exists() and output.samefile(given) for given in inputs):
            raise ConfigError(f"{output} is what is to be read: name another file for the output")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{output}: {getattr(error, 'strerror', None) or error}") from error


def usage_line(message: str, command: str) -> str:
    """Return the one line for a command that was called wrongly."""
    return f"{' '.join(message.split()).rstrip('.')} ({command} --help tells more)"
