"""The options that several commands share, as decorators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from chattyshared import option_specs as specs
from chattyshared.commands import group
from chattyshared.commands.group import options_from_specs
from chattyshared.commands.inputs import INPUT_FILE
from chattyshared.endpoint.connection_options import ENDPOINT_OPTIONS
from chattyshared.model.option_specs import BUDGET_OPTIONS, DRY_RUN_OPTION, SERVER_OPTIONS
from chattyshared.option_specs import MAX_STEPS, QUERY_LIMIT, SHOWN_ANSWERS, THETA, VERTEX_LIMIT, OptionSpec
from chattyshared.runs.runner import RUNNER_OPTIONS

THETA_SETTING = OptionSpec("theta", "Attempts that a model has at each reply.", "integer", THETA, "N", minimum=1)
LIMIT_SETTINGS = (
    OptionSpec("shown_answers", "Answers of each earlier turn that a model is shown.", "integer", SHOWN_ANSWERS, "L",
               minimum=1),
    OptionSpec("vertex_limit", "Vertices that are retrieved for a name; where there are more, a note says so.",
               "integer", VERTEX_LIMIT, "N", minimum=1),
    OptionSpec("query_limit", "Candidate queries of a question that are kept.", "integer", QUERY_LIMIT, "N", minimum=1),
    OptionSpec("max_steps", "Calls of the agent strategy for a question at most.", "integer", MAX_STEPS, "N",
               minimum=1),
    OptionSpec("prompt",
               "How much a model that writes queries is shown: full, or lean for small ones; auto: what suits it.",
               "choice", "auto", choices=("auto", "full", "lean")),
)  # fmt: skip

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


def _combine(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


reading_options = options_from_specs((specs.STORE_OPTION, specs.CACHE_OPTION, *ENDPOINT_OPTIONS))
"""Options for reading a knowledge graph and asking its endpoint."""


kg_options = _combine(group.kg_option(), reading_options)
"""The knowledge graph, and the options for its endpoint."""

model_options = _combine(
    group.model_options("Who answers", "agents of the graph (chattykg graph) qir=MODEL, matching=..., direct=..."),
    options_from_specs([specs.MODEL_TIMEOUT_OPTION]),
)
"""The language model."""

cost_options = options_from_specs((*BUDGET_OPTIONS, *SERVER_OPTIONS))
"""The limits of a run, and the options for model servers."""

gold_option = click.option(
    "--gold", type=INPUT_FILE, metavar="FILE", show_default="the file beside ANSWERS that its manifest names",
    help="The benchmark or the file of questions that was asked.",
)  # fmt: skip
"""The gold of a file of answers."""

model_run_options = options_from_specs((specs.MODEL_TIMEOUT_OPTION, *BUDGET_OPTIONS, *SERVER_OPTIONS))
"""The time limit of a model, the limits of a run, and the options for model servers."""

dry_run_option = options_from_specs([DRY_RUN_OPTION])
"""Whether to only estimate the cost."""

engine_options = options_from_specs((
    OptionSpec("strategy",
               "Build the query in stages, let the model write it in one call, or let it look into the graph by tools "
               "first; auto: what suits the model, then another if that leaves something open. The rules answer in "
               "stages.", "choice", "auto", choices=("auto", "staged", "direct", "agent")),
    OptionSpec("translate",
               "Have a language model translate questions in another language than the graph's before they are read; "
               "auto: where the labels are not in their language and the prompt names less than 90 % of the "
               "vocabulary.", "choice", "auto", choices=("auto", "always", "never")),
    OptionSpec("threshold", "Say that it is not known where the engine is less sure than this.", "number", 0.05, "P",
               minimum=0, maximum=1),
    *LIMIT_SETTINGS,
))  # fmt: skip
"""The settings of the engine."""


verify_options = _combine(
    click.option(
        "--verify",
        metavar="JUDGE",
        help='Have the query of each answer judged, "does it say what the question asks?", and go on to the next '
        'candidate where it does not: by "rules" (the words that they share), or a model as for --model, which is '
        "called once for each candidate.",
    ),
    click.option(
        "--labels",
        type=click.Choice(["name", "drop"]),
        default="name",
        show_default=True,
        help="What the judge reads for an IRI without a label in the graph: its local name, or nothing: the query is "
        "deleted.",
    ),
)
"""The judge of queries."""

_FILE_OF_EXAMPLES = click.option(
    "--experience",
    type=FILE,
    multiple=True,
    help="Show the model solved questions of this file, which chattykg learn made from the same graph, as examples "
    "(may be repeated). Where a file is answered, what it shares with the examples is left out of them. The rules "
    "use no examples.",
)


def experience_option(default: str) -> Callable[[Command], Command]:
    """Return the options for the solved questions that a model is shown as examples, with the default of a command."""
    made = (
        "Make solved questions from the graph itself, once, as examples without --experience; auto: for a small model."
    )
    spec = OptionSpec("examples", made, "choice", default, choices=("auto", "off"))
    return _combine(_FILE_OF_EXAMPLES, options_from_specs([spec]))


def clarify_option(default: str) -> Callable[[Command], Command]:
    """Return the option for questions with several readings, with the default of a command."""
    text = "What a question with several readings gets: a question back, the best answer with a note and less "
    choices = ("ask", "best", "refuse")
    return options_from_specs(
        [OptionSpec("clarify", f"{text}confidence, or none.", "choice", default, choices=choices)]
    )


theta_option = options_from_specs([THETA_SETTING])
"""The attempts of a model at one reply."""

say_option = click.option(
    "--say/--list",
    "say",
    default=None,
    help="Say the answer in a sentence, or list it; a language model is asked once more for the sentence.",
)
"""Whether an answer is a sentence or a list; each command has its own default."""

trace_option = options_from_specs([specs.TRACE_OPTION])

machine_options = options_from_specs(RUNNER_OPTIONS)
"""The runner: threads or a cluster."""

run_options = options_from_specs((specs.WORKERS_OPTION, specs.OVERWRITE_OPTION))
"""The options of a run over a file."""

asking_options = options_from_specs((
    OptionSpec("history", "What the engine takes for the earlier answers: its own, or the right ones.", "choice", "own",
               choices=("own", "gold")),
    OptionSpec("wording", "How turns of a benchmark are asked: as in the dialogue, or each for itself.", "choice",
               "follow-up", choices=("follow-up", "standalone")),
))  # fmt: skip
"""The history and the wording of a benchmark's turns."""
