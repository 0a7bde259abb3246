"""The options that the generator's commands share, as decorators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from chattyshared.commands.group import InSection, model_options, options_from
from chattyshared.endpoint.connection_options import ENDPOINTS
from chattyshared.model.option_specs import DRY_RUN, SERVERS, SPENDING
from chattyshared.runs.runner import RUNNERS

from chattygen.option_specs import FACTS, RUN, SEEDS, SETTINGS, TURNS, TYPES

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
SELECTING = frozenset(
    "dialogues lang seed seeds min_triples max_triples min_predicates max_label_words direction block".split()
)
"""What, beside the options for types, decides which types there are and how many dialogues each gets."""


def keeping_options(command: Command) -> Command:
    """Give a command the folders in which a graph, and what is learned of it, are kept."""
    for flag, text in (
        ("--cache-dir", "Keep indexes of labels, answers of endpoints and replies of models here between runs."),
        ("--store", "Keep the loaded files here, so that the next start is quick."),
    ):
        command = click.option(flag, type=FOLDER, cls=InSection, section=RUN, help=text)(command)
    return command


endpoint_options = options_from(ENDPOINTS)
"""How a SPARQL endpoint is asked."""

cost_options = options_from((*SPENDING, DRY_RUN, *SERVERS))
"""What a run may spend, and how model servers are asked."""

machine_options = options_from(RUNNERS)
"""Who works."""

first_options = options_from(setting for setting in SETTINGS if not setting.section)
"""What a user thinks of first: how many, how long, how."""

further_options = options_from(setting for setting in SETTINGS if setting.section in (TYPES, SEEDS, FACTS, TURNS, RUN))
"""What most users never need."""

selecting_options = options_from(
    setting for setting in SETTINGS if setting.section == TYPES or setting.name in SELECTING
)
"""What decides about the types."""

writing_options = model_options("Who writes", "stages questions=MODEL, queries=..., dialogues=..., labels=...")
"""Which language models."""
