"""Engines in processes of their own, so that questions are answered on several cores at a time.

Each process opens the graphs and the model anew and answers one question at a time. Steps, results and the lines of the
trace come back through a pipe; a stop signal goes the other way.
"""

from __future__ import annotations

import multiprocessing
import queue
import signal
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from typing import Any

from chattyshared.dialogue import History
from chattyshared.errors import ChattyError, ConfigError, WorkersLost
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.trace import BufferedTrace, Trace

from chattykg.engine import ChattyEngine, EngineResult
from chattykg.steps import AnswerProgress

EngineOpener = Callable[[Mapping[str, Any], Trace], AbstractContextManager[Mapping[str, ChattyEngine]]]
"""Opens the engines of some options by the names of their graphs; an importable function."""
_Question = tuple[str, tuple[str, History], str]
"""The name of a graph, a question with its history, and the span of the trace."""
_Outcome = tuple[EngineResult | UnexpectedError | ChattyError, tuple[str, ...]]
"""What became of a question, and the lines of its trace."""
_POLL_SECONDS = 0.05
"""Seconds between two looks at the stop signals of a question."""
_OPEN_SECONDS = 600
_END_SECONDS = 2
"""Seconds for a process to open its graphs, and to end."""


class EngineProcesses:
    """``number`` processes that answer questions; ``opener`` opens the engines in each of them.

    A process that dies is replaced; only the question that it worked on fails.

    Raises:
        ConfigError: a process cannot open its engines.
    """

    def __init__(self, opener: EngineOpener, options: Mapping[str, Any], number: int, trace: Trace) -> None:
        self._start = partial(_EngineProcess, opener, dict(options), trace.path is not None)
        self._trace = trace
        self._idle: queue.LifoQueue[_EngineProcess] = queue.LifoQueue()
        self._processes = {self._start() for _ in range(number)}
        with ExitStack() as opening:
            opening.callback(self.close)
            for process in self._processes:
                process.await_ready()
                self._idle.put(process)
            opening.pop_all()

    def engine(self, dataset: str) -> ProcessEngine:
        """Return the engine of a graph."""
        return ProcessEngine(self, dataset)

    def answer(self, question: _Question, progress: AnswerProgress) -> EngineResult:
        """Let the next idle process answer; wait for one while all work.

        Raises:
            ChattyError: as the engine raises it; WorkersLost: the process ended.
        """
        process = self._take(progress)
        try:
            outcome, lines = process.answer(question, progress)
        except (EOFError, OSError) as error:
            self._processes.discard(process)
            process.end()
            process = self._start()
            self._processes.add(process)
            process.await_ready()
            raise WorkersLost("the process that answered ended: ask again") from error
        finally:
            self._idle.put(process)
        self._trace.append_lines(lines)
        if isinstance(outcome, ChattyError):
            raise outcome
        if isinstance(outcome, UnexpectedError):
            raise RuntimeError(f"{outcome}: {outcome.message}\n{outcome.traceback}")
        return outcome

    def _take(self, progress: AnswerProgress) -> _EngineProcess:
        while True:
            progress.check_stop()
            with suppress(queue.Empty):
                return self._idle.get(timeout=_POLL_SECONDS)

    def close(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.end()

    def __enter__(self) -> EngineProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class ProcessEngine:
    """The engine of one graph, in other processes; several threads may call it at once."""

    processes: EngineProcesses
    dataset: str

    def answer_with_trace(
        self, question: str, history: History = (), *, span: str = "answer", progress: AnswerProgress | None = None
    ) -> EngineResult:
        """Answer one question, and return its representation too; ``progress`` as in ``ChattyEngine``.

        Raises:
            ChattyError: as ``EngineProcesses.answer`` does.
        """
        asked = (self.dataset, (question, tuple(history)), span)
        return self.processes.answer(asked, progress or AnswerProgress())


class _EngineProcess:
    """One process, as its parent sees it."""

    def __init__(self, opener: EngineOpener, options: Mapping[str, Any], is_traced: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._stop = context.Event()
        self._process = context.Process(
            target=_serve_engines, args=(theirs, self._stop, opener, options, is_traced), daemon=True
        )
        self._process.start()
        theirs.close()

    def await_ready(self) -> None:
        """Wait until the engines are open.

        Raises:
            ConfigError: they cannot be opened.
        """
        try:
            error = self._connection.recv() if self._connection.poll(_OPEN_SECONDS) else "it was not ready in time"
        except (EOFError, OSError):
            error = "it ended"
        if error:
            raise ConfigError(f"a process for answers cannot be started: {error}")

    def answer(self, question: _Question, progress: AnswerProgress) -> _Outcome:
        """Send a question, and report its steps until its outcome comes; pass a stop on.

        Raises:
            EOFError, OSError: the process ended.
        """
        self._stop.clear()
        self._connection.send(question)
        stopped: ChattyError | None = None
        while True:
            message: Any = self._connection.recv() if self._connection.poll(_POLL_SECONDS) else None
            if isinstance(message, tuple):
                return stopped or message[0], message[1]
            try:
                if stopped is None and message is None:
                    progress.check_stop()
                elif stopped is None:
                    progress.report(message)
            except ChattyError as error:
                stopped = error
                self._stop.set()

    def end(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.join(_END_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _serve_engines(
    connection: Connection, stop: Event, opener: EngineOpener, options: Mapping[str, Any], is_traced: bool
) -> None:
    """Answer questions from a pipe until it is closed; the main function of a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    trace = BufferedTrace() if is_traced else Trace()
    with suppress(EOFError, OSError):  # the parent is gone
        try:
            with opener(options, trace) as engines:
                connection.send("")
                while True:
                    dataset, asked, span = connection.recv()
                    progress = AnswerProgress(connection.send, stop)
                    ask = partial(engines[dataset].answer_with_trace, *asked, span=span, progress=progress)
                    connection.send(_answer(ask, trace))
        except ChattyError as error:
            connection.send(str(error))


def _answer(ask: Callable[[], EngineResult], trace: Trace) -> _Outcome:
    try:
        outcome: EngineResult | UnexpectedError | ChattyError = catch_unexpected(ask)
    except ChattyError as error:
        outcome = error
    return outcome, trace.take_lines() if isinstance(trace, BufferedTrace) else ()
