"""The one place with threads: run a function over items, several at a time, and hand results back as they come."""

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
"""How many items a worker may have in flight: one in hand and one waiting."""


class StopSignal(Protocol):
    """What ``threading.Event`` offers of interest here."""

    def is_set(self) -> bool:
        """Tell whether no new item may begin."""


@runtime_checkable
class StopWithReason(StopSignal, Protocol):
    """A stop that tells what it was set for."""

    def stop_reason(self) -> str:
        """Return the sentence that says it."""


def stop_error(stop: StopSignal | None) -> BudgetSpent:
    """Return the error for work that a stop has ended."""
    said = stop.stop_reason() if isinstance(stop, StopWithReason) else ""
    return BudgetSpent(said or "the time is up; what is finished is on disk, the same command goes on from there")


def map_unordered(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int = 1, stop: StopSignal | None = None
) -> Iterator[tuple[int, Result]]:
    """Yield ``(index, function(item))`` for each item, in the order in which they finish.

    Items are taken from the iterable only as they are needed. With one worker everything runs in the calling thread.
    Once ``stop`` is set, no item begins any more; those that run are finished and yielded.

    Raises:
        BaseException: what ``function`` (or the iterable) raised first, after the results of the items that were
            running at that moment have been yielded; no item begins after it. An interrupt of the calling thread
            comes through at once.
    """
    if workers <= 1:
        return _in_turn(function, items, stop)
    return _ThreadPool(function, workers, stop).map_unordered(items)


def _in_turn(
    function: Callable[[Item], Result], items: Iterable[Item], stop: StopSignal | None
) -> Iterator[tuple[int, Result]]:
    for index, item in enumerate(items):
        if stop is not None and stop.is_set():
            return
        yield index, function(item)


@dataclass(slots=True)
class _Done(Generic[Result]):
    """What became of one item: its result, or what was raised within ``with done:``, whatever it is.

    It belongs to the calling thread, which raises it again; nothing is swallowed.
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
    """Daemon threads, so that an interrupt need not wait for a call that may take minutes (a pool's threads are
    joined when Python ends)."""

    def __init__(self, function: Callable[[Item], Result], workers: int, stop: StopSignal | None) -> None:
        self._function, self._workers, self._stop = function, workers, stop
        self._todo: queue.SimpleQueue[tuple[int, Item] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[_Done[Result]] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._in_flight = 0
        self._error: BaseException | None = None

    def map_unordered(self, items: Iterable[Item]) -> Iterator[tuple[int, Result]]:
        """Yield results as they come; see ``run_all``."""
        for number in range(self._workers):
            threading.Thread(target=self._work, name=f"worker-{number + 1}", daemon=True).start()
        try:
            feed = iter(enumerate(items))
            self._fill(feed)
            while self._in_flight:
                done = self._done.get()
                self._in_flight -= 1
                if done.error is not None:
                    self._error = self._error or done.error
                    self._closed.set()
                for result in done.results:
                    yield done.index, result
                self._fill(feed)
            if self._error is not None:
                raise self._error
        finally:
            self._closed.set()
            for _ in range(self._workers):
                self._todo.put(None)

    def _fill(self, feed: Iterator[tuple[int, Item]]) -> None:
        while self._in_flight < LOOK_AHEAD * self._workers and not self._ends() and self._error is None:
            taken: _Done[tuple[int, Item]] = _Done()
            with taken:
                taken.results.extend(islice(feed, 1))
            if taken.error is not None:
                if not isinstance(taken.error, Exception):
                    raise taken.error
                # The items' own failure is told like a worker's: after what is in flight has come home.
                self._error = taken.error
            if not taken.results:
                return
            self._in_flight += 1
            self._todo.put(taken.results[0])

    def _ends(self) -> bool:
        return self._closed.is_set() or (self._stop is not None and self._stop.is_set())

    def _work(self) -> None:
        while (task := self._todo.get()) is not None:
            index, item = task
            done: _Done[Result] = _Done(index)
            if not self._ends():
                with done:
                    done.results.append(self._function(item))
            self._done.put(done)
