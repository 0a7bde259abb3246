"""Progress bars on stderr; nothing is drawn where stderr is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chattygen.runs.accounting import GenerationCounts


@contextmanager
def show_progress(total: int) -> Iterator[Callable[[GenerationCounts], None]]:
    """Draw the dialogues and their rate, the accepted and rejected seeds, the tokens, and the price if it is known."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc="dialogues", unit=" dialogues", file=sys.stderr, leave=False) as bar:

        def update(counts: GenerationCounts) -> None:
            bar.set_postfix(progress_figures(counts), refresh=False)
            bar.update(counts.dialogues - bar.n)
            bar.refresh()

        yield update


def progress_figures(counts: GenerationCounts) -> dict[str, str]:
    """Return the figures that follow the count and the rate of the bar."""
    usage = counts.usage
    figures = {
        "accepted": str(counts.dialogues),
        "rejected": str(counts.rejected.total()),
        "tokens": f"{usage.prompt_tokens + usage.completion_tokens:,}",
    }
    return figures if usage.usd is None else {**figures, "usd": f"{usage.usd:.3f}"}
