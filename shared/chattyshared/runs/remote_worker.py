"""The worker's side of a remote run: it opens graph and models once and processes items."""

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
"""How many jobs a worker keeps open: a killed client does not close its job."""


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """The description of a job for a worker: plain values, no secrets.

    ``name`` is unique for each run. ``opener`` (``module:function``) returns, for ``options``, a context manager of
    ``WorkerResources``, whose ``stamp`` must equal this one.
    """

    name: str
    opener: str
    options: Mapping[str, Any] = field(default_factory=dict)
    stamp: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WorkerResources(Generic[WorkContext]):
    """What a worker has opened: ``make_context`` returns the context of one item, given its trace; ``meter`` counts the
    spending here; ``stamp`` holds what affects results; ``secrets`` must not appear in traces."""

    make_context: Callable[[Trace], WorkContext]
    meter: Meter = field(default_factory=Meter)
    stamp: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class ItemReport(Generic[Result]):
    """The outcome of one item: result or error, the lines of its trace, and the spending since the last report."""

    results: tuple[Result, ...] = ()
    error: ChattyError | None = None
    lines: tuple[str, ...] = ()
    spent: Spending = field(default_factory=Spending)


class _OpenJob(Generic[WorkContext]):
    """The open resources of a job, with the spending that was not reported yet."""

    def __init__(self, resources: WorkerResources[WorkContext], stack: ExitStack) -> None:
        self.resources, self._stack = resources, stack
        self._reported = resources.meter.spent
        self._lock = threading.Lock()

    def unreported(self) -> Spending:
        with self._lock:
            spent, reported = self.resources.meter.spent, self._reported
            self._reported = spent
        return spent - reported

    def close(self) -> None:
        self._stack.close()


_open_jobs: dict[str, _OpenJob[Any]] = {}
_lock = threading.Lock()


def pack_task(job: WorkerJob, work: Callable[[Any, Item], Result], item: Item, *, is_traced: bool) -> bytes:
    """Return the argument of ``run_task``: as bytes, so that a task that a worker cannot read does not break its
    connection."""
    return pickle.dumps((job, work, item, is_traced))


def unpack_report(report: bytes) -> ItemReport[Any]:
    """Return the report in the result of ``run_task``."""
    item_report: ItemReport[Any] = pickle.loads(report)
    return item_report


def run_task(task: bytes) -> bytes:
    """Run a task of ``pack_task`` and return the report as bytes; an exception that is not a ``ChattyError`` is
    raised."""
    return pickle.dumps(_run_item(*pickle.loads(task)))


def _run_item(job: WorkerJob, work: Callable[[Any, Item], Result], item: Item, traced: bool) -> ItemReport[Result]:
    """Process one item with the resources of its job, which its first item opens.

    A ``ChattyError`` is part of the report, so that the spending before it is not lost; other exceptions are raised.
    """
    try:
        open_job = _job_resources(job)
    except ChattyError as error:
        return ItemReport(error=error)
    trace = BufferedTrace(secrets=open_job.resources.secrets) if traced else Trace()
    results: list[Result] = []
    failure: ChattyError | None = None
    try:
        results.append(work(open_job.resources.make_context(trace), item))
    except ChattyError as error:
        failure = error
    lines = tuple(trace.lines) if isinstance(trace, BufferedTrace) else ()
    return ItemReport(tuple(results), failure, lines, open_job.unreported())


def close_job(name: str) -> None:
    """Close the resources of a job, if they are open in this process."""
    with _lock:
        open_job = _open_jobs.pop(name, None)
    if open_job is not None:
        open_job.close()


def _job_resources(job: WorkerJob) -> _OpenJob[Any]:
    """Return the resources of a job; other threads wait until they are open."""
    with _lock:
        if job.name not in _open_jobs:
            for name in list(_open_jobs)[: len(_open_jobs) - MAX_OPEN_JOBS + 1]:
                _open_jobs.pop(name).close()
            _open_jobs[job.name] = _open_resources(job)
        return _open_jobs[job.name]


def _open_resources(job: WorkerJob) -> _OpenJob[Any]:
    module, _, function = job.opener.partition(":")
    opener: Callable[[Mapping[str, Any]], AbstractContextManager[WorkerResources[Any]]]
    opener = getattr(importlib.import_module(module), function)
    with ExitStack() as stack:
        try:
            resources = stack.enter_context(opener(job.options))
        except ConfigError as error:
            raise ConfigError(f"the worker on {platform.node()}: {error}") from error
        for difference in _differences(job.stamp, resources.stamp):
            raise ConfigError(f"the worker on {platform.node()} would give other results: {difference}")
        return _OpenJob(resources, stack.pop_all())


def _differences(expected: Mapping[str, str], actual: Mapping[str, str]) -> Iterator[str]:
    for key, value in expected.items():
        if actual.get(key) != value:
            yield f"its {key} is {actual.get(key) or 'missing'}, not {value}"
