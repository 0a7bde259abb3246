"""The judge: what is judged, and a model that is asked about each task, a pair in both orders."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from chattyshared.agent import load_agent
from chattyshared.answers import has_error
from chattyshared.commands.exit_codes import require_distinct_paths, startup_errors
from chattyshared.commands.progress import show_progress
from chattyshared.errors import ConfigError, ModelError, ModelUnavailable, ReplyInvalid
from chattyshared.formats.gold import read_gold
from chattyshared.jsonlines import read_lines, to_json_line
from chattyshared.model import LanguageModel
from chattyshared.model.option_specs import parse_model_assignments
from chattyshared.model.registry import model_session
from chattyshared.prompt import prompt_digests
from chattyshared.questions import Question, group_by_conversation
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
DIALOGUE, PAIR, ANSWER = "judge/dialogue", "judge/pair", "judge/answer"


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


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One thing to judge: its id, the name of the prompt, and the prompt's variables."""

    id: str
    prompt: str
    variables: Mapping[str, Any]


def render_turns(turns: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the lines of a conversation: each question with its number, and its answer unless that is empty."""
    lines = ((f"{n}. {question}", f"Answer: {answer}") for n, (question, answer) in enumerate(turns, 1))
    return tuple(line for pair in lines for line in pair if line != "Answer: ")


def gold_text(question: Question) -> str:
    """Return the gold answer as a text, by labels where there are any; empty without gold."""
    gold = question.gold()
    return "" if gold is None else ", ".join(texts[-1] for texts in gold if texts) or "there is none"


def read_conversations(path: Path, lang: str, *, with_gold: bool) -> list[JudgeTask]:
    """Return a rating task for each conversation of a file of any known format; ``ConfigError`` if there is none."""
    groups = group_by_conversation(read_gold(path, lang=lang, repair_queries=False).questions)
    tasks = []
    for group in (group for group in groups if group[0].dialogue_id is not None):
        turns = render_turns((turn.question, gold_text(turn) if with_gold else "") for turn in group)
        tasks.append(JudgeTask(str(group[0].dialogue_id), DIALOGUE, {"turns": turns}))
    if not tasks:
        raise ConfigError(f"{path}: holds no conversation")
    return tasks


def pair_tasks(first: list[JudgeTask], second: list[JudgeTask], pairs: int | None, seed: int) -> list[JudgeTask]:
    """Return comparisons of two shuffled lists: as many as the shorter one has tasks, or ``pairs`` of all."""
    rows, columns = (Random(f"{seed}/{n}").sample(tasks, len(tasks)) for n, tasks in enumerate((first, second)))
    every = ((a, columns[(n + shift) % len(columns)]) for shift in range(len(columns)) for n, a in enumerate(rows))
    return [
        JudgeTask(f"{a.id}|{b.id}", PAIR, {"first": a.variables["turns"], "second": b.variables["turns"]})
        for a, b in islice(every, pairs or min(len(rows), len(columns)))
    ]
