"""Files of simulated conversations, one a line: written by a resumable run, scored, and shown as people read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from chattyshared.answers import answer_to_json
from chattyshared.benchmark import usage_to_json
from chattyshared.commands.exit_codes import startup_errors
from chattyshared.errors import ChattyError, ConfigError, EndpointUnavailable, ModelUnavailable
from chattyshared.jsonlines import LineSchema, read_lines
from chattyshared.runs.containment import UnexpectedError
from chattyshared.runs.output import Output
from chattyshared.runs.runner import ThreadRunner
from chattyshared.runs.threads import stop_error
from chattyshared.text import Column, render_rows
from chattyshared.trace import Trace, TracedModel, trace_path_of

from chattykg.engine import Engine, engine_for_conversation
from chattykg.evaluation.metrics import mean
from chattykg.evaluation.significance import bootstrap_means
from chattykg.runs.answer_run import RunOptions, open_trace
from chattykg.simulation.goals import GoalPlan
from chattykg.simulation.simulated_user import GoalOutcome, SimulatedUser, TalkTurn, UserSettings

MAX_FAILURES = 3
"""Conversations in a row that an unreachable system ends, from which the run stops."""
_MAX_SHOWN_VALUES, _MAX_TEXT = 100, 2_000
"""Values of an answer, and characters of a text, that are kept."""
_KEPT_FIELDS = ("status", "clarification", "answers", "labels", "notes", "unused", "standalone", "sparql")
Line = Mapping[str, Any]
_SHOWN_CHARACTERS = 300
"""Characters of a message that are shown."""
_BASES = {
    "right": "fail after a right answer", "wrong": "fail after an unnoticed error", "none": "fail after no answer",
}  # fmt: skip
_FAILURES = {
    "accepted": "the user believes a wrong answer", "given-up": "the user gave up",
    "cut-off": "the conversation ended meanwhile",
}  # fmt: skip
_ERRORS = {
    "kind": "this cannot be an answer to the question", "entity": "it is about something else",
    "note": "the notes say that it is about something else", "contradiction": "it contradicts an earlier answer",
}  # fmt: skip


def simulate_to_file(  # noqa: PLR0913
    path: Path,
    plans: Sequence[GoalPlan],
    settings: UserSettings,
    open_engine_with: Callable[[Trace], Engine],
    manifest: Mapping[str, Any],
    run_options: RunOptions,
) -> Counter[str]:
    """Hold the conversations of the plans that have no line in the file yet; return the unexpected errors.

    A system that fails in one conversation ends that conversation; the same run holds it again.

    Raises:
        ConfigError: the file belongs to another run or cannot be written.
        EndpointError, ModelError: the system cannot be reached in several conversations in a row, or refuses the key.
        BudgetSpent: a limit was reached; what is finished is on disk.
    """
    unexpected, failures, finished = Counter[str](), 0, 0  # failures: conversations in a row that found nobody
    with Output(path, manifest, overwrite=run_options.overwrite, needs_retry=ended_in_error) as output:
        pending = [(index, plan) for index, plan in enumerate(plans) if not output.is_finished(index)]
        run_options.on_progress(len(plans) - len(pending))
        if output.is_complete:
            return unexpected
        with (
            open_trace(run_options.trace or trace_path_of(path), run_options) as trace,
            startup_errors(lambda: len(pending) < len(plans) or finished > failures),
        ):
            runner, work = ThreadRunner(run_options.workers), partial(_converse, settings=settings, trace=trace)
            talks = runner.map_unordered(work, open_engine_with(trace), pending, stop=run_options.stop)
            for _, (index, talk) in talks:
                finished += 1
                if isinstance(talk.failure, UnexpectedError):
                    unexpected[str(talk.failure)] += 1
                    talk.failure.record(trace, talk.plan.id)
                failures = failures + 1 if _is_lost(talk.failure) else 0
                is_refused = isinstance(talk.failure, ModelUnavailable) and talk.failure.reason == "closed"
                if isinstance(talk.failure, ChattyError) and (failures == MAX_FAILURES or is_refused):
                    raise talk.failure
                output.record_lines(index, {"": [conversation_to_json(talk)]})
                trace.commit()
                run_options.on_progress(1)
            if finished < len(pending):
                raise stop_error(run_options.stop)
            trace.commit()
            output.complete()
    return unexpected


def _converse(
    engine: Engine, item: tuple[int, GoalPlan], *, settings: UserSettings, trace: Trace
) -> tuple[int, SimulatedUser]:
    """Let one user talk with an engine; return the index of its plan with the conversation."""
    index, plan = item
    model = settings.model and TracedModel(settings.model, trace, f"{plan.id}/user")
    user = SimulatedUser(engine_for_conversation(engine), plan, replace(settings, model=model))
    return index, user.converse()


def _is_lost(failure: object) -> bool:
    """Tell whether a system cannot be reached; one that is late or sends what nobody can read is there."""
    is_lost = isinstance(failure, ModelUnavailable) and failure.reason not in ("late", "garbled")
    return is_lost or isinstance(failure, EndpointUnavailable)


def ended_in_error(line: Line) -> bool:
    """Tell whether a conversation ended because the system failed, so that a resumed run holds it again."""
    return bool(line.get("status") == "error")


def read_conversations(path: Path) -> tuple[Line, ...]:
    """Read a file of conversations.

    Raises:
        ConfigError: the file is missing or cannot be read.
        BenchmarkInvalid: a line is not valid.
    """
    schema, lines = LineSchema("conversations.schema.json", "conversation"), []
    for number, line in read_lines(path):
        schema.check(line, file=path, line=number)
        lines.append(line)
    return tuple(lines)


def is_conversation_file(path: Path) -> bool:
    """Tell whether a file holds conversations, by its first line; false for what is no JSON Lines."""
    try:
        _, first = next(read_lines(path))
    except (ConfigError, StopIteration):
        return False
    return isinstance(first, dict) and {"turns", "goals"} <= first.keys()


def conversation_to_json(talk: SimulatedUser) -> dict[str, Any]:
    """Return the line of a conversation."""
    return {
        "id": talk.plan.id,
        "status": talk.status,
        **({"reason": talk.reason[:_MAX_TEXT]} if talk.reason else {}),
        "turns": [message for outcome in talk.outcomes for message in _messages(outcome)],
        "goals": [_outcome_to_json(outcome) for outcome in talk.outcomes],
        "usage": usage_to_json(talk.usage),
    }


def _messages(outcome: GoalOutcome) -> Iterator[dict[str, Any]]:
    """Yield the messages of the user and the replies of the system; who gives up says nothing."""
    for turn in outcome.talk:
        yield {"role": "user", "goal": turn.goal, "act": turn.act, "text": turn.text}
        yield {"role": "system", "goal": turn.goal, "text": turn.reply[:_MAX_TEXT], **_reply_to_json(turn)}
    if outcome.status == "given-up":
        yield {"role": "user", "goal": outcome.goal.number, "act": "give-up", "text": ""}


def _reply_to_json(turn: TalkTurn) -> dict[str, Any]:
    if turn.error:
        return {"status": "error"}
    stated = answer_to_json("", turn.text, turn.answer)
    kept = {name: stated[name] for name in _KEPT_FIELDS if stated.get(name)}
    for name in ("answers", "labels"):
        if name in kept:
            kept[name] = [text[:_MAX_TEXT] for text in kept[name][:_MAX_SHOWN_VALUES]]
    return kept | {"right": turn.is_right} | ({"visible_error": turn.visible_error} if turn.visible_error else {})


def _outcome_to_json(outcome: GoalOutcome) -> dict[str, Any]:
    """Return what became of a goal, as the scores count it."""
    talk = outcome.talk
    replies = list(zip(talk, talk[1:], strict=False))
    erred = any(turn.is_answered and not turn.is_right for turn in talk)
    noticed = any(turn.visible_error and not turn.is_right for turn in talk)
    return {
        "goal": outcome.goal.number,
        "status": outcome.status,
        **({"reason": outcome.reason} if outcome.reason else {}),
        "answerable": bool(outcome.goal.gold.elements),
        "reached": outcome.is_reached,
        "first_right": bool(talk) and talk[0].is_right,
        "turns": len(talk),
        "asked_back": sum(turn.asks_back for turn in talk),
        "clarified": sum(turn.act == "clarify" for turn in talk),
        "resolved": sum(after.act == "clarify" and after.is_answered for _, after in replies),
        "refused_at_first": bool(talk) and not talk[0].is_answered and not talk[0].asks_back,
        "erred": erred,
        "noticed": noticed,
        "recovered": noticed and outcome.is_reached,
        "doubted": any(turn.visible_error and turn.is_right for turn in talk),
        "hangs_on": list(outcome.goal.hangs_on),
        "basis": outcome.basis,
    }


def score_conversations(lines: Sequence[Line], *, seed: int = 0) -> dict[str, Any]:
    """Return the figures of conversations; rates are shares of goals (0 to 1); None: there is nothing to count."""
    goals = [goal for line in lines for goal in line["goals"]]
    asked = [goal for goal in goals if goal["turns"]]
    hung = {basis: [goal for goal in goals if goal["basis"] == basis] for basis in _BASES}
    reached = [goal for goal in goals if goal["reached"]]
    return {
        "conversations": len(lines),
        "statuses": dict(sorted(Counter(line["status"] for line in lines).items())),
        "goals": len(goals),
        "asked": len(asked),
        "reached": _mean_of(goals, lambda goal: goal["reached"]),
        "reached_interval": _interval(lines, seed),
        "reached_answerable": _mean_of([g for g in goals if g["answerable"]], lambda goal: goal["reached"]),
        "reached_unanswerable": _mean_of([g for g in goals if not g["answerable"]], lambda goal: goal["reached"]),
        "first_right": _mean_of(goals, lambda goal: goal["first_right"]),
        "turns_per_goal": _mean_of(asked, lambda goal: goal["turns"]),
        "turns_per_reached_goal": _mean_of(reached, lambda goal: goal["turns"]),
        "clarifications": {name: sum(goal[name] for goal in goals) for name in ("asked_back", "clarified", "resolved")},
        "refusals_overcome": _counts([g for g in goals if g["refused_at_first"] and g["answerable"]], "reached"),
        "errors": _counts([goal for goal in goals if goal["erred"]], "noticed", "recovered"),
        "right_answers_doubted": sum(goal["doubted"] for goal in goals),
        "error_propagation": {
            basis: {"goals": len(group), "failed": _mean_of(group, lambda goal: not goal["reached"])}
            for basis, group in hung.items()
        },
        "given_up": sum(goal["status"] == "given-up" for goal in goals),
        "skipped": sum(goal["status"] == "skipped" for goal in goals),
        "not_asked": sum(goal["status"] == "not-asked" for goal in goals),
        "model_calls": sum(line["usage"]["calls"] for line in lines),
    }


def _mean_of(goals: Sequence[Line], count: Callable[[Line], float]) -> float | None:
    return round(mean(map(count, goals)), 6) if goals else None


def _counts(goals: Sequence[Line], *names: str) -> dict[str, int]:
    return {"goals": len(goals)} | {name: sum(goal[name] for goal in goals) for name in names}


def _interval(lines: Sequence[Line], seed: int) -> list[float] | None:
    """Return the bootstrap interval of the share of goals that are reached, over whole conversations."""
    rows = [(line["id"], (float(goal["reached"]),)) for line in lines for goal in line["goals"]]
    if not rows:
        return None
    (interval,) = bootstrap_means(rows, seed=seed)
    return [round(interval.low, 6), round(interval.high, 6)]


def render_scores(figures: Mapping[str, Any]) -> str:
    """Return the figures as a table."""
    return "\n".join(render_rows((Column(min_width=30), Column(right=True), Column()), list(_rows(figures))))


def _rows(figures: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    low, high = map(_percent, figures["reached_interval"] or (None, None))
    back, errors, refusals = figures["clarifications"], figures["errors"], figures["refusals_overcome"]
    statuses = ", ".join(f"{count} {status}" for status, count in figures["statuses"].items())
    yield "conversations", str(figures["conversations"]), statuses
    yield "goals", str(figures["goals"]), f"{figures['asked']} asked, {figures['skipped']} skipped"
    yield "goals reached", _percent(figures["reached"]), f"95 % interval {low} to {high}"
    yield "  with an answer", _percent(figures["reached_answerable"]), ""
    yield "  that cannot be answered", _percent(figures["reached_unanswerable"]), "the system says so"
    yield "goals right at first", _percent(figures["first_right"]), ""
    per_reached = f"{_number(figures['turns_per_reached_goal'])} per reached goal"
    yield "turns per goal", _number(figures["turns_per_goal"]), per_reached
    yield "clarifications asked", str(back["asked_back"]), f"{back['clarified']} answered, {back['resolved']} resolved"
    yield "refused at first", str(refusals["goals"]), f"{refusals['reached']} reached in other words"
    noticed = f"{errors['noticed']} noticed, {errors['recovered']} recovered"
    yield "goals with a wrong answer", str(errors["goals"]), noticed
    yield "right answers doubted", str(figures["right_answers_doubted"]), ""
    for basis, name in _BASES.items():
        group = figures["error_propagation"][basis]
        yield name, _percent(group["failed"]), f"of {group['goals']} goals that hang on one"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def render_conversation(line: Line) -> str:
    """Return a conversation as people read it: each goal with its talk, and what became of it."""
    reason = f" ({line['reason'][:_SHOWN_CHARACTERS]})" if line.get("reason") else ""
    lines = [f"{line['id']}: {line['status']}{reason}"]
    for goal in line["goals"]:
        lines += [f"  goal {goal['goal']}: {_verdict(goal)}"]
        lines += [f"    {text}" for turn in line["turns"] if turn["goal"] == goal["goal"] for text in _talk(turn)]
    return "\n".join(lines)


def _verdict(goal: Line) -> str:
    """Return whether a goal is reached, and why not."""
    if goal["reached"]:
        return "reached" if goal["answerable"] else "reached: the system says that it does not know"
    return f"not reached: {goal.get('reason') or _FAILURES[goal['status']]}"


def _talk(turn: Line) -> Iterator[str]:
    """Yield the lines of a message; a reply has its verdict and what the user saw."""
    text = " ".join(turn["text"].split())[:_SHOWN_CHARACTERS]
    if turn["role"] == "user":
        act = "" if turn["act"] == "ask" else f"[{turn['act']}] "
        yield f"user    {act}{text}".rstrip() if turn["act"] != "give-up" else "        (the user asks no further)"
        return
    text = f"(no answer: {text})" if turn["status"] == "error" else text
    yield f"system  {text}{'' if turn['status'] != 'answered' or turn['right'] else '  (wrong)'}"
    options = turn.get("clarification", {}).get("options", ()) if turn["status"] != "answered" else ()
    yield from (f"          {number}. {option['label']}" for number, option in enumerate(options, 1))
    if turn.get("visible_error"):
        yield f"        (the user sees: {_ERRORS[turn['visible_error']]})"
