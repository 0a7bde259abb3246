"""Progress bars on stderr, if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

DELAY = 0.5
"""Seconds from which work has a bar."""


class Progress:
    """Counts finished items in ``done``, and moves a bar of tqdm if there is one."""

    def __init__(self, bar: Any = None) -> None:
        self.done, self._bar = 0, bar

    def __call__(self, count: int = 1, figures: Mapping[str, str] | None = None) -> None:
        """Add a number of finished items; ``figures`` stand behind the bar."""
        self.done += count
        if self._bar is not None:
            self._bar.set_postfix(figures, refresh=False)
            self._bar.update(count)


@contextmanager
def show_progress(name: str, total: int | None) -> Iterator[Progress]:
    """Show the progress of a run of ``total`` items (None: unknown); show nothing if stderr is no terminal."""
    if not sys.stderr.isatty():
        yield Progress()
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=name, unit="", file=sys.stderr, leave=False, delay=DELAY) as bar:
        yield Progress(bar)
