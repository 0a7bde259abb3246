"""A worker's side of work that is done elsewhere: it opens graph and models once, and does item after item."""

from __future__ import annotations

import importlib
import pickle
import platform
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from chattyshared.errors import ChattyError, ConfigError
from chattyshared.model.budget import Meter
from chattyshared.model.spend_log import Spending
from chattyshared.trace import BufferedTrace, Trace

WorkContext = TypeVar("WorkContext")
Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_OPEN_JOBS = 4
"""How many jobs a worker keeps open: a client that was killed does not say that its job is over."""


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """What a worker needs to know once: plain values, and nothing secret.

    ``name`` is another one for each run. ``opener`` (``module:function``) makes, from ``given``, a context manager of a
    ``Station``. ``stamp`` is what the station's own must equal.
    """

    name: str
    opener: str
    options: Mapping[str, Any] = field(default_factory=dict)
    stamp: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WorkerResources(Generic[WorkContext]):
    """What a worker has opened: ``world`` makes what the work needs, with a trace for one item; ``meter`` counts what
    is spent here; ``stamp`` says what would change a result; ``secrets`` are what no trace may hold."""

    make_context: Callable[[Trace], WorkContext]
    meter: Meter = field(default_factory=Meter)
    stamp: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class ItemReport(Generic[Result]):
    """What came of one item: its result or its error, the lines of its trace, and what was spent since the last."""

    results: tuple[Result, ...] = ()
    error: ChattyError | None = None
    lines: tuple[str, ...] = ()
    spent: Spending = field(default_factory=Spending)


class _Open(Generic[WorkContext]):
    """A station in use; tells what was spent there since it was asked last."""

    def __init__(self, station: WorkerResources[WorkContext], stack: ExitStack) -> None:
        self.station, self._stack = station, stack
        self._told = station.meter.spent
        self._lock = threading.Lock()

    def untold(self) -> Spending:
        with self._lock:
            now, told = self.station.meter.spent, self._told
            self._told = now
        return now - told

    def close(self) -> None:
        self._stack.close()


_open: dict[str, _Open[Any]] = {}
_lock = threading.Lock()


def pack_task(job: WorkerJob, work: Callable[[Any, Item], Result], item: Item, *, is_traced: bool) -> bytes:
    """Return what ``perform`` takes: bytes, so that what a worker cannot read fails there and not its connection."""
    return pickle.dumps((job, work, item, is_traced))


def unpack_report(report: bytes) -> ItemReport[Any]:
    """Return the report that ``perform`` gave."""
    found: ItemReport[Any] = pickle.loads(report)
    return found


def run_task(task: bytes) -> bytes:
    """Do what ``packed`` says, and return the report as bytes; raises what is no error of ours."""
    return pickle.dumps(_performed(*pickle.loads(task)))


def _performed(job: WorkerJob, work: Callable[[Any, Item], Result], item: Item, traced: bool) -> ItemReport[Result]:
    """Do the work on one item, at the station of a job, which is opened by the first of its items.

    An error of ours is part of the report, so that what was spent before it is not lost; any other one is raised.
    """
    try:
        there = _station(job)
    except ChattyError as error:
        return ItemReport(error=error)
    trace = BufferedTrace(secrets=there.station.secrets) if traced else Trace()
    results: list[Result] = []
    failure: ChattyError | None = None
    try:
        results.append(work(there.station.make_context(trace), item))
    except ChattyError as error:
        failure = error
    lines = tuple(trace.lines) if isinstance(trace, BufferedTrace) else ()
    return ItemReport(tuple(results), failure, lines, there.untold())


def close_job(name: str) -> None:
    """Close the station of a job, if it is open in this process."""
    with _lock:
        there = _open.pop(name, None)
    if there is not None:
        there.close()


def _station(job: WorkerJob) -> _Open[Any]:
    """Return the station of a job; who comes second waits until it is open."""
    with _lock:
        if job.name not in _open:
            for name in list(_open)[: len(_open) - MAX_OPEN_JOBS + 1]:
                _open.pop(name).close()
            _open[job.name] = _opened(job)
        return _open[job.name]


def _opened(job: WorkerJob) -> _Open[Any]:
    module, _, function = job.opener.partition(":")
    opener: Callable[[Mapping[str, Any]], AbstractContextManager[WorkerResources[Any]]]
    opener = getattr(importlib.import_module(module), function)
    with ExitStack() as stack:
        try:
            station = stack.enter_context(opener(job.options))
        except ConfigError as error:
            raise ConfigError(f"the worker on {platform.node()}: {error}") from error
        for said in _differences(job.stamp, station.stamp):
            raise ConfigError(f"the worker on {platform.node()} would give other results: {said}")
        return _Open(station, stack.pop_all())


def _differences(here: Mapping[str, str], there: Mapping[str, str]) -> Iterator[str]:
    for key, value in here.items():
        if there.get(key) != value:
            yield f"its {key} is {there.get(key) or 'missing'}, not {value}"
