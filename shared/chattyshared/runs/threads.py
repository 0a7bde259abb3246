"""A thread pool: run a function over items, several at a time, and yield results as they finish."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, Literal, Protocol, TypeVar, runtime_checkable

from chattyshared.errors import BudgetSpent

Item = TypeVar("Item")
Result = TypeVar("Result")

LOOK_AHEAD = 2
"""Items in flight per worker: one running and one waiting."""


class StopSignal(Protocol):
    """The part of ``threading.Event`` that stops a run."""

    def is_set(self) -> bool:
        """Whether no new item may begin."""


@runtime_checkable
class StopWithReason(StopSignal, Protocol):
    """A stop signal with a reason."""

    def stop_reason(self) -> str:
        """Return the reason as a sentence."""


def stop_error(stop: StopSignal | None) -> BudgetSpent:
    """Return the error of a run that a stop signal has ended."""
    reason = stop.stop_reason() if isinstance(stop, StopWithReason) else ""
    return BudgetSpent(reason or "the time is up; what is finished is on disk, the same command goes on from there")


def map_unordered(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int = 1, stop: StopSignal | None = None
) -> Iterator[tuple[int, Result]]:
    """Yield ``(index, function(item))`` for each item, in the order in which they finish.

    Items are taken from the iterable only as needed. With one worker everything runs in the calling thread. Once
    ``stop`` is set, no item begins; running items are finished and yielded.

    Raises:
        BaseException: what ``function`` (or the iterable) raised first, after the results of the running items; no item
        begins after it. An interrupt of the calling thread is raised at once.
    """
    if workers <= 1:
        return _map_in_order(function, items, stop)
    return _ThreadPool(function, workers, stop).map_unordered(items)


def _map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], stop: StopSignal | None
) -> Iterator[tuple[int, Result]]:
    for index, item in enumerate(items):
        if stop is not None and stop.is_set():
            return
        yield index, function(item)


@dataclass(slots=True)
class Outcome(Generic[Result]):
    """The outcome of one item: its result, or any exception raised within ``with outcome:``.

    The calling thread raises the exception again; none is swallowed.
    """

    index: int = -1
    results: list[Result] = field(default_factory=list)
    error: BaseException | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> Literal[True]:
        self.error = error
        return True


class _ThreadPool(Generic[Item, Result]):
    """Daemon threads, so that an interrupt does not wait for calls that take minutes (an executor's threads are joined
    when Python ends)."""

    def __init__(self, function: Callable[[Item], Result], workers: int, stop: StopSignal | None) -> None:
        self._function, self._workers, self._stop = function, workers, stop
        self._tasks: queue.SimpleQueue[tuple[int, Item] | None] = queue.SimpleQueue()
        self._outcomes: queue.SimpleQueue[Outcome[Result]] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._in_flight = 0
        self._error: BaseException | None = None

    def map_unordered(self, items: Iterable[Item]) -> Iterator[tuple[int, Result]]:
        """Yield results as they finish; see the function ``map_unordered``."""
        for number in range(self._workers):
            threading.Thread(target=self._work, name=f"worker-{number + 1}", daemon=True).start()
        try:
            feed = iter(enumerate(items))
            self._fill(feed)
            while self._in_flight:
                outcome = self._outcomes.get()
                self._in_flight -= 1
                if outcome.error is not None:
                    self._error = self._error or outcome.error
                    self._closed.set()
                for result in outcome.results:
                    yield outcome.index, result
                self._fill(feed)
            if self._error is not None:
                raise self._error
        finally:
            self._closed.set()
            for _ in range(self._workers):
                self._tasks.put(None)

    def _fill(self, feed: Iterator[tuple[int, Item]]) -> None:
        while self._in_flight < LOOK_AHEAD * self._workers and not self._is_stopping() and self._error is None:
            task: Outcome[tuple[int, Item]] = Outcome()
            with task:
                task.results.extend(islice(feed, 1))
            if task.error is not None:
                if not isinstance(task.error, Exception):
                    raise task.error
                # An error of the iterable is raised like a worker's: after the items in flight.
                self._error = task.error
            if not task.results:
                return
            self._in_flight += 1
            self._tasks.put(task.results[0])

    def _is_stopping(self) -> bool:
        return self._closed.is_set() or (self._stop is not None and self._stop.is_set())

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            index, item = task
            outcome: Outcome[Result] = Outcome(index)
            if not self._is_stopping():
                with outcome:
                    outcome.results.append(self._function(item))
            self._outcomes.put(outcome)
