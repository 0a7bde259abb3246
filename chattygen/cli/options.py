"""The options that the generator's commands share, as decorators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from chattyshared.commands.group import SectionedOption, model_options, options_from_specs
from chattyshared.endpoint.connection_options import ENDPOINT_OPTIONS
from chattyshared.model.option_specs import BUDGET_OPTIONS, DRY_RUN_OPTION, SERVER_OPTIONS
from chattyshared.runs.runner import RUNNER_OPTIONS

from chattygen.option_specs import FACTS, OPTION_SPECS, RUN, SEEDS, TURNS, TYPES

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
TYPE_OPTION_NAMES = frozenset(
    "dialogues lang seed seeds min_triples max_triples min_predicates max_label_words direction block".split()
)
"""What, beside the options for types, decides which types there are and how many dialogues each gets."""


def cache_options(command: Command) -> Command:
    """Give a command the folders in which a graph, and what is learned of it, are kept."""
    for flag, text in (
        ("--cache-dir", "Keep indexes of labels, answers of endpoints and replies of models here between runs."),
        ("--store", "Keep the loaded files here, so that the next start is quick."),
    ):
        command = click.option(flag, type=FOLDER, cls=SectionedOption, section=RUN, help=text)(command)
    return command


endpoint_options = options_from_specs(ENDPOINT_OPTIONS)
"""How a SPARQL endpoint is asked."""

cost_options = options_from_specs((*BUDGET_OPTIONS, DRY_RUN_OPTION, *SERVER_OPTIONS))
"""What a run may spend, and how model servers are asked."""

runner_options = options_from_specs(RUNNER_OPTIONS)
"""Who works."""

basic_options = options_from_specs(setting for setting in OPTION_SPECS if not setting.section)
"""What a user thinks of first: how many, how long, how."""

advanced_options = options_from_specs(
    setting for setting in OPTION_SPECS if setting.section in (TYPES, SEEDS, FACTS, TURNS, RUN)
)
"""What most users never need."""

type_options = options_from_specs(
    setting for setting in OPTION_SPECS if setting.section == TYPES or setting.name in TYPE_OPTION_NAMES
)
"""What decides about the types."""

stage_model_options = model_options("Who writes", "stages questions=MODEL, queries=..., dialogues=..., labels=...")
"""Which language models."""
