"""Prints samples for the ``show`` commands: the first dialogues, or the turns of an ID in full."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from chattyshared.commands.group import sanitize_for_terminal
from chattyshared.option_specs import OptionSpec

if TYPE_CHECKING:
    from chattyshared.pages.samples import Sample

FIRST_OPTION = OptionSpec(
    "first", "How many dialogues, or single questions, to show without an ID.", "integer", 5, "N", minimum=1
)


def print_samples(samples: Sequence[Sample], id: str | None, first: int) -> None:
    """Print the turns of an ID in full, or without one the first dialogues.

    Raises:
        ConfigError: nothing has this ID.
    """
    from chattyshared.pages.sample_text import render_dialogues, render_sample
    from chattyshared.pages.samples import group_by_dialogue, select_samples

    if not samples:
        lines = ["there is no turn to show"]
    elif id is None:
        lines = list(render_dialogues(group_by_dialogue(samples), first, _terminal_width()))
    else:
        turns = (render_sample(sample, _terminal_width()) for sample in select_samples(samples, id))
        lines = [line for turn in turns for line in ("", *turn)][1:]
    click.echo(sanitize_for_terminal("\n".join(lines)))


def print_dialogue(samples: Sequence[Sample]) -> None:
    """Print one dialogue, a line a question and a line an answer."""
    from chattyshared.pages.sample_text import render_dialogue

    click.echo(sanitize_for_terminal("\n".join(render_dialogue(samples, _terminal_width()))))


def _terminal_width() -> int:
    """Return the width of the text, between 30 and 120; without a terminal 100."""
    return max(30, min(shutil.get_terminal_size((100, 24)).columns, 120))
