"""Files of simulated conversations, one a line: written by a resumable run, and read for the scores."""

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
from chattyshared.trace import Trace, TracedModel, trace_path_of

from chattykg.engine import Engine, engine_for_conversation
from chattykg.runs.answer_run import RunOptions, open_trace
from chattykg.simulation.goals import GoalPlan
from chattykg.simulation.simulated_user import (
    GoalOutcome,
    SimulatedConversation,
    SimulatedUser,
    TalkTurn,
    UserSettings,
)

MAX_FAILURES = 3
"""Conversations in a row that an unreachable system ends, from which the run stops."""
_MAX_SHOWN_VALUES, _MAX_TEXT = 100, 2_000
"""Values of an answer, and characters of a text, that are kept."""
_KEPT_FIELDS = ("status", "clarification", "answers", "labels", "notes", "unused", "standalone", "sparql")
Line = Mapping[str, Any]


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
) -> tuple[int, SimulatedConversation]:
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


def conversation_to_json(talk: SimulatedConversation) -> dict[str, Any]:
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
