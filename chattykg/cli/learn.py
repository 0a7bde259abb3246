"""``chattykg learn``: keeps the solved questions of a training set as the experience of a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import SettingsCommand, options_from_specs
from chattyshared.commands.inputs import INPUT_FILE
from chattyshared.model.option_specs import DRY_RUN_OPTION
from chattyshared.option_specs import JSON_OPTION, LANG_OPTION, OptionSpec
from chattyshared.runs.runner import SCHEDULER_SETTING

from chattykg.cli import options, resources
from chattykg.cli.answer import RunFailures, answer_file, exit_with
from chattykg.cli.resources import ModelChoice
from chattykg.settings import HISTORY_OPTION, WORDING_OPTION

if TYPE_CHECKING:
    from chattyshared.formats.gold import GoldFile

    from chattykg.experience.learning import Attempt


@click.command(cls=SettingsCommand)
@click.option("--benchmark", type=INPUT_FILE, required=True, help="The training questions: a benchmark that was "
              "generated from this graph, or a file of the field with queries.")  # fmt: skip
@options.graph_options(
    LANG_OPTION, OptionSpec("output", "The experience; NAME.experience.jsonl unless said.", "output")
)
@options.answering_options(is_judged=False, examples="off")
@options_from_specs(*options.RUN_SPECS, DRY_RUN_OPTION, SCHEDULER_SETTING)
def learn(**options: Any) -> None:
    """Learn from solved questions: they become examples for a language model (--experience).

    Each training question is kept with its gold query. With the rules, which is the default, nothing is asked: the
    gold is enough. With a language model, the model tries each question first, worded to stand alone; what it got
    wrong is kept as feedback. Its answers lie in OUTPUT.answers.jsonl: stop it whenever you like, the same command
    goes on from there.

    Learn from other questions than those that you measure with: chattykg answer and roundtrip leave out every example
    that shares its question, its query, or an entity and all predicates with a question of their file.

    \b
    chattygen generate --kg my.ttl --seed 1 -o train.jsonl
    chattykg learn --kg my.ttl --benchmark train.jsonl -o my.experience.jsonl
    chattykg answer --kg my.ttl --model openai:gpt-5-mini --experience my.experience.jsonl --benchmark test.jsonl
    """
    from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors

    from chattykg.experience.experience_file import Experience, make_header, update_experience
    from chattykg.experience.learning import learn_items, read_training_set
    from chattykg.roundtrip import run_folder_name
    from chattykg.runs.inputs import read_questions_input

    path = options["output"] or Path(f"{run_folder_name(options['sources'])}.experience.jsonl")
    attempts_path = path.with_name(f"{path.name}.answers.jsonl")
    require_distinct_paths(path, [*options["sources"], options["benchmark"], attempts_path])
    choice, kg = ModelChoice.from_options(options), resources.open_graph(options)
    with startup_errors():
        training = read_training_set(options["benchmark"], kg, options["lang"])
    answer_input = read_questions_input(options["benchmark"], "standalone", options["lang"])
    failures, attempts, is_tried = RunFailures(), {}, any(ModelChoice(spec).is_promptable for spec in choice.specs)
    if options["dry_run"] and not is_tried:
        raise click.UsageError("--dry-run estimates what a language model costs: the rules are not asked here")
    if is_tried:
        others = {spec.name: spec.default for spec in _ANSWER_SPECS}
        others |= {"experience": (), "examples": "off", "output": attempts_path}
        failures = answer_file(answer_input, {**options, **others, "wording": "standalone"})
        if options["dry_run"]:
            return
        attempts = _read_attempts(training, attempts_path)
    entry = {**answer_input.manifest_entry, "model": choice.describe() if is_tried else ""}
    entry |= {"strategy": options["strategy"]} if is_tried else {}
    with startup_errors():
        items = tuple(learn_items(training.questions, kg, attempts))
        header = make_header(kg, entry)
    update_experience(path, Experience(header, items), overwrite=options["overwrite"])
    right = sum(item.is_success for item in items)
    tried = f": {right} right at the first attempt, {len(items) - right} kept with feedback" if is_tried else ""
    click.echo(f"{path}: {len(items)} solved questions{tried}")
    exit_with(failures)


_ANSWER_SPECS = (*options.SYSTEM_SPECS, *options.VERIFY_SETTINGS, HISTORY_OPTION, WORDING_OPTION, JSON_OPTION)
"""What ``answer_file`` needs that the command does not show."""


def _read_attempts(training: GoldFile, path: Path) -> dict[str, Attempt]:
    """Return what the model answered to each training question, with its F1."""
    from chattykg.evaluation.evaluate import score_answers
    from chattykg.evaluation.system_runs import read_system_run
    from chattykg.experience.learning import Attempt

    answers = read_system_run(path, with_trace=False)
    scores = {turn.gold.id: turn.f1 for turn in score_answers(training, answers).turns()}
    return {
        id: Attempt(line.sparql, scores.get(id, 0.0), line.reason.text if line.reason else "")
        for id, line in answers.lines.items()
        if not line.error
    }
