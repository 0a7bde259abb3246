"""How a command ends: the one mapping from what went wrong to an exit code and one clear line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from chattyshared.errors import ChattyError, ConfigError, EndpointError, ModelError

DONE, DEFECTS, BAD_INPUT, STOPPED = 0, 1, 2, 3
"""Done; a strict check found defects; bad input or nothing reachable at the start; stopped early, resumable."""

INTERRUPTED = "interrupted; what is finished is on disk, the same command goes on from there"


def ending(error: ChattyError | KeyboardInterrupt) -> tuple[int, str]:
    """Return the exit code and the line for an error that ends a command."""
    if isinstance(error, KeyboardInterrupt):
        return STOPPED, INTERRUPTED
    line = " ".join(str(error).split()) or type(error).__name__
    return (BAD_INPUT, line) if isinstance(error, ConfigError) else (STOPPED, line)


@contextmanager
def starting() -> Iterator[None]:
    """Turn an unreachable world into bad input, while nothing has been done yet.

    Raises:
        ConfigError: in place of the endpoint's or the model's error.
    """
    try:
        yield
    except (EndpointError, ModelError) as error:
        raise ConfigError(str(error)) from error
