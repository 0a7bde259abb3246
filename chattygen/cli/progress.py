"""Progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chattygen.recording import Tally


@contextmanager
def progress(total: int) -> Iterator[Callable[[Tally], None]]:
    """Draw how many dialogues are made and how many seeds rejected; quiet where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc="dialogues", unit="", file=sys.stderr, leave=False) as bar:

        def watch(tally: Tally) -> None:
            bar.update(tally.dialogues - bar.n)
            bar.set_postfix(rejected=tally.rejected.total(), tokens=tally.usage.prompt_tokens)

        yield watch
