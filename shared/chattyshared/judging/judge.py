"""The judge: asks a model about each task, a pair in both orders, into a resumable file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chattyshared.agent import load_agent
from chattyshared.answers import has_error
from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
from chattyshared.commands.progress import show_progress
from chattyshared.errors import ConfigError, ModelError, ModelUnavailable, ReplyInvalid
from chattyshared.jsonlines import read_lines, to_json_line
from chattyshared.judging.tasks import PAIR, JudgeTask
from chattyshared.model import LanguageModel
from chattyshared.model.from_options import model_session
from chattyshared.model.option_specs import parse_model_assignments
from chattyshared.prompt import prompt_digests
from chattyshared.resources import describe_address, open_model_factory, secrets
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.runs.manifest import program_versions
from chattyshared.runs.output import Output
from chattyshared.runs.threads import map_unordered, stop_error
from chattyshared.trace import Trace, TracedModel

PREFERENCE = "preference"
VERDICT_SCORES = {"A": 1, "tie": 3, "B": 5}
"""Verdicts as scores, so that the agreement on preferences is computed like any other."""
_SWAPPED = {"A": "B", "tie": "tie", "B": "A"}


def rate(task: JudgeTask, model: LanguageModel, rater: str, theta: int, trace: Trace) -> dict[str, Any]:
    """Return the line of a task: its ratings, or the error (``unread``: no reply was usable).

    Raises:
        ModelUnavailable, BudgetSpent: the run has to stop.
    """
    line: dict[str, Any] = {"id": task.id, "rater": rater}
    try:
        result = catch_unexpected(lambda: _ask(task, TracedModel(model, trace, task.id), theta))
    except ModelUnavailable:
        raise
    except ModelError as error:
        return line | {"error": str(error), "unread": isinstance(error, ReplyInvalid)}
    if isinstance(result, UnexpectedError):
        result.record(trace, task.id)
        return line | {"error": result.sentence, "unexpected": str(result)}
    return line | result


def _ask(task: JudgeTask, model: LanguageModel, theta: int) -> dict[str, Any]:
    agent, shown, is_pair = load_agent(task.prompt), task.variables, task.prompt == PAIR
    orders = [shown, {"first": shown["second"], "second": shown["first"]}] if is_pair else [shown]
    replies = [dict(agent(model, variables, theta=theta).value) for variables in orders]
    reasons = [reply.pop("reason") for reply in replies]
    if not is_pair:
        return {"ratings": replies[0], "reasons": reasons}
    first, second = verdicts = [reply["better"] for reply in replies]
    score = VERDICT_SCORES[first if first == _SWAPPED[second] else "tie"]
    return {"ratings": {PREFERENCE: score}, "verdicts": verdicts, "reasons": reasons}


def judge_to_file(
    tasks: Sequence[JudgeTask], files: Sequence[Path], options: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Judge the tasks that have no line in the output yet, or one with an error; return its lines.

    ``options`` are those of the command, ``files`` what it has read.

    Raises:
        ConfigError: the output belongs to another run, or the model cannot judge.
        ModelUnavailable, BudgetSpent: the run stopped; what is finished is on disk.
    """
    (spec, _), path, theta = parse_model_assignments(options["models"], ()), options["output"], options["theta"]
    if spec == "rules":
        raise ConfigError("the rules have no opinion: --model names a language model as the judge")
    require_distinct_paths(path, [*files, *options["ratings"]])
    digest = hashlib.sha256(to_json_line([[task.id, task.variables] for task in tasks]).encode("utf-8", "replace"))
    manifest = {
        "command": "judge", "files": [file.name for file in files], "tasks": digest.hexdigest()[:16], "theta": theta,
        "model": describe_address(spec, options["base_url"]), "versions": program_versions(),
        "prompts": prompt_digests({task.prompt for task in tasks}),
    }  # fmt: skip
    with (
        model_session(options, output=path) as model_options,
        Trace(options["trace"], secrets=secrets()) as trace,
        Output(path, manifest, overwrite=options["overwrite"], needs_retry=has_error) as output,
        show_progress("judgements", len(tasks)) as on_progress,
    ):
        model, stop = open_model_factory(options, model_options)(spec, {}), model_options.meter
        pending = [(index, task) for index, task in enumerate(tasks) if not output.is_finished(index)]
        on_progress(len(tasks) - len(pending))
        with startup_errors(lambda: on_progress.done > 0):
            work = map_unordered(
                lambda item: (item[0], rate(item[1], model, spec, theta, trace)),
                pending,
                workers=options["workers"],
                stop=stop,
            )
            for _, (index, line) in work:
                output.record_lines(index, {"": [line]})
                on_progress()
        if on_progress.done < len(tasks):
            raise stop_error(stop)
        output.complete()
    return [line for _, line in read_lines(path)]
