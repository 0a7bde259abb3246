"""How long work reports its progress to whoever shows it: the seam between the rooms and the commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
Advance = Callable[[int], object]
"""Adds a number of finished items."""
ShowProgress = Callable[[str, int | None], AbstractContextManager[Advance]]
"""Shows the progress of work, by its name and its number of items (None: unknown), while the context is open."""
STEP = 5_000
"""Items between two reports."""


@contextmanager
def hide_progress(name: str, total: int | None) -> Iterator[Advance]:  # noqa: ARG001
    """Show nothing."""
    yield lambda count: None


def report_items(items: Iterable[T], advance: Advance) -> Iterator[T]:
    """Yield the items, and report them in steps."""
    iterator = iter(items)
    while batch := list(islice(iterator, STEP)):
        yield from batch
        advance(len(batch))
