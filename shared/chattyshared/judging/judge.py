"""The judge: asks a model about each task, a pair in both orders, into a resumable file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chattyshared.agent import load_agent
from chattyshared.answers import has_error
from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
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


@dataclass(frozen=True, slots=True)
class Judge:
    """A model with its name as a rater, the attempts at a reply, and the trace."""

    model: LanguageModel
    rater: str
    theta: int
    trace: Trace

    def rate(self, task: JudgeTask) -> dict[str, Any]:
        """Return the line of a task: its ratings, or the error (``unread``: no reply was usable).

        Raises:
            ModelUnavailable, BudgetSpent: the run has to stop.
        """
        line: dict[str, Any] = {"id": task.id, "rater": self.rater}
        try:
            result = catch_unexpected(lambda: self._ask(task))
        except ModelUnavailable:
            raise
        except ModelError as error:
            return line | {"error": str(error), "unread": isinstance(error, ReplyInvalid)}
        if isinstance(result, UnexpectedError):
            result.record(self.trace, task.id)
            return line | {"error": result.sentence, "unexpected": str(result)}
        return line | result

    def _ask(self, task: JudgeTask) -> dict[str, Any]:
        agent, model, shown = load_agent(task.prompt), TracedModel(self.model, self.trace, task.id), task.variables
        orders = [shown, {"first": shown["second"], "second": shown["first"]}] if task.prompt == PAIR else [shown]
        replies = [dict(agent(model, variables, theta=self.theta).value) for variables in orders]
        reasons = [reply.pop("reason") for reply in replies]
        if task.prompt != PAIR:
            return {"ratings": replies[0], "reasons": reasons}
        first, second = verdicts = [reply["better"] for reply in replies]
        score = VERDICT_SCORES[first if first == _SWAPPED[second] else "tie"]
        return {"ratings": {PREFERENCE: score}, "verdicts": verdicts, "reasons": reasons}


def judge_to_file(
    tasks: Sequence[JudgeTask], files: Sequence[Path], options: Mapping[str, Any], on_progress: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Judge the tasks that have no line in the output yet, or one with an error; return its lines.

    ``options`` are those of the command, ``files`` what it has read; ``on_progress`` hears of a starting server.

    Raises:
        ConfigError: the output belongs to another run, or the model cannot judge.
        ModelUnavailable, BudgetSpent: the run stopped; what is finished is on disk.
    """
    (spec, _), path = parse_model_assignments(options["models"], ()), options["output"]
    if spec == "rules":
        raise ConfigError("the rules have no opinion: --model names a language model as the judge")
    require_distinct_paths(path, [*files, *options["ratings"]])
    digest = hashlib.sha256(to_json_line([[task.id, task.variables] for task in tasks]).encode("utf-8", "replace"))
    manifest = {
        "files": [file.name for file in files], "tasks": digest.hexdigest()[:16], "theta": options["theta"],
        "model": describe_address(spec, options["base_url"]), "versions": program_versions(),
        "prompts": prompt_digests({task.prompt for task in tasks}),
    }  # fmt: skip
    with (
        model_session(options, output=path, on_progress=on_progress) as model_options,
        Trace(options["trace"], secrets=secrets()) as trace,
        Output(path, {"ratings": manifest}, overwrite=options["overwrite"], needs_retry=has_error) as output,
    ):
        judge = Judge(open_model_factory(options, model_options)(spec, {}), spec, options["theta"], trace)
        pending = [index for index in range(len(tasks)) if not output.is_finished(index)]
        finished, todo, stop = 0, [tasks[index] for index in pending], model_options.meter
        with startup_errors(lambda: finished > 0 or len(pending) < len(tasks)):
            for position, line in map_unordered(judge.rate, todo, workers=options["workers"], stop=stop):
                output.record_lines(pending[position], {"": [line]})
                finished += 1
        if finished < len(pending):
            raise stop_error(stop)
        output.complete()
    return [line for _, line in read_lines(path)]
