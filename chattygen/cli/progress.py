"""Progress and warnings on stderr."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

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


class Said(logging.Handler):
    """Says warnings of the program as single lines on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        """Say one record."""
        click.echo(f"warning: {record.getMessage()}", err=True)


@contextmanager
def warnings_said() -> Iterator[None]:
    """Say what the rooms below log as warnings."""
    handler = Said(logging.WARNING)
    loggers = [logging.getLogger(name) for name in ("chattygen", "chattyshared")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
