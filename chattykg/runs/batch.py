"""Runs an engine over many conversations: several at a time, turns in order, each written when it is finished."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from chattyshared.answers import answer_to_json, error_to_json, has_error
from chattyshared.benchmark import usage_to_json
from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.errors import EndpointError, EndpointUnavailable, ModelError, ModelUnavailable
from chattyshared.model import Usage
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.runs.output import Output
from chattyshared.runs.runner import Runner, ThreadRunner
from chattyshared.runs.threads import StopSignal, stop_error
from chattyshared.trace import Trace

from chattykg.engine import Engine, engine_for_conversation
from chattykg.runs.question_sets import Conversation, QuestionItem

HistoryKind = Literal["own", "gold"]
AnswerRecord = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """The numbers of questions asked in this run, of those kept from an earlier run, and of errors.

    ``unexpected`` counts the unexpected errors by type and place; they are among ``errors``.
    """

    asked: int = 0
    kept: int = 0
    errors: int = 0
    unexpected: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """The answer line of one question, and the unexpected error if there was one."""

    line: AnswerRecord
    failure: UnexpectedError | None = None


class RetryFilter:
    """Tells which lines of an earlier run are repeated: errors, and later lines whose history contains an error.

    ``Output`` calls it with the lines of each conversation in the order of the questions.
    """

    def __init__(self, conversations: Sequence[Conversation], history: HistoryKind = "own") -> None:
        self._conversation_of = {
            str(item.id): index for index, conversation in enumerate(conversations) for item in conversation.items
        }
        self._uses_own_history = [history == "own" and not conversation.is_standalone for conversation in conversations]
        self._failed: set[int | None] = set()

    def __call__(self, line: AnswerRecord) -> bool:
        """Tell whether the question of a line is asked again."""
        index = self._conversation_of.get(str(line.get("id")))
        if has_error(line) and index is not None and self._uses_own_history[index]:
            self._failed.add(index)
        return has_error(line) or index in self._failed


def answer_conversations(  # noqa: PLR0913
    engine: Engine,
    conversations: Sequence[Conversation],
    output: Output,
    *,
    history: HistoryKind = "own",
    runner: Runner | None = None,
    trace: Trace | None = None,
    stop: StopSignal | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> BatchCounts:
    """Answer every question that has no answer in ``output`` yet.

    Turns are asked in order, several conversations at a time. A question that fails because of its content, or with an
    unexpected exception (its traceback goes to ``trace``), gets a line with ``error``, and the conversation continues.
    A conversation with a missing line is asked again as a whole. ``on_progress`` receives the number of questions that
    were finished since its last call.

    ``runner`` asks the questions (default: the calling thread). Workers on other machines have their own engines, and
    their records are appended to ``trace``.

    Raises:
        EndpointUnavailable, ModelUnavailable, BudgetSpent, WorkersLost: the run stops; what is finished is on disk.
        ConfigError: the answers cannot be written.
    """
    pending = [
        conversation
        for conversation in conversations
        if not all(output.is_finished(item.index) for item in conversation.items)
    ]
    total = sum(len(conversation.items) for conversation in conversations)
    waiting = sum(len(conversation.items) for conversation in pending)
    on_progress(total - waiting)
    errors, unexpected, finished = 0, Counter[str](), 0
    work = partial(answer_conversation, history=history)
    for index, outcomes in (runner or ThreadRunner()).map_unordered(work, engine, pending, stop=stop, trace=trace):
        finished += 1
        for item, outcome in zip(pending[index].items, outcomes, strict=True):
            errors += has_error(outcome.line)
            if outcome.failure is not None:
                unexpected[str(outcome.failure)] += 1
                outcome.failure.record(trace or Trace(), str(item.id))
            if not output.is_finished(item.index):
                output.record_lines(item.index, {"": [outcome.line]})
        on_progress(len(outcomes))
    if finished < len(pending):
        raise stop_error(stop)
    output.complete()
    return BatchCounts(waiting, total - waiting, errors, unexpected)


def answer_conversation(
    engine: Engine, conversation: Conversation, *, history: HistoryKind = "own"
) -> list[QuestionOutcome]:
    """Ask the questions of one conversation in order and return their outcomes.

    Raises:
        EndpointUnavailable, ModelUnavailable, BudgetSpent: the run has to stop.
    """
    if not conversation.is_standalone:
        engine = engine_for_conversation(engine)
    earlier = conversation.history
    outcomes: list[QuestionOutcome] = []
    for item in conversation.items:
        answer, outcome = answer_question(engine, item, () if conversation.is_standalone else earlier)
        outcomes.append(outcome)
        gold = item.gold if history == "gold" else None
        earlier = (*earlier, gold or Exchange(item.question, answer))
    return outcomes


def answer_question(engine: Engine, item: QuestionItem, history: History) -> tuple[Answer, QuestionOutcome]:
    """Ask one question and return the answer (empty if it failed) and the outcome.

    Raises:
        EndpointUnavailable, ModelUnavailable, BudgetSpent: the run has to stop.
    """
    started = time.perf_counter()
    try:
        answer = catch_unexpected(lambda: engine.answer(item.question, history, span=str(item.id)))
    except (EndpointUnavailable, ModelUnavailable):
        raise
    except (EndpointError, ModelError) as error:
        usage = error.usage if isinstance(error, ModelError) else None
        return Answer(standalone=item.question), QuestionOutcome(_error_line(item, str(error), started, usage))
    if isinstance(answer, UnexpectedError):
        line = _error_line(item, answer.sentence, started)
        return Answer(standalone=item.question), QuestionOutcome(line, answer)
    answer = replace(answer, seconds=answer.seconds or time.perf_counter() - started)
    return answer, QuestionOutcome(answer_to_json(item.id, item.question, answer))


def _error_line(item: QuestionItem, error: str, started: float, usage: Usage | None = None) -> AnswerRecord:
    cost: dict[str, Any] = {"usage": usage_to_json(usage)} if usage else {}
    cost["seconds"] = round(time.perf_counter() - started, 4)
    return error_to_json(item.id, item.question, error) | cost
