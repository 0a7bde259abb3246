"""Unexpected exceptions, confined to the item of a run that they come from."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from chattyshared.errors import ChattyError, file_write_error, is_storage_error
from chattyshared.trace import Event, Trace

Result = TypeVar("Result")

PACKAGES = frozenset({"chattygen", "chattykg", "chattyshared"})
"""The packages in which the location of an error is searched."""
_MAX_NAMED = 3
"""How many different errors a summary names."""


@dataclass(frozen=True, slots=True)
class UnexpectedError:
    """An unexpected exception as a value: its type, its location in this project (``module:function:line``), its
    message, and its traceback."""

    type: str
    location: str
    message: str
    traceback: str

    def __str__(self) -> str:
        return f"{self.type} at {self.location}"

    @property
    def sentence(self) -> str:
        """The error message of the item."""
        return f"unexpected error: {self}"

    def record(self, trace: Trace, span: str) -> None:
        """Record the error, with its traceback, as an event of an item.

        Raises:
            ConfigError, StorageFailed: the trace cannot be written.
        """
        data = {"type": self.type, "at": self.location, "message": self.message, "traceback": self.traceback}
        trace.record(Event("error", span, 0.0, data, str(self)))


def catch_unexpected(work: Callable[[], Result], *passing: type[Exception]) -> Result | UnexpectedError:
    """Process one item; return its result, or the unexpected exception that ended it.

    This is the only place that catches every exception, so that one item cannot end a run of thousands.

    Raises:
        ChattyError: an error that callers handle; also for a full disk.
        Exception: one of ``passing``.
    """
    try:
        return work()
    except Exception as error:
        if isinstance(error, (ChattyError, *passing)):
            raise
        if isinstance(error, OSError) and is_storage_error(error):
            raise file_write_error(Path(error.filename or "a file"), error) from error
        return UnexpectedError(
            type(error).__name__, _innermost_place(error.__traceback__), str(error), traceback.format_exc()
        )


def summarize_failures(failures: Mapping[str, Counter[str]], trace: Path | None, hint: str = "") -> str:
    """Return a sentence with the number of items that ended in unexpected errors; empty if none did.

    ``failures`` counts errors (as strings) by the noun for an item, for example ``question``. ``hint`` says how to get
    the tracebacks if there is no ``trace``.
    """
    counts = [(sum(errors.values()), noun) for noun, errors in failures.items() if errors]
    if not counts:
        return ""
    items = " and ".join(f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in counts)
    error_counts = Counter[str]()
    for errors in failures.values():
        error_counts.update(errors)
    shown = ", ".join(
        f"{error}{f' ({number} times)' if number > 1 else ''}" for error, number in error_counts.most_common(_MAX_NAMED)
    )
    omitted = f" and {len(error_counts) - _MAX_NAMED} more" if len(error_counts) > _MAX_NAMED else ""
    where = f"the tracebacks are in {trace}" if trace else hint
    return f"{items} ended in an unexpected error: {shown}{omitted}{f'; {where}' if where else ''}"


def _innermost_place(tail: TracebackType | None) -> str:
    """Return the innermost location in this project's code; in other code if there is none."""
    places = [
        (frame.f_globals.get("__name__", "?"), frame.f_code.co_name, line) for frame, line in traceback.walk_tb(tail)
    ]
    own_places = [location for location in places if location[0].split(".")[0] in PACKAGES and location[0] != __name__]
    return ":".join(map(str, (own_places or places)[-1]))
