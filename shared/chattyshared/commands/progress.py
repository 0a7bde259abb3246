"""Progress bars on stderr, if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

DELAY = 0.5
"""Seconds from which work has a bar."""


class Progress:
    """Counts finished items in ``done``; a call may tell further figures, which stand behind the bar."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self, count: int = 1, figures: Mapping[str, str] | None = None) -> None:
        """Add a number of finished items."""
        self.done += count


class ProgressBar(Progress):
    """Progress with a bar on stderr."""

    def __init__(self, name: str, total: int | None) -> None:
        from tqdm import tqdm

        super().__init__()
        self._bar = tqdm(total=total, desc=name, unit="", file=sys.stderr, leave=False, delay=DELAY)

    def __call__(self, count: int = 1, figures: Mapping[str, str] | None = None) -> None:
        """Add a number of finished items and update the bar."""
        super().__call__(count)
        if figures:
            self._bar.set_postfix(figures, refresh=False)
        self._bar.update(count)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.close()


@contextmanager
def show_progress(name: str, total: int | None) -> Iterator[Progress]:
    """Show the progress of a run of ``total`` items (None: unknown); show nothing if stderr is no terminal."""
    if not sys.stderr.isatty():
        yield Progress()
        return
    bar = ProgressBar(name, total)
    try:
        yield bar
    finally:
        bar.close()
