"""An engine over many conversations: several at a time, each in order, each on disk as soon as it is finished."""

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

from chattykg.engine import Engine
from chattykg.runs.question_sets import Conversation, QuestionItem

HistoryKind = Literal["own", "gold"]
AnswerRecord = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """How many questions were asked in this run, how many stood there already, and how many ended in an error.

    ``unexpected`` counts, by type and place, the unexpected ones among the errors.
    """

    asked: int = 0
    kept: int = 0
    errors: int = 0
    unexpected: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """The line of one question, and the unexpected exception that it ended in, if it did."""

    line: AnswerRecord
    failure: UnexpectedError | None = None


class RetryFilter:
    """Tells which lines of an earlier run are made again: errors, and what was said after one to its history.

    Give it to ``Output``, which shows it the lines of each conversation in the order in which they were asked.
    """

    def __init__(self, conversations: Sequence[Conversation], history: HistoryKind = "own") -> None:
        self._home = {str(asked.id): number for number, each in enumerate(conversations) for asked in each.items}
        self._spreads = {
            number: history == "own" and not each.is_standalone for number, each in enumerate(conversations)
        }
        self._spoiled: set[int | None] = set()

    def __call__(self, line: AnswerRecord) -> bool:
        """Tell whether a line is to be made again."""
        home = self._home.get(str(line.get("id")))
        if has_error(line) and home is not None and self._spreads[home]:
            self._spoiled.add(home)
        return has_error(line) or home in self._spoiled


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
    """Answer every question that has no answer in ``output`` yet; ``told`` hears how many questions are done.

    Turns are asked in order, conversations several at a time. A question that fails by its content, or by an unexpected
    exception (its traceback goes to ``trace``), gets a line with ``error``, and the conversation goes on. A
    conversation of which any line is missing is asked again as a whole.

    ``runner`` is who asks, the calling thread unless said; where its workers are elsewhere, they have engines of their
    own, and what these record is appended to ``trace``.

    Raises:
        EndpointUnavailable, ModelUnavailable, BudgetSpent, WorkersLost: the run stops; what is finished is on disk.
        ConfigError: the answers cannot be written.
    """
    pending = [each for each in conversations if not all(output.is_finished(asked.index) for asked in each.items)]
    total = sum(len(each.items) for each in conversations)
    waiting = sum(len(each.items) for each in pending)
    on_progress(total - waiting)
    errors, unexpected, finished = 0, Counter[str](), 0
    work = partial(answer_conversation, history=history)
    for index, outcomes in (runner or ThreadRunner()).map_unordered(work, engine, pending, stop=stop, trace=trace):
        finished += 1
        for asked, outcome in zip(pending[index].items, outcomes, strict=True):
            errors += has_error(outcome.line)
            if outcome.failure is not None:
                unexpected[str(outcome.failure)] += 1
                outcome.failure.record(trace or Trace(), str(asked.id))
            if not output.is_finished(asked.index):
                output.record_lines(asked.index, {"": [outcome.line]})
        on_progress(len(outcomes))
    if finished < len(pending):
        raise stop_error(stop)
    output.complete()
    return BatchCounts(waiting, total - waiting, errors, unexpected)


def answer_conversation(
    engine: Engine, conversation: Conversation, *, history: HistoryKind = "own"
) -> list[QuestionOutcome]:
    """Ask the questions of one conversation in order; return a line of the answers file for each.

    Raises:
        EndpointUnavailable, ModelUnavailable, BudgetSpent: nobody is there to answer.
    """
    so_far = conversation.history
    outcomes: list[QuestionOutcome] = []
    for asked in conversation.items:
        answer, outcome = answer_question(engine, asked, () if conversation.is_standalone else so_far)
        outcomes.append(outcome)
        right = asked.gold if history == "gold" else None
        so_far = (*so_far, right or Exchange(asked.question, answer))
    return outcomes


def answer_question(engine: Engine, item: QuestionItem, history: History) -> tuple[Answer, QuestionOutcome]:
    """Ask one question; return the answer (empty if it failed) and its line.

    Raises:
        EndpointUnavailable, ModelUnavailable, BudgetSpent: nobody is there to answer.
    """
    began = time.perf_counter()
    try:
        answer = catch_unexpected(lambda: engine.answer(item.question, history, span=str(item.id)))
    except (EndpointUnavailable, ModelUnavailable):
        raise
    except (EndpointError, ModelError) as error:
        used = error.usage if isinstance(error, ModelError) else None
        return Answer(standalone=item.question), QuestionOutcome(_error_line(item, str(error), began, used))
    if isinstance(answer, UnexpectedError):
        line = _error_line(item, answer.sentence, began)
        return Answer(standalone=item.question), QuestionOutcome(line, answer)
    answer = replace(answer, seconds=answer.seconds or time.perf_counter() - began)
    return answer, QuestionOutcome(answer_to_json(item.id, item.question, answer))


def _error_line(asked: QuestionItem, error: str, began: float, used: Usage | None = None) -> AnswerRecord:
    cost: dict[str, Any] = {"usage": usage_to_json(used)} if used else {}
    cost["seconds"] = round(time.perf_counter() - began, 4)
    return error_to_json(asked.id, asked.question, error) | cost
