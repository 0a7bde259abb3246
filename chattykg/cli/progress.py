"""Progress on stderr, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class Progress:
    """Hears how many items are done; ``done`` counts them."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self, more: int) -> None:
        """Count items that are done."""
        self.done += more


class ProgressBar(Progress):
    """Progress that is drawn."""

    def __init__(self, name: str, total: int) -> None:
        from tqdm import tqdm

        super().__init__()
        self._bar = tqdm(total=total, desc=name, unit="", file=sys.stderr, leave=False)

    def __call__(self, more: int) -> None:
        """Count items that are done, and draw."""
        super().__call__(more)
        self._bar.update(more)

    def close(self) -> None:
        """Wipe the bar."""
        self._bar.close()


@contextmanager
def show_progress(name: str, total: int) -> Iterator[Progress]:
    """Show how far a run of ``total`` items is; quiet where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield Progress()
        return
    bar = ProgressBar(name, total)
    try:
        yield bar
    finally:
        bar.close()
