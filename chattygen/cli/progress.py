"""Progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chattygen.runs.accounting import GenerationCounts


@contextmanager
def show_progress(total: int) -> Iterator[Callable[[GenerationCounts], None]]:
    """Draw how many dialogues are made and at what rate, how many seeds were accepted and rejected, and what it took;
    quiet where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc="dialogues", unit=" dialogues", file=sys.stderr, leave=False) as bar:

        def watch(tally: GenerationCounts) -> None:
            bar.set_postfix(progress_figures(tally), refresh=False)
            bar.update(tally.dialogues - bar.n)
            bar.refresh()

        yield watch


def progress_figures(counts: GenerationCounts) -> dict[str, str]:
    """Return what the bar says beside its own count and rate."""
    usage = counts.usage
    said = {
        "accepted": str(counts.dialogues),
        "rejected": str(counts.rejected.total()),
        "tokens": f"{usage.prompt_tokens + usage.completion_tokens:,}",
    }
    return said if usage.usd is None else {**said, "usd": f"{usage.usd:.3f}"}
