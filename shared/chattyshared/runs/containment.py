"""Unexpected exceptions, kept within the one item of a run that they come from."""

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
"""The packages that a place is looked for in."""
_NAMED = 3
"""How many different errors a summary names."""


@dataclass(frozen=True, slots=True)
class UnexpectedError:
    """An exception that nobody expects, as a plain value: its type, the place in our packages that it comes from
    (``module:function:line``), its message, and its traceback."""

    type: str
    location: str
    message: str
    traceback: str

    def __str__(self) -> str:
        return f"{self.type} at {self.location}"

    @property
    def sentence(self) -> str:
        """What is said of the item."""
        return f"unexpected error: {self}"

    def record(self, trace: Trace, span: str) -> None:
        """Record it, with its traceback, as an event of an item.

        Raises:
            ConfigError, StorageFailed: the trace cannot be written.
        """
        said = {"type": self.type, "at": self.location, "message": self.message, "traceback": self.traceback}
        trace.record(Event("error", span, 0.0, said, str(self)))


def catch_unexpected(work: Callable[[], Result], *passing: type[Exception]) -> Result | UnexpectedError:
    """Do the work on one item; return its result, or the unexpected exception that ended it.

    This is the only place that catches every exception, so that one item cannot end a run of thousands.

    Raises:
        ChattyError: what callers know how to handle; also for a disk that takes no more.
        Exception: one of ``passing``.
    """
    try:
        return work()
    except Exception as error:
        if isinstance(error, (ChattyError, *passing)):
            raise
        if isinstance(error, OSError) and is_storage_error(error):
            raise file_write_error(Path(error.filename or "a file"), error) from error
        return UnexpectedError(type(error).__name__, _place(error.__traceback__), str(error), traceback.format_exc())


def summarize_failures(failures: Mapping[str, Counter[str]], trace: Path | None, hint: str = "") -> str:
    """Return the sentence that says how many items ended in unexpected errors; empty if none did.

    ``failures`` counts errors (as ``str`` gives them) by the noun for an item, such as ``question``. ``hint`` is what
    to do for the tracebacks where there is no ``trace``.
    """
    counts = [(sum(errors.values()), noun) for noun, errors in failures.items() if errors]
    if not counts:
        return ""
    items = " and ".join(f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in counts)
    kinds = Counter[str]()
    for errors in failures.values():
        kinds.update(errors)
    named = ", ".join(
        f"{kind}{f' ({number} times)' if number > 1 else ''}" for kind, number in kinds.most_common(_NAMED)
    )
    more = f" and {len(kinds) - _NAMED} more" if len(kinds) > _NAMED else ""
    where = f"the tracebacks are in {trace}" if trace else hint
    return f"{items} ended in an unexpected error: {named}{more}{f'; {where}' if where else ''}"


def _place(found: TracebackType | None) -> str:
    """Return the innermost place of our own code; of somebody else's where the exception never was in ours."""
    places = [
        (frame.f_globals.get("__name__", "?"), frame.f_code.co_name, line) for frame, line in traceback.walk_tb(found)
    ]
    ours = [place for place in places if place[0].split(".")[0] in PACKAGES and place[0] != __name__]
    return ":".join(map(str, (ours or places)[-1]))
