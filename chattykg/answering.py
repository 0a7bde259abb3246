"""An engine over many conversations: several at a time, each in order, each on disk as soon as it is finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from chattyshared.answers import answer_to_json, error_to_json, has_error
from chattyshared.benchmark import usage_to_json
from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.errors import EndpointError, EndpointUnavailable, ModelError, ModelUnavailable
from chattyshared.output import Output
from chattyshared.runner import Runner, Threads
from chattyshared.trace import Trace
from chattyshared.work import Stop, stopped

from chattykg.conversations import Asked, Conversation
from chattykg.engine import Engine

HistoryKind = Literal["own", "gold"]
Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many questions were asked in this run, how many stood there already, and how many ended in an error."""

    asked: int = 0
    kept: int = 0
    errors: int = 0


class Redo:
    """Tells which lines of an earlier run are made again: errors, and what was said after one to its history.

    Give it to ``Output``, which shows it the lines of each conversation in the order in which they were asked.
    """

    def __init__(self, conversations: Sequence[Conversation], history: HistoryKind = "own") -> None:
        self._home = {str(asked.id): number for number, each in enumerate(conversations) for asked in each.asked}
        self._spreads = {number: history == "own" and not each.alone for number, each in enumerate(conversations)}
        self._spoiled: set[int | None] = set()

    def __call__(self, line: Line) -> bool:
        """Tell whether a line is to be made again."""
        home = self._home.get(str(line.get("id")))
        if has_error(line) and home is not None and self._spreads[home]:
            self._spoiled.add(home)
        return has_error(line) or home in self._spoiled


def answer_all(  # noqa: PLR0913
    engine: Engine,
    conversations: Sequence[Conversation],
    output: Output,
    *,
    history: HistoryKind = "own",
    runner: Runner | None = None,
    trace: Trace | None = None,
    stop: Stop | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> Tally:
    """Answer every question that has no answer in ``output`` yet; ``told`` hears how many questions are done.

    Turns are asked in order, conversations several at a time. A question that fails by its content gets a line with
    ``error``, and the conversation goes on. A conversation of which any line is missing is asked again as a whole.

    ``runner`` is who asks, the calling thread unless said; where its workers are elsewhere, they have engines of their
    own, and what these record is appended to ``trace``.

    Raises:
        EndpointUnavailable, ModelUnavailable, BudgetSpent, WorkersLost: the run stops; what is finished is on disk.
        ConfigError: the answers cannot be written.
    """
    pending = [each for each in conversations if not all(output.finished(asked.place) for asked in each.asked)]
    total = sum(len(each.asked) for each in conversations)
    waiting = sum(len(each.asked) for each in pending)
    told(total - waiting)
    errors = finished = 0
    work = partial(converse, history=history)
    for index, lines in (runner or Threads()).results(work, engine, pending, stop=stop, trace=trace):
        finished += 1
        for asked, line in zip(pending[index].asked, lines, strict=True):
            errors += has_error(line)
            if not output.finished(asked.place):
                output.put(asked.place, {"": [line]})
        told(len(lines))
    if finished < len(pending):
        raise stopped(stop)
    output.complete()
    return Tally(waiting, total - waiting, errors)


def converse(engine: Engine, conversation: Conversation, *, history: HistoryKind = "own") -> list[Line]:
    """Ask the questions of one conversation in order; return a line of the answers file for each.

    Raises:
        EndpointUnavailable, ModelUnavailable, BudgetSpent: nobody is there to answer.
    """
    so_far = conversation.before
    lines: list[Line] = []
    for asked in conversation.asked:
        answer, line = ask(engine, asked, () if conversation.alone else so_far)
        lines.append(line)
        right = asked.gold if history == "gold" else None
        so_far = (*so_far, right or Exchange(asked.question, answer))
    return lines


def ask(engine: Engine, asked: Asked, history: History) -> tuple[Answer, Line]:
    """Ask one question; return the answer (empty if it failed by its content) and its line.

    Raises:
        EndpointUnavailable, ModelUnavailable, BudgetSpent: nobody is there to answer.
    """
    began = time.perf_counter()
    try:
        answer = engine.answer(asked.question, history, place=str(asked.id))
    except (EndpointUnavailable, ModelUnavailable):
        raise
    except (EndpointError, ModelError) as error:
        used = error.usage if isinstance(error, ModelError) else None
        cost: dict[str, Any] = {"usage": usage_to_json(used)} if used else {}
        cost["seconds"] = round(time.perf_counter() - began, 4)
        line = error_to_json(asked.id, asked.question, str(error)) | cost
        return Answer(standalone=asked.question), line
    answer = replace(answer, seconds=answer.seconds or time.perf_counter() - began)
    return answer, answer_to_json(asked.id, asked.question, answer)
